import { SAML } from '@node-saml/node-saml'
import { decryptAssertion } from './decrypted-assertion.js'
import { isEnvelopedBy } from './enveloped-signature.js'
import { signersOf } from './presumed-signature.js'
import { readDecrypted, type ReadDocument } from './response-document.js'
import type { ResponseForm } from './response-form.js'
import { ns } from './saml-names.js'
import { onlyChildOf, type XmlElement } from './xml-tree.js'

/** What of a response is proved. */
export interface Proof {
  /** The assertion as a signature covers it; undefined where a time in it is missing or unreadable. */
  readonly assertionXml: string | undefined
  /** What was encrypted, with its signature in it; undefined where nothing was. */
  readonly decrypted: XmlElement | undefined
}

/** By which a response is proved, all PEM: certificates of the identity provider, and keys of ours. */
interface ProofKeys {
  readonly certificates: readonly string[]
  readonly privateKeys: readonly string[]
}

/**
 * Decrypts, and verifies the signature of the response and of the assertion where they have one; undefined where any of it
 * fails, and nothing tells which.
 */
export async function proveAssertion(
  document: ReadDocument,
  form: ResponseForm,
  keys: ProofKeys,
): Promise<Proof | undefined> {
  const { root, assertion, isSigned, isEncrypted } = form
  const { certificates } = keys
  const owners = [isSigned ? root : undefined, isSignedItself(assertion) ? assertion : undefined].filter(
    isThere,
  )
  const visible = owners.map((owner) => signersOf(owner, certificates))
  // Nothing is decrypted in a response whose own signature is wrong.
  if (visible.some((signers) => signers.length === 0)) return undefined
  if (isEncrypted) return proveEncrypted(document, form, visible.flat(), keys)
  if (visible.length === 0) return undefined
  const isAssertionSigned = isSignedItself(assertion)
  const proved = await verify(document.xml, { signers: visible.flat(), isSigned, isAssertionSigned })
  return proved && { ...proved, decrypted: undefined }
}

/**
 * The signature of a response is over the encrypted bytes, so it is verified before. Of what comes out, the library gets
 * our plain text and no key: a second decryptor could find another text in the same document.
 */
async function proveEncrypted(
  { xml }: ReadDocument,
  { root, assertion, isSigned }: ResponseForm,
  signers: readonly string[],
  { certificates, privateKeys }: ProofKeys,
): Promise<Proof | undefined> {
  const around = onlyChildOf(root, ns.signature, 'Signature')
  if (isSigned && (around === undefined || !isEnvelopedBy(signers, xml, around))) return undefined
  for (const privateKey of privateKeys) {
    const plain = assertion === undefined ? undefined : tryDecrypt(assertion, privateKey)
    if (plain === undefined) continue
    if (!isSignedItself(plain.root))
      return isSigned ? { assertionXml: plain.xml, decrypted: plain.root } : undefined
    const inside = signersOf(plain.root, certificates)
    if (inside.length === 0) return undefined
    // Without a namespace around it, which the text did not have where it was signed.
    const response = `<Response>${plain.xml}</Response>`
    const proved = await verify(response, { signers: inside, isSigned: false, isAssertionSigned: true })
    return proved && { ...proved, decrypted: plain.root }
  }
  return undefined
}

interface Verification {
  readonly signers: readonly string[]
  readonly isSigned: boolean
  readonly isAssertionSigned: boolean
}

/** What the library says of a response in the clear that has passed so far. */
async function verify(
  xml: string,
  { signers, isSigned, isAssertionSigned }: Verification,
): Promise<Pick<Proof, 'assertionXml'> | undefined> {
  const verifier = new SAML({
    ...unused,
    ...checkedByUs,
    idpCert: [...signers],
    wantAuthnResponseSigned: isSigned,
    wantAssertionsSigned: isAssertionSigned,
  })
  try {
    const SAMLResponse = Buffer.from(xml).toString('base64')
    const { profile } = await verifier.validatePostResponseAsync({ SAMLResponse })
    const assertionXml = profile?.getAssertionXml?.()
    return assertionXml === undefined ? undefined : { assertionXml }
  } catch (error) {
    // It reads times once the signature is right, and before it gives the bytes.
    const isTime = error instanceof Error && error.message.startsWith('Error parsing ')
    return isTime ? { assertionXml: undefined } : undefined
  }
}

/** Demanded by the library's constructor, and read by nothing that runs here. */
const unused = { callbackUrl: 'unused', issuer: 'unused' }

/** By the clock that we are given, and from the bytes that are proved. -1 is at any time. */
const checkedByUs = { audience: false, acceptedClockSkewMs: -1 } as const

/** Whatever fails, of the key, of the padding or of what comes out, fails alike. */
function tryDecrypt(assertion: XmlElement, privateKey: string): ReadDocument | undefined {
  try {
    return readDecrypted(decryptAssertion(assertion, privateKey))
  } catch {
    return undefined
  }
}

function isSignedItself(element: XmlElement | undefined): boolean {
  return onlyChildOf(element, ns.signature, 'Signature') !== undefined
}

function isThere(element: XmlElement | undefined): element is XmlElement {
  return element !== undefined
}
