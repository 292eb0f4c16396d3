import { algorithms, bindings, escapeXml, ns } from './saml-names.js'

/** The content of our metadata for a connection. */
interface ServiceProviderDescription {
  readonly entityId: string
  readonly acsUrl: string
  /** PEM; the signing one first. */
  readonly certificates: readonly string[]
}

/** Our metadata for a connection (SAML metadata section 2.4.4). */
export function toServiceProviderMetadata({
  entityId,
  acsUrl,
  certificates,
}: ServiceProviderDescription): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${ns.metadata}" xmlns:ds="${ns.signature}" entityID="${escapeXml(entityId)}">
  <md:SPSSODescriptor AuthnRequestsSigned="true" WantAssertionsSigned="true" protocolSupportEnumeration="${ns.protocol}">
${certificates.map((pem) => keyDescriptor('signing', pem)).join('')}${certificates
    .map((pem) => keyDescriptor('encryption', pem, openedAlgorithms))
    .join('')}    <md:NameIDFormat>${nameIdFormat}</md:NameIDFormat>
    <md:AssertionConsumerService Binding="${bindings.post}" Location="${escapeXml(acsUrl)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`
}

/** The advertised encryption algorithms: those that are accepted under every setting of a connection. */
const openedAlgorithms = [algorithms.aes256Gcm, algorithms.aes128Gcm, algorithms.rsaOaep]

const nameIdFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'

function keyDescriptor(use: 'signing' | 'encryption', pem: string, methods: readonly string[] = []): string {
  return `    <md:KeyDescriptor use="${use}">
      <ds:KeyInfo>
        <ds:X509Data>
          <ds:X509Certificate>${toBase64(pem)}</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
${methods.map((method) => `      <md:EncryptionMethod Algorithm="${method}"/>\n`).join('')}    </md:KeyDescriptor>
`
}

function toBase64(pem: string): string {
  return pem.replace(/-----[A-Z ]+-----|\s/g, '')
}
