import { SignedXml } from 'xml-crypto'
import { canonicalForm } from './canonical-form.js'
import { algorithms } from './saml-names.js'
import type { XmlElement } from './xml-tree.js'

/** A document with a signature of its root, which follows the issuer, where the schema has it (SAML core section 3.2.1). */
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
 * Whether a document is signed by one of the certificates, as the library finds that node-saml verifies with.
 *
 * @param signature Of the document's root, and of the form that was checked.
 */
export function isEnvelopedBy(certificates: readonly string[], xml: string, signature: XmlElement): boolean {
  return certificates.some((publicCert) => {
    // The certificate that a signature carries is whoever's has made it.
    const verifier = new SignedXml({ publicCert, getCertFromKeyInfo: () => null })
    try {
      verifier.loadSignature(canonicalForm(signature))
      return verifier.checkSignature(xml)
    } catch {
      return false
    }
  })
}
