import { createSign, randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { signEnveloped } from './enveloped-signature.js'
import { algorithms, bindings, escapeXml, ns } from './saml-names.js'

/** A request to sign a user in, for an identity provider. */
interface NewAuthnRequest {
  readonly id: string
  readonly at: Date
  readonly entityId: string
  readonly acsUrl: string
  /** PEM. */
  readonly privateKey: string
  /** From the metadata of the identity provider; at least one of the two is there. */
  readonly redirectUrl: string | null
  readonly postUrl: string | null
  /** Whether the identity provider must authenticate a signed-in user again (SAML core section 3.4.1). */
  readonly forceAuthn: boolean
}

/** By the HTTP-Redirect binding where the identity provider has it (SAML bindings section 3.4), else by HTTP-POST (3.5). */
export type SignedAuthnRequest =
  | { readonly binding: 'redirect'; readonly url: string }
  | { readonly binding: 'post'; readonly action: string; readonly samlRequest: string }

/** An id of a request, which an identity provider repeats: an underscore and 40 hexadecimal digits. */
export function newRequestId(): string {
  return `_${randomBytes(20).toString('hex')}`
}

/** A request, signed by RSA with SHA-256, that asks for nothing but a sign-in: no RequestedAuthnContext. */
export function signAuthnRequest(request: NewAuthnRequest): SignedAuthnRequest {
  const { redirectUrl, postUrl, privateKey } = request
  if (redirectUrl !== null) return { binding: 'redirect', url: toRedirect(request, redirectUrl) }
  if (postUrl === null) throw new Error('an identity provider without an address for requests')
  const signed = signEnveloped(toXml(request, postUrl), privateKey)
  return { binding: 'post', action: postUrl, samlRequest: Buffer.from(signed).toString('base64') }
}

function toXml({ id, at, entityId, acsUrl, forceAuthn }: NewAuthnRequest, destination: string): string {
  const attributes = {
    ID: id,
    Version: '2.0',
    IssueInstant: at.toISOString(),
    Destination: destination,
    ProtocolBinding: bindings.post,
    AssertionConsumerServiceURL: acsUrl,
    ...(forceAuthn ? { ForceAuthn: 'true' } : {}),
  }
  const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeXml(value)}"`)
  return (
    `<samlp:AuthnRequest xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}"${written.join('')}>` +
    `<saml:Issuer>${escapeXml(entityId)}</saml:Issuer>` +
    `<samlp:NameIDPolicy AllowCreate="true"/>` +
    `</samlp:AuthnRequest>`
  )
}

/** The signature covers the parameters as they are sent, in this order (SAML bindings section 3.4.4.1). */
function toRedirect(request: NewAuthnRequest, redirectUrl: string): string {
  const deflated = deflateRawSync(toXml(request, redirectUrl)).toString('base64')
  const signed = `SAMLRequest=${encodeURIComponent(deflated)}&SigAlg=${encodeURIComponent(algorithms.rsaSha256)}`
  const signature = createSign('sha256').update(signed).sign(request.privateKey, 'base64')
  const joint = redirectUrl.includes('?') ? '&' : '?'
  return `${redirectUrl}${joint}${signed}&Signature=${encodeURIComponent(signature)}`
}
