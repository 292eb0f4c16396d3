import { email as emailField } from '@portico/contract/fields'
import { assertedProfile, boundedData, type Asserted } from '../sign-in/asserted-identity.js'
import type { LiveConnection } from '../sign-in/live-connection.js'

/** Claims of a validated ID token, with those of the UserInfo endpoint where the token has no address. */
export type AnsweredClaims = Readonly<Record<string, unknown>> & { readonly sub: string }

const Email = emailField()

/** Claims that are about the token, and not about its user. */
const tokenClaims = new Set([
  ...['iss', 'aud', 'azp', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'at_hash', 'c_hash', 's_hash', 'sid'],
  ...['auth_time', 'acr', 'ver', 'uti', 'rh', 'aio'],
])

/** Names of claims in our own ID tokens, which attributes of SAML have too. */
const aliases: readonly (readonly [claim: string, alias: string])[] = [
  ['given_name', 'givenname'],
  ['family_name', 'surname'],
  ['phone_number', 'phone'],
  ['oid', 'objectidentifier'],
  ['tid', 'tenantid'],
]

/** The user whom a provider's claims assert. */
export function toAssertedByClaims(
  live: LiveConnection,
  issuer: string,
  claims: AnsweredClaims,
  at: Date,
): Asserted {
  const attributes = toAttributes(claims)
  return {
    identity: {
      kind: 'oidc',
      issuer,
      subject: claims.sub,
      idpId: live.idpId,
      provider: `oidc.${live.providerType}`,
      data: boundedData(namedData(attributes)),
      // Clocks of providers may be ahead of ours.
      authenticatedAt: earlierOf(authenticatedAtOf(claims) ?? issuedAtOf(claims) ?? at, at),
    },
    email: claimedEmail(claims),
    isEmailVerified: isEmailVerified(live, issuer, claims),
    profile: assertedProfile({ attributes }),
    attributes,
    amr: attributes['amr']?.includes('mfa') === true ? ['sso', 'mfa'] : ['sso'],
  }
}

function earlierOf(a: Date, b: Date): Date {
  return a < b ? a : b
}

/** Whether a subject can be stored, and distinguished from every other (OpenID Connect Core section 2). */
export function isSubject(subject: string): boolean {
  return subject !== '' && subject.length <= 255 && subject.isWellFormed() && !/\p{Cc}/u.test(subject)
}

/** The asserted time of the user's authentication; undefined where the provider does not assert it. */
export function authenticatedAtOf(claims: AnsweredClaims): Date | undefined {
  return toDate(claims['auth_time'])
}

/** When the token was issued. */
export function issuedAtOf(claims: AnsweredClaims): Date | undefined {
  return toDate(claims['iat'])
}

/** The last second of the year 9999. */
const maxSeconds = 253_402_300_799

function toDate(seconds: unknown): Date | undefined {
  if (typeof seconds !== 'number' || !(seconds >= 0 && seconds <= maxSeconds)) return undefined
  return new Date(Math.floor(seconds) * 1000)
}

/** The e-mail address in claims; undefined without one. */
export function claimedEmail({ email }: AnsweredClaims): string | undefined {
  return typeof email === 'string' && Email.safeParse(email).success ? email : undefined
}

/**
 * Whether the provider has verified that the address is the user's. In Entra, users and foreign tenants can set any
 * address; the optional claim xms_edov asserts that its domain was verified.
 */
function isEmailVerified({ providerType }: LiveConnection, issuer: string, claims: AnsweredClaims): boolean {
  if (providerType === 'entra_id' || isEntra(issuer)) return isTrue(claims['xms_edov'])
  return isTrue(claims['email_verified'])
}

/** Entra and others sometimes send it as text or as a number. */
export function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1'
}

function isEntra(issuer: string): boolean {
  const { hostname } = new URL(issuer)
  return (
    hostname === 'sts.windows.net' || /^login\.(microsoftonline|partner\.microsoftonline)\./.test(hostname)
  )
}

/**
 * Whether an account of Google is managed by a Workspace of the connection's domains, which `hd` names; anybody can create
 * any other account, with any address.
 *
 * @returns Undefined for another provider than Google.
 */
export function isOfHostedDomain(
  { providerType, emailDomains, allowedEmailDomains }: LiveConnection,
  issuer: string,
  { hd }: AnsweredClaims,
): boolean | undefined {
  if (providerType !== 'google_workspace' && issuer !== 'https://accounts.google.com') return undefined
  const domains = [...emailDomains, ...(allowedEmailDomains ?? [])]
  return typeof hd === 'string' && domains.includes(hd.toLowerCase())
}

/** The claims of the user as texts. */
export function toAttributes(claims: AnsweredClaims): Asserted['attributes'] {
  const asserted = Object.entries(claims).filter(([name, value]) => !tokenClaims.has(name) && value != null)
  return Object.fromEntries(asserted.map(([name, value]) => [toStorable(name), toTexts(value)]))
}

function toTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(toText) : [toText(value)]
}

function toText(value: unknown): string {
  return toStorable(typeof value === 'string' ? value : toJson(value))
}

/** JSON of a value; empty where it nests too deeply. */
function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ''
  } catch (error) {
    if (error instanceof RangeError) return ''
    throw error
  }
}

/** Replaces characters that the database cannot hold. */
function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}

/** Claims by the names under which identities have them. */
export function namedData(attributes: Asserted['attributes']): ReadonlyMap<string, readonly string[]> {
  const named = new Map(Object.entries(attributes).map(([name, values]) => [name.toLowerCase(), values]))
  for (const [claim, alias] of aliases) {
    const values = named.get(claim)
    if (values !== undefined && !named.has(alias)) named.set(alias, values)
  }
  return named
}
