import { email as emailField } from '@portico/contract/fields'
import type { UserChanges } from '@portico/contract/user-input'
import { resourceOwnerAttributes } from '@portico/contract/token-claims'
import type { Identity } from '@portico/contract/users'
import type { Assertion } from '../saml/assertion.js'
import type { AssertedIdentity } from '../../directory/users/identities.js'
import type { LiveConnection } from './live-connection.js'

/** Names of the attributes that products of universities send as OIDs (RFC 2798, RFC 4519). */
const namesOfOids: ReadonlyMap<string, string> = new Map([
  ['urn:oid:0.9.2342.19200300.100.1.1', 'uid'],
  ['urn:oid:0.9.2342.19200300.100.1.3', 'mail'],
  ['urn:oid:2.5.4.4', 'surname'],
  ['urn:oid:2.5.4.42', 'givenname'],
  ['urn:oid:2.16.840.1.113730.3.1.241', 'displayname'],
])

/** The user whom an identity provider asserts, in either protocol. */
export interface Asserted {
  readonly identity: AssertedIdentity
  /** As it was asserted; undefined where none was. */
  readonly email: string | undefined
  /** Whether the identity provider has verified that the address is the user's. */
  readonly isEmailVerified: boolean
  readonly profile: NonNullable<UserChanges['profile']>
  /** Everything that was asserted, for the login attempt. */
  readonly attributes: Readonly<Record<string, readonly string[]>>
  readonly amr: readonly string[]
}

/** Contexts by which identity providers assert that a second factor was passed. */
const mfaContexts = ['https://refeds.org/profile/mfa', 'http://schemas.microsoft.com/claims/multipleauthn']

/** The user of an assertion. Its address counts as verified, since in SAML the provider's administrator decides what is sent. */
export function toAsserted(live: LiveConnection, assertion: Assertion): Asserted {
  const { attributes, authnContext } = assertion
  return {
    identity: identityOf(live, assertion),
    email: assertedEmail(assertion),
    isEmailVerified: true,
    profile: assertedProfile(assertion),
    attributes,
    amr: authnContext !== null && mfaContexts.includes(authnContext) ? ['sso', 'mfa'] : ['sso'],
  }
}

/** Bytes of JSON that are kept of the attributes of a user, since lists of groups can be very long. */
const maxDataBytes = 16_000

/**
 * The identity in an assertion. Its attributes are called by the last part of their names, in lower case:
 * `http://schemas.xmlsoap.org/ws/2005/05/identity/claims/givenname` and `givenName` are both `givenname`.
 */
export function identityOf(live: LiveConnection, assertion: Assertion): AssertedIdentity {
  return {
    kind: 'saml',
    issuer: live.idpId,
    idpId: live.idpId,
    subject: assertion.nameId,
    provider: `saml.${live.providerType}`,
    data: dataOf(assertion),
    authenticatedAt: assertion.authenticatedAt,
  }
}

function dataOf({ nameId, attributes }: Assertion): Identity['data'] {
  return { ...boundedData(shortNamed(attributes)), saml_nameid: nameId, saml_subject: nameId }
}

/** Attributes as the identity of a user has them, by names in lower case, as far as there is room for them. */
export function boundedData(named: ReadonlyMap<string, readonly string[]>): Identity['data'] {
  const isNamed = ([name]: readonly [string, unknown]) => claimNames.has(name)
  const entries = [...named].map(([name, values]) => [name, toValue(values)] as const)
  // Attributes that go into tokens come first, so that others cannot take their room.
  const inOrder = [...entries.filter(isNamed), ...entries.filter((entry) => !isNamed(entry))]
  const kept: (readonly [string, string | string[]])[] = []
  let left = maxDataBytes
  for (const entry of inOrder) {
    const size = Buffer.byteLength(JSON.stringify(entry))
    if (size > left) continue
    kept.push(entry)
    left -= size
  }
  return Object.fromEntries(kept)
}

const claimNames = new Set(Object.keys(resourceOwnerAttributes).map((name) => name.toLowerCase()))

function toValue(values: readonly string[]): string | string[] {
  const [only, ...others] = values
  return only !== undefined && others.length === 0 ? only : [...values]
}

/** The attributes by their short names; where two have the same one, the first stands. */
export function shortNamed(attributes: Assertion['attributes']): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, readonly string[]>()
  for (const [name, values] of Object.entries(attributes)) {
    const short = namesOfOids.get(name.toLowerCase()) ?? name.slice(name.lastIndexOf('/') + 1).toLowerCase()
    if (!named.has(short)) named.set(short, values)
  }
  return named
}

const Email = emailField()

const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
/** Standard names of an address (WS-Federation claims, RFC 4524); Entra leaves the first out for some users. */
const standardNames = [`${claims}/emailaddress`, 'urn:oid:0.9.2342.19200300.100.1.3']
/** Names of an address in products, by precedence. */
const addressNames = ['emailaddress', 'email', 'mail', 'e-mail', 'user.email']
/** Names whose value may be an address, tried last. A mere `name` is not among them, since users choose it. */
const fallbackNames = [`${claims}/upn`, 'upn', `${claims}/name`]

/** The e-mail address in an assertion; undefined without one. */
export function assertedEmail({
  nameId,
  attributes,
}: Pick<Assertion, 'nameId' | 'attributes'>): string | undefined {
  const whole = new Map(Object.entries(attributes).map(([name, values]) => [name.toLowerCase(), values]))
  const named = shortNamed(attributes)
  const candidates = [
    ...[...standardNames, ...addressNames].map((name) => whole.get(name)?.[0]),
    // The same names under a prefix of the provider's own.
    ...addressNames.map((name) => named.get(name)?.[0]),
    nameId,
    ...fallbackNames.map((name) => whole.get(name)?.[0]),
  ]
  return candidates.find((text): text is string => text !== undefined && Email.safeParse(text).success)
}

const givenNames = ['givenname', 'given_name', 'first_name', 'firstname', 'user.firstname']
const familyNames = ['surname', 'family_name', 'last_name', 'lastname', 'familyname', 'sn', 'user.lastname']
/** The limit that callers have. */
const maxNameLength = 100

/** The members of the profile that an assertion has. */
export function assertedProfile({
  attributes,
}: Pick<Assertion, 'attributes'>): NonNullable<UserChanges['profile']> {
  const named = shortNamed(attributes)
  const firstOf = (names: readonly string[]) =>
    names
      .map((name) => named.get(name)?.[0]?.trim())
      .find((text) => text !== undefined && text !== '' && text.length <= maxNameLength)
  const given = firstOf(givenNames)
  const family = firstOf(familyNames)
  return {
    ...(given !== undefined && { given_name: given }),
    ...(family !== undefined && { family_name: family }),
  }
}
