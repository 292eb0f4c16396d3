import {
  checkAssertion,
  checkAudience,
  checkConditions,
  checkIssuedAt,
  checkIssuer,
  checkRecipient,
  maxAgeMs,
  readAttributes,
  readNameId,
  readSubject,
  skewMs,
  type Assertion,
} from './assertion.js'
import { Refusal, runCheck, type CheckResult } from './checks.js'
import { checkEncryptionForm, checkNothingEncrypted } from './encryption-form.js'
import { proveAssertion } from './proof.js'
import { decodeResponse, readResponse, readSigned, type ReadDocument } from './response-document.js'
import { checkNesting, checkStatus, readResponseForm, type ResponseForm } from './response-form.js'
import { ns } from './saml-names.js'
import { checkSignatureForm, checkSomethingSigned } from './signature-form.js'
import { toFingerprints, toSigner } from './visible-signer.js'
import { onlyChildOf, type XmlElement } from './xml-tree.js'

/** Whose word counts: what the metadata of a connection say. */
export interface TrustedIdentityProvider {
  readonly entityId: string
  /** PEM; a signature by any one of them is right. */
  readonly certificates: readonly string[]
}

/** Whom a response is for. */
export interface ServiceProvider {
  readonly entityId: string
  readonly acsUrl: string
  /** PEM; an assertion may be encrypted to any one of them. */
  readonly privateKeys: readonly string[]
}

/** What a connection takes that is refused otherwise. */
interface ResponseRules {
  readonly allowSha1: boolean
  readonly allowCbcUnsignedResponse: boolean
}

/** The checks that a response went through, up to the first that refused it; the assertion where none has. */
export interface Validation {
  readonly checks: readonly CheckResult[]
  readonly assertion: Assertion | undefined
  /** Whom a signed assertion names, also where a later check has refused it: to find a sign-in by, and for nothing else. */
  readonly named: NamedSubject | undefined
}

/** Whom an assertion names, and what it says of them. */
type NamedSubject = Pick<Assertion, 'nameId' | 'attributes'>

/** A response, and what it is held against. */
export interface ResponseContext {
  readonly identityProvider: TrustedIdentityProvider
  readonly serviceProvider: ServiceProvider
  readonly rules: ResponseRules
  readonly at: Date
}

/** A response as it was read, and by which checks; without a document where one of them has refused it. */
export interface OpenedResponse {
  readonly checks: readonly CheckResult[]
  readonly document: ReadDocument | undefined
}

/**
 * Reads a response by the checks `encoding` and `document`. Nothing of it is proved.
 *
 * @param samlResponse The form field, as it came.
 */
export async function openResponse(samlResponse: unknown): Promise<OpenedResponse> {
  const checks: CheckResult[] = []
  try {
    const bytes = await runCheck(checks, 'encoding', () => decodeResponse(samlResponse))
    return { checks, document: await runCheck(checks, 'document', () => readResponse(bytes)) }
  } catch (error) {
    if (error instanceof Refusal) return { checks, document: undefined }
    throw error
  }
}

/**
 * The InResponseTo of a response of which nothing is proved: good for choosing which request it claims to answer, and for
 * nothing else.
 */
export function claimedRequestOf({ document }: Pick<OpenedResponse, 'document'>): string | undefined {
  return document?.root.attributes.InResponseTo
}

/**
 * Proves a response that was read, by the checks up to `in_response_to` of the contract, in their order. What only the
 * database knows (requests, replay, users) comes after, and is not checked here.
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
    const proved = await checkProof(checks, response, context)
    named = { nameId: readNameId(proved) ?? '', attributes: readAttributes(proved) }
    return { checks, named, assertion: await checkContent(checks, response.form, proved, context) }
  } catch (error) {
    if (error instanceof Refusal) return { checks, named, assertion: undefined }
    throw error
  }
}

interface Response {
  readonly document: ReadDocument
  readonly form: ResponseForm
}

/** What anybody can see of a response, before a key is used. */
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
    if (issuer !== undefined) checkIssuer(issuer, identityProvider.entityId)
  })
  await runCheck(checks, 'destination', () => checkDestination(form, serviceProvider.acsUrl))
  return { document, form }
}

/** The assertion as it is signed, and nothing around it. */
async function checkProof(
  checks: CheckResult[],
  { document, form }: Response,
  { identityProvider, serviceProvider, rules }: ResponseContext,
): Promise<XmlElement> {
  const { certificates } = identityProvider
  const { privateKeys } = serviceProvider
  const { assertionXml, decrypted } = await runCheck(checks, 'signature', async () => {
    const proof = await proveAssertion(document, form, { certificates, privateKeys })
    if (proof === undefined) throw new Refusal(toSigner(form), toFingerprints(certificates))
    return proof
  })
  if (assertionXml === undefined)
    return runCheck(checks, 'conditions', () => {
      throw new Refusal('a time that is missing, or is not UTC')
    })

  return runCheck(checks, 'assertion', () => {
    const signed = readSigned(assertionXml).root
    checkAssertion(signed)
    checkPlainForm(signed, rules.allowSha1)
    if (decrypted !== undefined) checkPlainForm(decrypted, rules.allowSha1)
    return signed
  })
}

/** What was hidden by encryption has the form that is demanded of what was not. */
function checkPlainForm(assertion: XmlElement, allowSha1: boolean): void {
  checkNesting(assertion, assertion)
  checkSignatureForm(assertion, allowSha1)
  checkNothingEncrypted(assertion)
}

/** What the assertion says, from its signed bytes. */
async function checkContent(
  checks: CheckResult[],
  { root }: ResponseForm,
  assertion: XmlElement,
  { identityProvider, serviceProvider, at }: ResponseContext,
): Promise<Assertion> {
  await runCheck(checks, 'issuer', () =>
    checkIssuer(onlyChildOf(assertion, ns.assertion, 'Issuer'), identityProvider.entityId),
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
    if ((outside ?? null) !== inResponseTo) throw new Refusal(outside ?? 'none', inResponseTo ?? 'none')
  })
  const ends = [conditions.notOnOrAfter, confirmation.notOnOrAfter, new Date(issuedAt.getTime() + maxAgeMs)]
  const end = Math.min(...ends.map((time) => time?.getTime() ?? Infinity))
  return {
    ...subject,
    id: assertion.attributes.ID ?? '',
    inResponseTo,
    issuedAt,
    usableUntil: new Date(end + skewMs),
    attributes: readAttributes(assertion),
  }
}

/** A response that is signed says where it goes, so that it cannot be sent on (SAML bindings section 3.5.5.2). */
function checkDestination({ root, isSigned }: ResponseForm, acsUrl: string): void {
  const { Destination: received } = root.attributes
  if (received === undefined && !isSigned) return
  if (received !== acsUrl) throw new Refusal(received ?? 'none', acsUrl)
}
