import { createHash, X509Certificate } from 'node:crypto'
import type { ResponseForm } from './response-form.js'
import { ns } from './saml-names.js'
import { onlyChildOf, elementText, type XmlElement } from './xml-tree.js'

/**
 * The signer that a response claims, only for the login attempt. It does not depend on how validation failed, so that it
 * reveals nothing of our keys.
 */
export function toSigner({ root, assertion, isEncrypted }: ResponseForm): string {
  const signature = signatureOf(root) ?? signatureOf(assertion)
  if (signature === undefined) return isEncrypted ? 'an encrypted assertion' : 'no signature'
  const data = onlyChildOf(onlyChildOf(signature, ns.signature, 'KeyInfo'), ns.signature, 'X509Data')
  const certificate = elementText(onlyChildOf(data, ns.signature, 'X509Certificate'))
  if (certificate === undefined) return 'a signature that names no certificate'
  const fingerprint = createHash('sha256').update(Buffer.from(certificate, 'base64')).digest('hex')
  return `a signature that names the certificate ${fingerprint}`
}

/** The certificates of the metadata, as `toSigner` names one. */
export function toFingerprints(certificates: readonly string[]): string {
  const fingerprints = certificates.map((pem) => new X509Certificate(pem).fingerprint256)
  return `the certificate ${fingerprints.map((each) => each.replaceAll(':', '').toLowerCase()).join(' or ')}`
}

function signatureOf(element: XmlElement | undefined): XmlElement | undefined {
  return onlyChildOf(element, ns.signature, 'Signature')
}
