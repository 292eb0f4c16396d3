import { randomBytes } from 'node:crypto'

/** The current time of the tests. */
export const at = new Date('2026-03-14T09:26:53.000Z')

/** A time relative to it, in the format of SAML. */
export function instant(seconds: number): string {
  return new Date(at.getTime() + seconds * 1000).toISOString()
}

export const idp = { entityId: 'https://idp.example/metadata' }
export const sp = {
  entityId: 'https://auth.example/saml/awesome/metadata',
  acsUrl: 'https://auth.example/saml/awesome/acs',
}
export const requestId = '_4a6f2b8c0d1e3f5a7b9c'

const names = {
  samlp: 'urn:oasis:names:tc:SAML:2.0:protocol',
  saml: 'urn:oasis:names:tc:SAML:2.0:assertion',
}

/** A random ID. */
export function newId(): string {
  return `_${randomBytes(16).toString('hex')}`
}

/** Deviations of a signature from the usual form. */
export interface SignatureParts {
  readonly canonical?: string
  readonly method?: string
  readonly digest?: string
  readonly transforms?: readonly string[]
  readonly uri?: string
  readonly keyInfo?: string
  /** Additional children of the signature. */
  readonly more?: string
}

export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#'
export const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature'
export const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'
export const sha256 = 'http://www.w3.org/2001/04/xmlenc#sha256'

/** The template of a signature over the element with this ID, for xmlsec1 to fill. */
export function signature(id: string, parts: SignatureParts = {}): string {
  const { canonical = exclusive, method = rsaSha256, digest = sha256, uri = `#${id}`, more = '' } = parts
  const { transforms = [enveloped, exclusive], keyInfo = '<ds:X509Data/>' } = parts
  const listed = transforms.map((each) => `<ds:Transform Algorithm="${each}"/>`).join('')
  return (
    `<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>` +
    `<ds:CanonicalizationMethod Algorithm="${canonical}"/><ds:SignatureMethod Algorithm="${method}"/>` +
    `<ds:Reference URI="${uri}"><ds:Transforms>${listed}</ds:Transforms>` +
    `<ds:DigestMethod Algorithm="${digest}"/><ds:DigestValue/></ds:Reference></ds:SignedInfo>` +
    `<ds:SignatureValue/>${keyInfo === '' ? '' : `<ds:KeyInfo>${keyInfo}</ds:KeyInfo>`}${more}</ds:Signature>`
  )
}

/** Parts of an assertion that replace the usual ones; each text is inserted at the position of its name. */
export interface AssertionParts {
  readonly id?: string
  readonly version?: string
  readonly issuer?: string
  readonly issueInstant?: string
  /** The template of its signature, or nothing. */
  readonly signature?: string
  readonly nameId?: string
  readonly subject?: string
  readonly confirmations?: string
  readonly conditions?: string
  readonly authnStatement?: string
  readonly attributes?: string
  readonly more?: string
}

export function assertion(parts: AssertionParts = {}): string {
  const { id = newId(), version = '2.0', issuer = `<saml:Issuer>${idp.entityId}</saml:Issuer>` } = parts
  const { issueInstant = instant(-5), nameId = nameIdOf('ada@awesome.example') } = parts
  const { confirmations = confirmation(), conditions = conditionsOf() } = parts
  const { subject = `<saml:Subject>${nameId}${confirmations}</saml:Subject>` } = parts
  const { authnStatement = authnStatementOf(), attributes = attributesOf({ email: 'ada@awesome.example' }) } =
    parts
  return (
    `<saml:Assertion xmlns:saml="${names.saml}" ID="${id}" Version="${version}" IssueInstant="${issueInstant}">` +
    `${issuer}${parts.signature ?? ''}${subject}${conditions}${authnStatement}${attributes}${parts.more ?? ''}` +
    `</saml:Assertion>`
  )
}

export function nameIdOf(text: string): string {
  return `<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${text}</saml:NameID>`
}

/** A confirmation with these attributes of its data; undefined omits one. */
export function confirmation(
  changes: Readonly<Record<string, string | undefined>> = {},
  method = 'urn:oasis:names:tc:SAML:2.0:cm:bearer',
): string {
  const data = { Recipient: sp.acsUrl, NotOnOrAfter: instant(300), InResponseTo: requestId, ...changes }
  return (
    `<saml:SubjectConfirmation Method="${method}"><saml:SubjectConfirmationData${toAttributes(data)}/>` +
    `</saml:SubjectConfirmation>`
  )
}

export function conditionsOf(
  changes: Readonly<Record<string, string | undefined>> = {},
  content = audience(sp.entityId),
): string {
  const times = { NotBefore: instant(-5), NotOnOrAfter: instant(300), ...changes }
  return `<saml:Conditions${toAttributes(times)}>${content}</saml:Conditions>`
}

export function audience(...entityIds: readonly string[]): string {
  const listed = entityIds.map((entityId) => `<saml:Audience>${entityId}</saml:Audience>`)
  return `<saml:AudienceRestriction>${listed.join('')}</saml:AudienceRestriction>`
}

export function authnStatementOf(attributes = `AuthnInstant="${instant(-10)}" SessionIndex="s1"`): string {
  return (
    `<saml:AuthnStatement ${attributes}><saml:AuthnContext><saml:AuthnContextClassRef>` +
    `urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport` +
    `</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`
  )
}

/** A statement with one value for each name. */
export function attributesOf(values: Readonly<Record<string, string>>): string {
  const listed = Object.entries(values).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
  )
  return `<saml:AttributeStatement>${listed.join('')}</saml:AttributeStatement>`
}

export interface ResponseParts {
  readonly id?: string
  readonly version?: string
  readonly issuer?: string
  readonly signature?: string
  readonly status?: string
  /** The assertion, plain or encrypted, and any siblings. */
  readonly content?: string
  readonly destination?: string | undefined
  readonly inResponseTo?: string | undefined
}

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'

export function response(parts: ResponseParts = {}): string {
  const { id = newId(), version = '2.0', content = assertion() } = parts
  const { issuer = `<saml:Issuer xmlns:saml="${names.saml}">${idp.entityId}</saml:Issuer>` } = parts
  const { status = statusOf(`<samlp:StatusCode Value="${success}"/>`) } = parts
  const attributes = {
    ID: id,
    Version: version,
    IssueInstant: instant(-5),
    Destination: sp.acsUrl,
    InResponseTo: requestId,
    ...('destination' in parts ? { Destination: parts.destination } : {}),
    ...('inResponseTo' in parts ? { InResponseTo: parts.inResponseTo } : {}),
  }
  return (
    `<samlp:Response xmlns:samlp="${names.samlp}"${toAttributes(attributes)}>` +
    `${issuer}${parts.signature ?? ''}${status}${content}</samlp:Response>`
  )
}

export function statusOf(content: string): string {
  return `<samlp:Status>${content}</samlp:Status>`
}

function toAttributes(values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${value}"`))
    .join('')
}
