import { createHash, createSign, randomBytes } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { makeServiceProviderKey, type ServiceProviderKey } from '@portico/server/saml/service-provider-key'

/** The recipient of a response, and the request that it answers. */
export interface ResponseFor {
  readonly idp_id: string
  readonly sp_id: string
  readonly acs_url: string
  /** The id of the request; undefined for an unsolicited response. */
  readonly requestId?: string | undefined
}

/** The asserted user, and deviations of the response from the usual form. */
export interface Said {
  readonly nameId?: string
  readonly attributes?: Readonly<Record<string, string | readonly string[]>>
  readonly assertionId?: string
  readonly authnContext?: string
  readonly audience?: string
  readonly recipient?: string
  readonly destination?: string
  readonly issuer?: string
  readonly status?: string
  /** Seconds from now. */
  readonly issuedAt?: number
  readonly notOnOrAfter?: number
  readonly authenticatedAt?: number
  /** Alters the signed document. */
  readonly tamper?: (xml: string) => string
}

export type TestIdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>

/**
 * The key of each identity provider by its name, generated once per worker. It is not a ready-made key: these are
 * reused, and the keys of two identity providers must differ.
 */
const keys = new Map<string, Promise<ServiceProviderKey>>()

/**
 * An identity provider that signs assertions without a library. Its assertions are written in the exclusive canonical form, so
 * that the signed text is the document itself.
 */
export async function startIdentityProvider(clock: { now(): Date }, name = 'idp') {
  const key = keys.get(name) ?? makeServiceProviderKey(`${name}.example`, new Date())
  keys.set(name, key)
  const { privateKey, certificate } = await key
  const entityId = `https://${name}.example/metadata`
  const ssoUrl = `https://${name}.example/sso`
  const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString()

  function metadata({ binding = 'Redirect', url = ssoUrl } = {}): string {
    const pem = certificate.replace(/-----[A-Z ]+-----|\s/g, '')
    return (
      `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${entityId}">` +
      `<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">` +
      `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${dsig}"><ds:X509Data>` +
      `<ds:X509Certificate>${pem}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>` +
      `<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-${binding}" Location="${url}"/>` +
      `</md:IDPSSODescriptor></md:EntityDescriptor>`
    )
  }

  /** A response in base64, as in the posted form. */
  function respond(to: ResponseFor, said: Said = {}): string {
    const { tamper = (xml) => xml } = said
    return Buffer.from(tamper(responseOf(to, said))).toString('base64')
  }

  function responseOf(to: ResponseFor, said: Said): string {
    const { destination = to.acs_url, status = 'Success', issuer = entityId } = said
    const answered = to.requestId === undefined ? '' : ` InResponseTo="${to.requestId}"`
    return (
      `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" Destination="${destination}" ID="${newId()}"` +
      `${answered} IssueInstant="${at(said.issuedAt ?? -2)}" Version="2.0">` +
      `<saml:Issuer xmlns:saml="${saml}">${issuer}</saml:Issuer>` +
      `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${status}"></samlp:StatusCode></samlp:Status>` +
      `${signed(to, said)}</samlp:Response>`
    )
  }

  function signed(to: ResponseFor, said: Said): string {
    const id = said.assertionId ?? newId()
    const [head, tail] = assertionOf(to, said, id)
    const digest = createHash('sha256').update(`${head}${tail}`).digest('base64')
    const info =
      `<ds:CanonicalizationMethod Algorithm="${exclusive}"></ds:CanonicalizationMethod>` +
      `<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></ds:SignatureMethod>` +
      `<ds:Reference URI="#${id}"><ds:Transforms><ds:Transform Algorithm="${dsig}enveloped-signature"></ds:Transform>` +
      `<ds:Transform Algorithm="${exclusive}"></ds:Transform></ds:Transforms>` +
      `<ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod>` +
      `<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`
    const signature = createSign('sha256')
      .update(`<ds:SignedInfo xmlns:ds="${dsig}">${info}`)
      .sign(privateKey, 'base64')
    return (
      `${head}<ds:Signature xmlns:ds="${dsig}"><ds:SignedInfo>${info}` +
      `<ds:SignatureValue>${signature}</ds:SignatureValue></ds:Signature>${tail}`
    )
  }

  /** The parts of the assertion before and after the signature. */
  function assertionOf(to: ResponseFor, said: Said, id: string): readonly [string, string] {
    const {
      nameId = 'ada@awesome.example',
      attributes = {},
      recipient = to.acs_url,
      audience = to.sp_id,
    } = said
    const { issuer = entityId, authnContext = passwordContext } = said
    const answered = to.requestId === undefined ? '' : ` InResponseTo="${to.requestId}"`
    const until = at(said.notOnOrAfter ?? 300)
    const head =
      `<saml:Assertion xmlns:saml="${saml}" ID="${id}" IssueInstant="${at(said.issuedAt ?? -2)}" Version="2.0">` +
      `<saml:Issuer>${issuer}</saml:Issuer>`
    const tail =
      `<saml:Subject><saml:NameID>${escaped(nameId)}</saml:NameID>` +
      `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
      `<saml:SubjectConfirmationData${answered} NotOnOrAfter="${until}" Recipient="${recipient}">` +
      `</saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>` +
      `<saml:Conditions NotBefore="${at(said.issuedAt ?? -2)}" NotOnOrAfter="${until}"><saml:AudienceRestriction>` +
      `<saml:Audience>${audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
      `<saml:AuthnStatement AuthnInstant="${at(said.authenticatedAt ?? -2)}" SessionIndex="s1"><saml:AuthnContext>` +
      `<saml:AuthnContextClassRef>${authnContext}</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
      `${attributesOf(attributes)}</saml:Assertion>`
    return [head, tail]
  }

  return { entityId, ssoUrl, certificate, metadata, respond }
}

const saml = 'urn:oasis:names:tc:SAML:2.0:assertion'
const dsig = 'http://www.w3.org/2000/09/xmldsig#'
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const passwordContext = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport'

function attributesOf(attributes: Readonly<Record<string, string | readonly string[]>>): string {
  const listed = Object.entries(attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">` +
      [values]
        .flat()
        .map((value) => `<saml:AttributeValue>${escaped(value)}</saml:AttributeValue>`)
        .join('') +
      `</saml:Attribute>`,
  )
  return listed.length === 0 ? '' : `<saml:AttributeStatement>${listed.join('')}</saml:AttributeStatement>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function newId(): string {
  return `_${randomBytes(16).toString('hex')}`
}

/** The id of the request in a redirect to an identity provider. */
export function requestIdIn(location: string | null): string {
  return / ID="([^"]+)"/.exec(requestIn(location))?.[1] ?? ''
}

/** The XML of the request. */
export function requestIn(location: string | null): string {
  const sent = new URL(location ?? '').searchParams.get('SAMLRequest') ?? ''
  return inflateRawSync(Buffer.from(sent, 'base64')).toString()
}
