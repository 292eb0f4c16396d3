import { SAML } from '@node-saml/node-saml'
import { decryptAssertion } from './decrypted-assertion.js'
import { isEnvelopedBy } from './enveloped-signature.js'
import { signersOf } from './presumed-signature.js'
import { readDecrypted, type ReadDocument } from './response-document.js'
import type { ResponseForm } from './response-form.js'
import { ns } from './saml-names.js'
import { onlyChildOf, type XmlElement } from './xml-tree.js'

/** The validated parts of a response. */
export interface Proof {
  /** The assertion as it is signed; undefined where a time in it is missing or unreadable. */
  readonly assertionXml: string | undefined
  /** The decrypted assertion, with its signature; undefined where it was not encrypted. */
  readonly decrypted: XmlElement | undefined
}

/** The keys that validate a response, all PEM: certificates of the identity provider, and keys of ours. */
interface ProofKeys {
  readonly certificates: readonly string[]
  readonly privateKeys: readonly string[]
}

/**
 * Decrypts the assertion, and verifies the signatures of response and assertion where they have one; undefined on any
 * failure, which is not told apart from another.
 */
export async function validateAssertion(
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
  // Nothing is decrypted in a response whose own signature is invalid.
  if (visible.some((signers) => signers.length === 0)) return undefined
  if (isEncrypted) return proveEncrypted(document, form, visible.flat(), keys)
  if (visible.length === 0) return undefined
  const isAssertionSigned = isSignedItself(assertion)
  const verified = await verify(document.xml, { signers: visible.flat(), isSigned, isAssertionSigned })
  return verified && { ...verified, decrypted: undefined }
}

/**
 * The signature of a response covers the encrypted bytes, so it is verified before. The library gets our plain text and no
 * key: a second decryptor could find another text in the same document.
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
    // Without a namespace around it, since it was signed without one.
    const response = `<Response>${plain.xml}</Response>`
    const verified = await verify(response, { signers: inside, isSigned: false, isAssertionSigned: true })
    return verified && { ...verified, decrypted: plain.root }
  }
  return undefined
}

interface Verification {
  readonly signers: readonly string[]
  readonly isSigned: boolean
  readonly isAssertionSigned: boolean
}

/** The library's verdict on a response in plain text. */
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
    // The library parses times after it has verified the signature, and before it gives the bytes.
    const isTime = error instanceof Error && error.message.startsWith('Error parsing ')
    return isTime ? { assertionXml: undefined } : undefined
  }
}

/** Required by the library's constructor, but not used here. */
const unused = { callbackUrl: 'unused', issuer: 'unused' }

/** Both are checked by us, with our clock and from the signed bytes; -1 accepts any time. */
const checkedByUs = { audience: false, acceptedClockSkewMs: -1 } as const

/** Errors of the key, the padding and the content are not told apart. */
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
