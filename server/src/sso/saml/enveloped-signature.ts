import { createHash, createPublicKey, verify } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import { canonicalForm } from './canonical-form.js'
import { algorithms } from './saml-names.js'
import type { XmlElement } from './xml-tree.js'

/** Signs the root of a document; the signature follows the issuer, where the schema has it (SAML core section 3.2.1). */
export function signEnveloped(xml: string, privateKey: string): string {
  const signature = new SignedXml({
    privateKey,
    signatureAlgorithm: algorithms.rsaSha256,
    canonicalizationAlgorithm: algorithms.exclusive,
  })
  signature.addReference({
    xpath: '/*',
    transforms: [algorithms.enveloped, algorithms.exclusive],
    digestAlgorithm: algorithms.sha256,
  })
  signature.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: "/*/*[local-name()='Issuer']", action: 'after' },
  })
  return signature.getSignedXml()
}

/**
 * Whether a document is signed by one of the certificates, by the library that node-saml uses.
 *
 * @param signature Of the document's root, in a form that was checked.
 */
export function isEnvelopedBy(certificates: readonly string[], xml: string, signature: XmlElement): boolean {
  return certificates.some((publicCert) => {
    // The certificate inside the signature is not trusted, since anybody can put one there.
    const verifier = new SignedXml({ publicCert, getCertFromKeyInfo: () => null })
    try {
      verifier.loadSignature(canonicalForm(signature))
      return verifier.checkSignature(xml)
    } catch {
      return false
    }
  })
}

/** SHA-384, which the library lacks; only for verification. */
const ofSha384 = {
  findHashAlgorithm: {
    name: algorithms.sha384,
    algorithm: { getHash: (text: string) => createHash('sha384').update(text, 'utf8').digest('base64') },
  },
  findSignatureAlgorithm: {
    name: algorithms.rsaSha384,
    algorithm: {
      verifySignature: (signed: string, certificate: string, value: string) => {
        const key = createPublicKey(certificate)
        return (
          key.asymmetricKeyType === 'rsa' &&
          verify('sha384', Buffer.from(signed), key, Buffer.from(value, 'base64'))
        )
      },
    },
  },
} as const

/**
 * Algorithms are registered by instance, and node-saml makes its own. So the look-up of every instance is replaced, which
 * adds these two names and changes no other.
 */
const lookups = SignedXml.prototype as unknown as Record<
  keyof typeof ofSha384,
  (this: SignedXml, name: unknown) => unknown
>
for (const find of ['findHashAlgorithm', 'findSignatureAlgorithm'] as const) {
  const known = lookups[find]
  const { name: own, algorithm } = ofSha384[find]
  lookups[find] = function (name) {
    return name === own ? algorithm : known.call(this, name)
  }
}
