import { constants, createCipheriv, createHash, publicEncrypt, randomBytes } from 'node:crypto'
import { signEnveloped } from '../saml/enveloped-signature.js'
import { algorithms, escapeXml, ns } from '../saml/saml-names.js'

/** Faults that the built-in identity provider makes on request; `encrypted` is a valid variant. */
export const testIdpFaults = [
  'none',
  'encrypted',
  'wrong_audience',
  'expired',
  'unsigned',
  'replayed',
  'wrapped',
] as const
export type TestIdpFault = (typeof testIdpFaults)[number]

/** The content of a response of the built-in identity provider. */
interface TestIdpAnswer {
  readonly fault: TestIdpFault
  /** The asserted user. */
  readonly email: string
  /** Null for an unsolicited response. */
  readonly inResponseTo: string | null
  readonly entityId: string
  /** PEM. */
  readonly privateKey: string
  readonly serviceProvider: {
    readonly entityId: string
    readonly acsUrl: string
    /** PEM; assertions are encrypted to it. */
    readonly certificate: string
  }
  readonly at: Date
}

const minuteMs = 60_000
/** Enough for reading a page, and common among identity providers. */
const lifetimeMs = 5 * minuteMs

/** The response as a form carries it: base64. */
export function testIdpResponse(answer: TestIdpAnswer): string {
  const { fault, privateKey } = answer
  const plain = toAssertion(answer, answer.email)
  const signed = fault === 'unsigned' ? plain : signEnveloped(plain, privateKey)
  if (fault === 'wrapped') return toResponse(answer, wrapped(answer, signed))
  const isEncrypted = fault === 'encrypted'
  const { certificate } = answer.serviceProvider
  return toResponse(answer, { assertion: isEncrypted ? encrypted(signed, certificate) : signed })
}

interface Parts {
  readonly assertion: string
  readonly extensions?: string
}

function toResponse({ entityId, inResponseTo, serviceProvider, at }: TestIdpAnswer, parts: Parts): string {
  const { assertion, extensions } = parts
  const xml =
    `<samlp:Response xmlns:samlp="${ns.protocol}" xmlns:saml="${ns.assertion}"` +
    ` ID="${newId()}" Version="2.0" IssueInstant="${at.toISOString()}"` +
    ` Destination="${escapeXml(serviceProvider.acsUrl)}"${inResponseToOf(inResponseTo)}>` +
    `<saml:Issuer>${escapeXml(entityId)}</saml:Issuer>` +
    (extensions === undefined ? '' : `<samlp:Extensions>${extensions}</samlp:Extensions>`) +
    `<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>` +
    `${assertion}</samlp:Response>`
  return Buffer.from(xml).toString('base64')
}

/** The signed assertion declares its own namespaces, so that its canonical form is the same in any document. */
function toAssertion(answer: TestIdpAnswer, email: string): string {
  const { fault, entityId, inResponseTo, serviceProvider, at } = answer
  const issuedAt = fault === 'expired' ? new Date(at.getTime() - 3 * lifetimeMs) : at
  const end = new Date(issuedAt.getTime() + lifetimeMs).toISOString()
  const begin = new Date(issuedAt.getTime() - minuteMs).toISOString()
  const audience = fault === 'wrong_audience' ? 'https://wrong.example/metadata' : serviceProvider.entityId
  const address = escapeXml(email)
  return (
    `<saml:Assertion xmlns:saml="${ns.assertion}" ID="${idOf(answer)}" Version="2.0"` +
    ` IssueInstant="${issuedAt.toISOString()}">` +
    `<saml:Issuer>${escapeXml(entityId)}</saml:Issuer>` +
    `<saml:Subject>` +
    `<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${address}</saml:NameID>` +
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">` +
    `<saml:SubjectConfirmationData Recipient="${escapeXml(serviceProvider.acsUrl)}" NotOnOrAfter="${end}"` +
    `${inResponseToOf(inResponseTo)}/></saml:SubjectConfirmation></saml:Subject>` +
    `<saml:Conditions NotBefore="${begin}" NotOnOrAfter="${end}">` +
    `<saml:AudienceRestriction><saml:Audience>${escapeXml(audience)}</saml:Audience></saml:AudienceRestriction>` +
    `</saml:Conditions>` +
    `<saml:AuthnStatement AuthnInstant="${issuedAt.toISOString()}"><saml:AuthnContext><saml:AuthnContextClassRef>` +
    `urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport` +
    `</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement><saml:Attribute Name="email">` +
    `<saml:AttributeValue>${address}</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>` +
    `</saml:Assertion>`
  )
}

function inResponseToOf(requestId: string | null): string {
  return requestId === null ? '' : ` InResponseTo="${escapeXml(requestId)}"`
}

/** The fault `replayed` gives all assertions of a user the same ID, so that the second one is refused. */
function idOf({ fault, entityId, email }: TestIdpAnswer): string {
  if (fault !== 'replayed') return newId()
  return `_${createHash('sha256').update(`${entityId} ${email}`).digest('hex')}`
}

function newId(): string {
  return `_${randomBytes(20).toString('hex')}`
}

/** Moves the signed assertion, and puts one for another user with its signature in its place (XML signature wrapping). */
function wrapped(answer: TestIdpAnswer, signed: string): Parts {
  const [signature = ''] = /<ds:Signature.*<\/ds:Signature>/s.exec(signed) ?? []
  const forged = toAssertion({ ...answer, fault: 'none' }, `somebody.else.${answer.email}`)
  return { extensions: signed, assertion: forged.replace('</saml:Issuer>', `</saml:Issuer>${signature}`) }
}

/** AES-256-GCM, its key by RSA-OAEP (XML Encryption 1.1, sections 5.2.4 and 5.5.2). */
function encrypted(assertion: string, certificate: string): string {
  const key = randomBytes(32)
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const content = Buffer.concat([
    nonce,
    cipher.update(assertion, 'utf8'),
    cipher.final(),
    cipher.getAuthTag(),
  ])
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  const sealedKey = publicEncrypt({ key: certificate, padding, oaepHash: 'sha1' }, key)
  const cipherData = (bytes: Buffer) =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`
  return (
    `<saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc="${ns.encryption}"` +
    ` Type="${ns.encryption}Element"><xenc:EncryptionMethod Algorithm="${algorithms.aes256Gcm}"/>` +
    `<ds:KeyInfo xmlns:ds="${ns.signature}"><xenc:EncryptedKey>` +
    `<xenc:EncryptionMethod Algorithm="${algorithms.rsaOaep}"/>${cipherData(sealedKey)}` +
    `</xenc:EncryptedKey></ds:KeyInfo>${cipherData(content)}</xenc:EncryptedData></saml:EncryptedAssertion>`
  )
}
