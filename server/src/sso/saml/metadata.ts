import { X509Certificate, type KeyObject } from 'node:crypto'
import { isLoopbackHost } from '../../platform/loopback.js'
import { bindings, ns } from './saml-names.js'
import {
  childrenOf,
  isElement,
  onlyChildOf,
  readXmlTree,
  elementText,
  walk,
  XmlFault,
  type XmlElement,
} from './xml-tree.js'

/** A signing certificate as it is stored with the metadata. */
export interface StoredCertificate {
  readonly pem: string
  /** 64 hexadecimal digits. */
  readonly fingerprint_sha256: string
  readonly subject: string
  /** RFC 3339. */
  readonly not_before: string
  readonly not_after: string
}

/** The parts of an identity provider's metadata that we use. At least one of the two addresses is there. */
export interface IdpMetadata {
  readonly entityId: string
  readonly redirectUrl: string | null
  readonly postUrl: string | null
  /** One to ten, distinct. */
  readonly certificates: readonly StoredCertificate[]
  readonly validUntil: Date | null
}

/** Why metadata are refused, in a sentence that says what would be right. */
export const metadataFaults = {
  not_xml:
    'This is not a well-formed XML document. Upload the file exactly as your identity provider exports it.',
  too_large:
    'This is too large: the metadata of one identity provider has at most 512,000 characters and 8,000 elements.',
  web_page:
    'This is a web page. Open the address of the metadata in a browser, and save the page as an XML file.',
  unusual_xml:
    'Metadata must not contain a document type, CDATA or processing instructions. Export it again.',
  only_certificate:
    'This is only a certificate. Upload the metadata, an XML file that contains the certificate.',
  not_metadata:
    'This is not the metadata of a SAML identity provider: it has no IDPSSODescriptor. Export the metadata again.',
  service_provider:
    'This is the metadata of a service provider, perhaps our own. Upload the metadata of your identity provider.',
  several_identity_providers:
    'This metadata lists several identity providers. Upload a file that contains only the EntityDescriptor of yours.',
  not_saml_2: 'This metadata is not for SAML 2.0. Choose SAML 2.0 where you export the metadata.',
  entity_id: 'The EntityDescriptor needs an entityID of 1 to 1,024 characters.',
  no_certificate:
    'The metadata has no signing certificate. Export it with the certificate, as the X509Certificate of a KeyDescriptor.',
  too_many_certificates: 'The metadata has more than ten signing certificates. Remove the expired ones.',
  certificate_unreadable:
    'A signing certificate cannot be read. It must be an X.509 certificate, as DER in base64. Export the metadata again.',
  key_not_rsa:
    'The identity provider signs with a key that is not RSA. Choose a signing certificate with an RSA key of 2,048 bits or more.',
  key_too_short:
    'A signing key is shorter than 2,048 bits. Replace it with an RSA key of 2,048 bits or more, and export the metadata again.',
  no_address:
    'The metadata has no SingleSignOnService with the binding HTTP-Redirect or HTTP-POST. Enable one of them.',
  address_not_https:
    'The location of the SingleSignOnService must be an https URL of at most 2,000 characters, without a user name or a fragment.',
} as const
export type MetadataFaultCode = keyof typeof metadataFaults

export class MetadataFault extends Error {
  override readonly name = 'MetadataFault'

  constructor(
    readonly code: MetadataFaultCode,
    options?: ErrorOptions,
  ) {
    super(metadataFaults[code], options)
  }
}

/**
 * Reads the metadata of one identity provider (SAML metadata section 2.4.3). The rest of the file is ignored, such as the
 * roles of WS-Federation in those of AD FS; so is its signature, since the uploader is trusted.
 *
 * An expired certificate is accepted: it only carries the key that the metadata name.
 *
 * @throws MetadataFault
 */
export function readIdpMetadata(xml: string): IdpMetadata {
  const root = readTree(xml)
  const entity = identityProviderIn(root)
  const entityId = entity.attributes.entityID ?? ''
  if (entityId === '' || entityId.length > 1024) throw new MetadataFault('entity_id')

  const role = childrenOf(entity, ns.metadata, 'IDPSSODescriptor').find(speaksSaml2)
  if (role === undefined) throw new MetadataFault('not_saml_2')
  const redirectUrl = addressOf(role, bindings.redirect)
  const postUrl = addressOf(role, bindings.post)
  if (redirectUrl === null && postUrl === null) throw new MetadataFault('no_address')
  return {
    entityId,
    redirectUrl,
    postUrl,
    certificates: signingCertificatesOf(role),
    validUntil: earliest([root, entity, role].map((element) => element.attributes.validUntil)),
  }
}

/** The contract's limit of the text; the metadata of a provider are a twentieth of it, those of AD FS a fifth. */
const limits = {
  length: 512_000,
  elements: 8000,
  names: 1000,
  depth: 40,
  attributes: 40,
  allAttributes: 40_000,
  comments: true,
}
const maxCertificates = 10
/** Including the authorities in certificate chains. */
const maxListed = 50
const minModulusBits = 2048
const maxAddressLength = 2000

function readTree(xml: string): XmlElement {
  if (xml.length > limits.length) throw new MetadataFault('too_large')
  if (/^\s*(<!doctype html|<html)/i.test(xml.slice(0, 1000))) throw new MetadataFault('web_page')
  if (/^\s*-----BEGIN /.test(xml.slice(0, 1000))) throw new MetadataFault('only_certificate')
  try {
    return readXmlTree(xml.trimStart(), limits)
  } catch (error) {
    if (!(error instanceof XmlFault)) throw error
    throw new MetadataFault(codeOfKind[error.kind], { cause: error })
  }
}

const codeOfKind = { size: 'too_large', markup: 'unusual_xml', form: 'not_xml' } as const

/** The one entity that is an identity provider; a federation's file may have other entities beside it. */
function identityProviderIn(root: XmlElement): XmlElement {
  const entities = [...walk(root)].filter((element) => isElement(element, ns.metadata, 'EntityDescriptor'))
  const has = (role: string) => (entity: XmlElement) => childrenOf(entity, ns.metadata, role).length > 0
  const [entity, ...others] = entities.filter(has('IDPSSODescriptor'))
  if (others.length > 0) throw new MetadataFault('several_identity_providers')
  if (entity !== undefined) return entity
  throw new MetadataFault(entities.some(has('SPSSODescriptor')) ? 'service_provider' : 'not_metadata')
}

function speaksSaml2(role: XmlElement): boolean {
  return (role.attributes.protocolSupportEnumeration ?? '').split(/\s+/).includes(ns.protocol)
}

/** The first address of a binding, unchanged: the identity provider compares it as Destination. */
function addressOf(role: XmlElement, binding: string): string | null {
  const services = childrenOf(role, ns.metadata, 'SingleSignOnService')
  const location = services.find(({ attributes }) => attributes.Binding === binding)?.attributes.Location
  if (location === undefined) return null
  if (!isAddress(location)) throw new MetadataFault('address_not_https')
  return location
}

/** Browsers are sent to the address: https, or http on a loopback address, which does not leave the user's computer. */
function isAddress(location: string): boolean {
  if (location.length > maxAddressLength || !/^[\x21-\x7e]+$/.test(location) || !URL.canParse(location))
    return false
  const { protocol, hostname, username, password } = new URL(location)
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return isSafe && username === '' && password === '' && !location.includes('#')
}

function signingCertificatesOf(role: XmlElement): StoredCertificate[] {
  const descriptors = childrenOf(role, ns.metadata, 'KeyDescriptor').filter(
    // Without a use it is for both (SAML metadata section 2.4.1.1).
    ({ attributes }) => attributes.use === undefined || attributes.use === 'signing',
  )
  const listed = descriptors.flatMap(x509DataOf)
  // Counted before parsing, since finding the ends of chains compares each with each.
  const count = listed.flatMap((data) => childrenOf(data, ns.signature, 'X509Certificate')).length
  if (count > maxListed) throw new MetadataFault('too_many_certificates')
  const certificates = new Map<string, X509Certificate>()
  for (const data of listed)
    for (const certificate of endCertificatesOf(data))
      certificates.set(certificate.fingerprint256, certificate)

  const all = [...certificates.values()]
  if (all.length === 0) throw new MetadataFault('no_certificate')
  // Only signatures by RSA can be verified; another key beside it may be meant for other service providers.
  const ofRsa = all.filter(({ publicKey }) => publicKey.asymmetricKeyType === 'rsa')
  if (ofRsa.length === 0) throw new MetadataFault('key_not_rsa')
  if (ofRsa.length > maxCertificates) throw new MetadataFault('too_many_certificates')
  if (ofRsa.some(isShort)) throw new MetadataFault('key_too_short')
  return ofRsa.map(toStored)
}

function x509DataOf(descriptor: XmlElement): XmlElement[] {
  const keyInfo = onlyChildOf(descriptor, ns.signature, 'KeyInfo')
  return keyInfo === undefined ? [] : childrenOf(keyInfo, ns.signature, 'X509Data')
}

/** The certificates that have issued no other of the list: a chain has its authorities beside the key (XML Signature 4.5.4). */
function endCertificatesOf(data: XmlElement): X509Certificate[] {
  const all = childrenOf(data, ns.signature, 'X509Certificate').map(toCertificate)
  // Self-signed ones, such as before and after a renewal, have issued no other certificate, whatever their names say.
  const issued = all.filter((certificate) => !isSelfSigned(certificate))
  return all.filter((one) => !issued.some((other) => other !== one && isIssuedBy(other, one)))
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey)
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.fingerprint256 !== issuer.fingerprint256 && certificate.checkIssued(issuer)
}

function toCertificate(element: XmlElement): X509Certificate {
  const base64 = (elementText(element) ?? '').replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) throw new MetadataFault('certificate_unreadable')
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'))
    // Node parses the key only when it is used.
    return hasUsualExponent(certificate.publicKey) ? certificate : unreadable()
  } catch (error) {
    throw new MetadataFault('certificate_unreadable', { cause: error })
  }
}

/** With the exponent 1, everybody signs; with one of thousands of bits, a verification takes milliseconds. */
function hasUsualExponent({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type !== 'rsa') return true
  const exponent = details?.publicExponent ?? 0n
  return exponent % 2n === 1n && exponent >= 3n && exponent < 2n ** 32n
}

function unreadable(): never {
  throw new MetadataFault('certificate_unreadable')
}

function isShort({ publicKey }: X509Certificate): boolean {
  return (publicKey.asymmetricKeyDetails?.modulusLength ?? 0) < minModulusBits
}

function toStored(certificate: X509Certificate): StoredCertificate {
  return {
    pem: certificate.toString(),
    fingerprint_sha256: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    // Undefined for a certificate without a subject, whatever the types of Node say.
    subject: ((certificate.subject as string | undefined) ?? '').split('\n').join(', ').slice(0, 300),
    not_before: toTime(certificate.validFrom),
    not_after: toTime(certificate.validTo),
  }
}

/** A time of a certificate, which Node gives as text, even when it is invalid. */
function toTime(text: string): string {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? unreadable() : time.toISOString()
}

function earliest(times: readonly (string | undefined)[]): Date | null {
  // Only years of four digits: the database may refuse other times of JavaScript.
  const read = times
    .map((time = '') => (/^[1-9]\d{3}-/.test(time) ? Date.parse(time) : NaN))
    .filter((time) => !Number.isNaN(time))
  return read.length === 0 ? null : new Date(Math.min(...read))
}
