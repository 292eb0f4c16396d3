import { hasSeveralConditions, lacksTime } from './assertion.js'
import { coveredBytes, type SignedDocument } from './covered-bytes.js'
import { decryptAssertion } from './decrypted-assertion.js'
import { signersOf } from './presumed-signature.js'
import { readDecrypted, type ReadDocument } from './response-document.js'
import type { ResponseForm } from './response-form.js'
import { ns } from './saml-names.js'
import { hasLongPrefixList } from './signature-form.js'
import { onlyChildOf, type XmlElement } from './xml-tree.js'

/** The validated parts of a response. */
export interface Proof {
  /** The assertion as it is signed, or the response around it; undefined where a time in it is missing or unreadable. */
  readonly signedXml: string | undefined
  /** The decrypted assertion, with its signature; undefined where it was not encrypted. */
  readonly decrypted: XmlElement | undefined
}

/** The keys that validate a response, all PEM. */
interface ProofKeys {
  /** Of the identity provider. */
  readonly certificates: readonly string[]
  /** Ours, which may be sealed until they are asked for. */
  readonly own: { readonly privateKeys: readonly string[] }
}

/**
 * Decrypts the assertion, and verifies the signatures of response and assertion where they have one; undefined on any
 * failure, which is not told apart from another.
 */
export function validateAssertion(
  document: ReadDocument,
  form: ResponseForm,
  keys: ProofKeys,
): Proof | undefined {
  const { root, assertion, isSigned, isEncrypted } = form
  const owners = [isSigned ? root : undefined, isSignedItself(assertion) ? assertion : undefined].filter(
    isThere,
  )
  const visible = owners.map((owner) => signersOf(owner, keys.certificates))
  // Nothing is decrypted in a response whose own signature is invalid.
  if (visible.some((signers) => signers.length === 0)) return undefined
  if (isEncrypted) return proveEncrypted(document, form, visible.flat(), keys)
  if (visible.length === 0 || assertion === undefined) return undefined
  const { xml } = document
  const isAssertionSigned = isSignedItself(assertion)
  const signedXml = verify(assertion, { xml, signers: visible.flat(), isSigned, isAssertionSigned })
  return signedXml && { ...signedXml, decrypted: undefined }
}

/**
 * The signature of a response covers the encrypted bytes, so it is verified before. The library gets our plain text and no
 * key: a second decryptor could find another text in the same document.
 */
function proveEncrypted(
  { xml }: ReadDocument,
  { assertion, isSigned }: ResponseForm,
  signers: readonly string[],
  { certificates, own }: ProofKeys,
): Proof | undefined {
  const around = { xml, signers, isSigned, isAssertionSigned: false }
  if (isSigned && coveredBytes(around) === undefined) return undefined
  for (const privateKey of own.privateKeys) {
    const plain = assertion === undefined ? undefined : tryDecrypt(assertion, privateKey)
    if (plain === undefined) continue
    const { xml: plainXml, root: decrypted } = plain
    if (!isSignedItself(decrypted)) return isSigned ? { signedXml: plainXml, decrypted } : undefined
    // Anybody can encrypt for us: the form of the signature is checked only once it has been verified.
    if (hasLongPrefixList(decrypted)) return undefined
    const inside = signersOf(decrypted, certificates)
    if (inside.length === 0) return undefined
    const alone = { xml: plainXml, signers: inside, isSigned: false, isAssertionSigned: true }
    const verified = verify(decrypted, alone)
    return verified && { ...verified, decrypted }
  }
  return undefined
}

/** The library's verdict on a response or an assertion in plain text. */
function verify(assertion: XmlElement, signed: SignedDocument): Pick<Proof, 'signedXml'> | undefined {
  const signedXml = coveredBytes(signed)
  if (signedXml === undefined || hasSeveralConditions(assertion)) return undefined
  return { signedXml: lacksTime(assertion) ? undefined : signedXml }
}

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
