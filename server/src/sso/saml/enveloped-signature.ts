import { SignedXml } from 'xml-crypto'
import { algorithms } from './saml-names.js'

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
