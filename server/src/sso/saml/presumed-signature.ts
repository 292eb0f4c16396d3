import { constants, createHash, verify } from 'node:crypto'
import { canonicalForm } from './canonical-form.js'
import { publicKeyOf } from './certificate-key.js'
import { algorithms, ns } from './saml-names.js'
import { childrenOf, onlyChildOf, elementText, type XmlElement } from './xml-tree.js'

/**
 * The certificate whose key has made the signature of an element; none, or one of those given.
 *
 * The library validates a response (covered-bytes.ts). But it takes a multiple of the time of these few lines on the tree that
 * exists already, above all for a document that was crafted to be slow; so it gets none whose signature they refuse. A
 * document has to pass both.
 *
 * @param owner An element whose signature is of the form that was checked.
 */
export function signersOf(owner: XmlElement, certificates: readonly string[]): string[] {
  const signature = onlyChildOf(owner, ns.signature, 'Signature')
  const info = onlyChildOf(signature, ns.signature, 'SignedInfo')
  const form = onlyChildOf(info, ns.signature, 'CanonicalizationMethod')
  const method = hashes[onlyChildOf(info, ns.signature, 'SignatureMethod')?.attributes.Algorithm ?? '']
  if (signature === undefined || info === undefined || form === undefined || method === undefined) return []
  if (!isDigestRight(owner, signature, info)) return []

  const signed = Buffer.from(canonicalForm(info, form))
  const value = Buffer.from(
    elementText(onlyChildOf(signature, ns.signature, 'SignatureValue')) ?? '',
    'base64',
  )
  const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
  return certificates.filter((pem) =>
    verify(method.hash, signed, { key: publicKeyOf(pem), ...(method.isPss ? pss : {}) }, value),
  )
}

function isDigestRight(owner: XmlElement, signature: XmlElement, info: XmlElement): boolean {
  const reference = onlyChildOf(info, ns.signature, 'Reference')
  const transforms = onlyChildOf(reference, ns.signature, 'Transforms')
  const form = transforms === undefined ? undefined : childrenOf(transforms, ns.signature, 'Transform')[1]
  const digest = hashes[onlyChildOf(reference, ns.signature, 'DigestMethod')?.attributes.Algorithm ?? '']
  if (form === undefined || digest === undefined) return false
  const value = createHash(digest.hash)
    .update(canonicalForm(owner, form, signature))
    .digest()
  const said = Buffer.from(elementText(onlyChildOf(reference, ns.signature, 'DigestValue')) ?? '', 'base64')
  return value.equals(said)
}

interface Hash {
  readonly hash: string
  readonly isPss?: boolean
}

const hashes: Readonly<Record<string, Hash | undefined>> = {
  [algorithms.sha1]: { hash: 'sha1' },
  [algorithms.sha256]: { hash: 'sha256' },
  [algorithms.sha384]: { hash: 'sha384' },
  [algorithms.sha512]: { hash: 'sha512' },
  [algorithms.rsaSha1]: { hash: 'sha1' },
  [algorithms.rsaSha256]: { hash: 'sha256' },
  [algorithms.rsaSha384]: { hash: 'sha384' },
  [algorithms.rsaSha512]: { hash: 'sha512' },
  [algorithms.rsaPssSha256]: { hash: 'sha256', isPss: true },
}
