import {
  checkAssertion,
  checkAudience,
  checkConditions,
  checkIssuedAt,
  checkAssertionIssuer,
  checkRecipient,
  maxAgeMs,
  readAttributes,
  readNameId,
  readSubject,
  samlClockSkewMs,
  type Assertion,
} from './assertion.js'
import { CheckRefusal, runCheck, type CheckResult } from './checks.js'
import { checkEncryptionForm, checkNothingEncrypted } from './encryption-form.js'
import { validateAssertion } from './proof.js'
import { decodeResponse, readResponse, readSigned, type ReadDocument } from './response-document.js'
import { checkNesting, checkStatus, readResponseForm, type ResponseForm } from './response-form.js'
import { ns } from './saml-names.js'
import { checkSignatureForm, checkSomethingSigned } from './signature-form.js'
import { toFingerprints, toSigner } from './visible-signer.js'
import { isElement, onlyChildOf, type XmlElement } from './xml-tree.js'

/** The identity provider that a connection trusts, as its metadata describe it. */
export interface TrustedIdentityProvider {
  readonly entityId: string
  /** PEM; a signature by any one of them is valid. */
  readonly certificates: readonly string[]
}

/** The service provider that a response must be for. */
export interface ServiceProvider {
  readonly entityId: string
  readonly acsUrl: string
  /** PEM; an assertion may be encrypted to any one of them. */
  readonly privateKeys: readonly string[]
}

/** Exceptions that a connection allows. */
interface ResponseRules {
  readonly allowSha1: boolean
  readonly allowCbcUnsignedResponse: boolean
}

/** The results of the checks, up to the first that failed; the assertion where all succeeded. */
export interface Validation {
  readonly checks: readonly CheckResult[]
  readonly assertion: Assertion | undefined
  /** The subject of a signed assertion, also where a later check has failed: only to find the login attempt by. */
  readonly named: NamedSubject | undefined
}

/** The subject of an assertion, and its attributes. */
type NamedSubject = Pick<Assertion, 'nameId' | 'attributes'>

/** A response, and the values that it is validated against. */
export interface ResponseContext {
  readonly identityProvider: TrustedIdentityProvider
  readonly serviceProvider: ServiceProvider
  readonly rules: ResponseRules
  readonly at: Date
}

/** A parsed response and the results of its checks; without a document where one of them has failed. */
export interface OpenedResponse {
  readonly checks: readonly CheckResult[]
  readonly document: ReadDocument | undefined
}

/**
 * Parses a response, with the checks `encoding` and `document`. Nothing of it is validated.
 *
 * @param samlResponse The form field, as it came.
 */
export async function openResponse(samlResponse: unknown): Promise<OpenedResponse> {
  const checks: CheckResult[] = []
  try {
    const bytes = await runCheck(checks, 'encoding', () => decodeResponse(samlResponse))
    return { checks, document: await runCheck(checks, 'document', () => readResponse(bytes)) }
  } catch (error) {
    if (error instanceof CheckRefusal) return { checks, document: undefined }
    throw error
  }
}

/** The InResponseTo of an unvalidated response: only for finding the request that it claims to answer. */
export function claimedRequestOf({ document }: Pick<OpenedResponse, 'document'>): string | undefined {
  return document?.root.attributes.InResponseTo
}

/**
 * Validates a parsed response, by the checks of the contract up to `in_response_to`, in their order. Checks that need the
 * database (requests, replay, users) come later.
 */
export async function validateResponse(
  { checks: made, document }: OpenedResponse,
  context: ResponseContext,
): Promise<Validation> {
  const checks = [...made]
  let named: NamedSubject | undefined
  if (document === undefined) return { checks, named, assertion: undefined }
  try {
    const response = await checkForm(checks, document, context)
    const signed = await checkProof(checks, response, context)
    named = { nameId: readNameId(signed) ?? '', attributes: readAttributes(signed) }
    return { checks, named, assertion: await checkContent(checks, response.form, signed, context) }
  } catch (error) {
    if (error instanceof CheckRefusal) return { checks, named, assertion: undefined }
    throw error
  }
}

interface Response {
  readonly document: ReadDocument
  readonly form: ResponseForm
}

/** Checks the form of a response, before a key is used. */
async function checkForm(
  checks: CheckResult[],
  document: ReadDocument,
  { identityProvider, serviceProvider, rules }: ResponseContext,
): Promise<Response> {
  const { root } = document
  const form = await runCheck(checks, 'response', () => readResponseForm(root))
  await runCheck(checks, 'status', () => checkStatus(form))
  await runCheck(checks, 'signature_form', () => {
    checkSignatureForm(root, rules.allowSha1)
    checkSomethingSigned(form)
  })
  await runCheck(checks, 'encryption_form', () => checkEncryptionForm(form, rules.allowCbcUnsignedResponse))
  await runCheck(checks, 'response_issuer', () => {
    const issuer = onlyChildOf(root, ns.assertion, 'Issuer')
    if (issuer !== undefined) checkAssertionIssuer(issuer, identityProvider.entityId)
  })
  await runCheck(checks, 'destination', () => checkDestination(form, serviceProvider.acsUrl))
  return { document, form }
}

/** The signed assertion, without anything around it. */
async function checkProof(
  checks: CheckResult[],
  { document, form }: Response,
  { identityProvider, serviceProvider, rules }: ResponseContext,
): Promise<XmlElement> {
  const { certificates } = identityProvider
  const { signedXml, decrypted } = await runCheck(checks, 'signature', () => {
    const proof = validateAssertion(document, form, { certificates, own: serviceProvider })
    if (proof === undefined) throw new CheckRefusal(toSigner(form), toFingerprints(certificates))
    return proof
  })
  if (signedXml === undefined)
    return runCheck(checks, 'conditions', () => {
      throw new CheckRefusal('a time that is missing, or is not UTC')
    })

  return runCheck(checks, 'assertion', () => {
    const { root } = readSigned(signedXml)
    const signed = decrypted === undefined ? assertionIn(root) : root
    checkAssertion(signed)
    checkPlainForm(signed, rules.allowSha1)
    if (decrypted !== undefined) checkPlainForm(decrypted, rules.allowSha1)
    return signed
  })
}

/** The assertion of signed bytes: they are it, or a response around it, of which it is the only one. */
function assertionIn(root: XmlElement): XmlElement {
  return isElement(root, ns.protocol, 'Response')
    ? (onlyChildOf(root, ns.assertion, 'Assertion') ?? root)
    : root
}

/** A decrypted assertion must have the form of one that was never encrypted. */
function checkPlainForm(assertion: XmlElement, allowSha1: boolean): void {
  checkNesting(assertion, assertion)
  checkSignatureForm(assertion, allowSha1)
  checkNothingEncrypted(assertion)
}

/** Checks the content of the assertion, from its signed bytes. */
async function checkContent(
  checks: CheckResult[],
  { root }: ResponseForm,
  assertion: XmlElement,
  { identityProvider, serviceProvider, at }: ResponseContext,
): Promise<Assertion> {
  await runCheck(checks, 'issuer', () =>
    checkAssertionIssuer(onlyChildOf(assertion, ns.assertion, 'Issuer'), identityProvider.entityId),
  )
  const issuedAt = await runCheck(checks, 'issued_at', () => checkIssuedAt(assertion, at))
  const conditions = await runCheck(checks, 'conditions', () => checkConditions(assertion, at))
  await runCheck(checks, 'audience', () => checkAudience(assertion, serviceProvider.entityId))
  const confirmation = await runCheck(checks, 'recipient', () =>
    checkRecipient(assertion, serviceProvider.acsUrl, at),
  )
  const subject = await runCheck(checks, 'subject', () => readSubject(assertion, at))
  const { inResponseTo } = confirmation
  await runCheck(checks, 'in_response_to', () => {
    const { InResponseTo: outside } = root.attributes
    if ((outside ?? null) !== inResponseTo) throw new CheckRefusal(outside ?? 'none', inResponseTo ?? 'none')
  })
  const ends = [conditions.notOnOrAfter, confirmation.notOnOrAfter, new Date(issuedAt.getTime() + maxAgeMs)]
  const end = Math.min(...ends.map((time) => time?.getTime() ?? Infinity))
  return {
    ...subject,
    id: assertion.attributes.ID ?? '',
    inResponseTo,
    issuedAt,
    usableUntil: new Date(end + samlClockSkewMs),
    attributes: readAttributes(assertion),
  }
}

/** A signed response names its destination, so that it cannot be forwarded (SAML bindings section 3.5.5.2). */
function checkDestination({ root, isSigned }: ResponseForm, acsUrl: string): void {
  const { Destination: received } = root.attributes
  if (received === undefined && !isSigned) return
  if (received !== acsUrl) throw new CheckRefusal(received ?? 'none', acsUrl)
}
