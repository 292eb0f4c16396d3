import { CheckRefusal } from './checks.js'
import type { ResponseForm } from './response-form.js'
import { algorithms, ns } from './saml-names.js'
import { isElement, walk, type XmlElement } from './xml-tree.js'

/** The parts of an encrypted assertion. Only one function reads them, so that no two can find different ones. */
export interface Encryption {
  /** The algorithm of the content. */
  readonly cipher: string
  /** Base64. */
  readonly wrappedKey: string
  readonly content: string
}

/**
 * An encrypted assertion is one EncryptedData with its one key inside, by supported algorithms; nothing else is encrypted.
 *
 * AES-CBC is not authenticated: an attacker who alters it, and observes the outcome, learns the plain text byte by byte. So
 * it is decrypted only where a signature of the response around it has been verified before.
 */
export function checkEncryptionForm(form: ResponseForm, allowCbcUnsigned: boolean): void {
  const { root, assertion, isEncrypted, isSigned } = form
  if (!isEncrypted || assertion === undefined) return checkNothingEncrypted(root)
  const { cipher } = readEncryption(assertion)
  for (const child of root.children) if (child !== assertion) checkNothingEncrypted(child)
  if (cbc.includes(cipher) && !isSigned && !allowCbcUnsigned)
    throw new CheckRefusal(`${cipher} in a response that is not signed itself`, algorithms.aes256Gcm)
}

/**
 * Reads an encrypted assertion by the one path to each part; any other element is refused, wherever it stands.
 *
 * @throws Refusal
 */
export function readEncryption(assertion: XmlElement): Encryption {
  const [data] = childrenExactly(assertion, [[ns.encryption, 'EncryptedData']])
  const [method, keyInfo, cipherData] = childrenExactly(data, [
    [ns.encryption, 'EncryptionMethod'],
    [ns.signature, 'KeyInfo'],
    [ns.encryption, 'CipherData'],
  ])
  const cipher = method.attributes.Algorithm ?? 'none'
  if (!ciphers.includes(cipher)) throw new CheckRefusal(cipher, ciphers.join(' or '))
  childrenExactly(method, [])
  return { cipher, wrappedKey: readKey(keyInfo), content: readCipherValue(cipherData) }
}

/** Refuses an encrypted NameID or attribute, which reading the assertion would silently skip. */
export function checkNothingEncrypted(root: XmlElement): void {
  for (const element of walk(root))
    if (ofEncryption.includes(element.name))
      throw new CheckRefusal(
        `<${element.name}> in <${element.parent?.name}>`,
        'an encrypted assertion, or nothing',
      )
}

const cbc: readonly string[] = [algorithms.aes128Cbc, algorithms.aes256Cbc]
const ciphers: readonly string[] = [algorithms.aes128Gcm, algorithms.aes256Gcm, ...cbc]

/** In any namespace, since another reader may ignore it. */
const ofEncryption: readonly string[] = [
  'EncryptedData',
  'EncryptedKey',
  'EncryptionMethod',
  'CipherData',
  'CipherValue',
  'CipherReference',
]

function readCipherValue(cipherData: XmlElement): string {
  const [value] = childrenExactly(cipherData, [[ns.encryption, 'CipherValue']])
  childrenExactly(value, [])
  return value.text
}

/** The key for one recipient: us. */
function readKey(keyInfo: XmlElement): string {
  const [key] = childrenExactly(keyInfo, [[ns.encryption, 'EncryptedKey']])
  const hasInfo = key.children.some(({ name }) => name === 'KeyInfo')
  const [method, cipherData] = hasInfo ? partsOfNamedKey(key) : childrenExactly(key, [methodName, cipherName])
  const algorithm = method.attributes.Algorithm ?? 'none'
  if (algorithm !== algorithms.rsaOaep) throw new CheckRefusal(algorithm, algorithms.rsaOaep)
  // RSA-OAEP uses SHA-1 by default (XML Encryption section 5.5.2); no other digest is supported.
  for (const parameter of method.children) {
    const { Algorithm: hash } = parameter.attributes
    if (!isElement(parameter, ns.signature, 'DigestMethod') || hash !== algorithms.sha1)
      throw new CheckRefusal(
        `${algorithm} with ${hash ?? parameter.name}`,
        `${algorithm} with ${algorithms.sha1}`,
      )
    childrenExactly(parameter, [])
  }
  return readCipherValue(cipherData)
}

const methodName = [ns.encryption, 'EncryptionMethod'] as const
const cipherName = [ns.encryption, 'CipherData'] as const

/** The two parts of a key, which names its recipient between them. */
function partsOfNamedKey(key: XmlElement): readonly [XmlElement, XmlElement] {
  const [method, info, cipherData] = childrenExactly(key, [methodName, [ns.signature, 'KeyInfo'], cipherName])
  checkNames(info)
  return [method, cipherData]
}

/** A reference to our key, such as our certificate (XML Signature section 4.5). It is not read, and has nothing that is. */
function checkNames(element: XmlElement): void {
  for (const child of element.children) {
    const isKnown = child.namespace === ns.signature && (names[element.name] ?? []).includes(child.name)
    if (!isKnown)
      throw new CheckRefusal(`<${child.name}> in the ${element.name} of a key`, toList(names.KeyInfo))
    checkNames(child)
  }
}

/** By the name of the parent. */
const names: Readonly<Record<string, readonly string[]>> & { readonly KeyInfo: readonly string[] } = {
  KeyInfo: ['X509Data', 'KeyName', 'KeyValue'],
  X509Data: ['X509Certificate', 'X509IssuerSerial', 'X509SKI', 'X509SubjectName'],
  X509IssuerSerial: ['X509IssuerName', 'X509SerialNumber'],
  KeyValue: ['RSAKeyValue'],
  RSAKeyValue: ['Modulus', 'Exponent'],
}

type QualifiedName = readonly [namespace: string, name: string]

function childrenExactly<const Names extends readonly QualifiedName[]>(
  parent: XmlElement,
  expected: Names,
): { [Index in keyof Names]: XmlElement } {
  const isRight =
    parent.children.length === expected.length &&
    expected.every(([namespace, name], index) => isElement(parent.children[index], namespace, name))
  if (!isRight)
    throw new CheckRefusal(
      `${parent.name} of ${toList(parent.children.map((child) => child.name))}`,
      `${parent.name} of ${toList(expected.map(([, name]) => name))}`,
    )
  // One element for each name, as was just compared.
  return parent.children as unknown as { [Index in keyof Names]: XmlElement }
}

function toList(listed: readonly string[]): string {
  return listed.join(', ') || 'no elements'
}
