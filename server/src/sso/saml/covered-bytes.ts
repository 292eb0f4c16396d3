import { createHash, verify } from 'node:crypto'
import { DOMParser } from '@xmldom/xmldom'
import { findAncestorNs, SignedXml, type Reference } from 'xml-crypto'
import { publicKeyOf } from './certificate-key.js'
import { algorithms, ns } from './saml-names.js'

/** A document in plain text, the certificates that may have signed it, and which of its elements are signed. */
export interface SignedDocument {
  readonly xml: string
  /** PEM. */
  readonly signers: readonly string[]
  readonly isSigned: boolean
  readonly isAssertionSigned: boolean
}

/**
 * The bytes that the signatures of a response or an assertion cover, by a second parser and the library's canonical form,
 * which share no code with ours: those of the root where it is signed, otherwise those of its assertion. Undefined where a
 * signature that must be there is missing or invalid.
 *
 * The document is parsed once, and each signed element made canonical once, whatever the number of certificates. The
 * library's own `checkSignature()` would parse the document anew for each signature and certificate, and search all of it by
 * XPath six times for each.
 */
export function coveredBytes(signed: SignedDocument): string | undefined {
  try {
    const root = parse(signed.xml)
    const assertion = onlyAssertionOf(root)
    const owners = [...(signed.isSigned ? [root] : []), ...(signed.isAssertionSigned ? [assertion] : [])]
    const covered = owners.map((owner) => bytesOf(owner, signed.signers))
    return covered.includes(undefined) ? undefined : covered[0]
  } catch {
    // The library throws for each form that it does not know.
    return undefined
  }
}

function parse(xml: string): Element {
  const refuse = (message: string) => {
    throw new Error(message)
  }
  const errorHandler = { warning: refuse, error: refuse, fatalError: refuse }
  // The text is normalized already. This parser would also take U+2028 and U+0085 for line breaks, as XML 1.1 does.
  // Its types leave the option out.
  const options = { errorHandler, normalizeLineEndings: (text: string) => text }
  return new DOMParser(options).parseFromString(xml, 'text/xml').documentElement
}

/** The assertion of a document, which has one: of a response, plain or encrypted, or the root itself. */
function onlyAssertionOf(root: Element): Element {
  const assertions =
    root.localName === 'Assertion'
      ? [root]
      : childrenOf(root).filter(({ localName }) => assertionNames.includes(localName))
  const [assertion, ...others] = assertions
  if (assertion === undefined || others.length > 0) throw new Error(`${assertions.length} assertions`)
  return assertion
}

const assertionNames = ['Assertion', 'EncryptedAssertion']

/** The canonical form of an element that a key of one of the certificates has signed, without its signature. */
function bytesOf(owner: Element, signers: readonly string[]): string | undefined {
  const signature = onlyChildOf(owner, 'Signature')
  const info = onlyChildOf(signature, 'SignedInfo')
  const verifier = new SignedXml()
  verifier.loadSignature(signature)
  const { canonicalizationAlgorithm: form, signatureAlgorithm: method } = verifier
  const [reference, ...others] = verifier.getReferences()
  if (reference === undefined || others.length > 0 || form === undefined || method === undefined)
    return undefined
  if (reference.transforms.length > 2 || !isReferenceTo(owner, reference)) return undefined

  const bytes = verifier.getCanonXml(reference.transforms, owner, {
    inclusiveNamespacesPrefixList: reference.inclusiveNamespacesPrefixList,
    ancestorNamespaces: namespacesAround(owner),
  })
  const said = Buffer.from(String(reference.digestValue), 'base64')
  if (!digestOf(verifier, reference, bytes).equals(said)) return undefined

  const signed = verifier.getCanonXml([form], info, { ancestorNamespaces: namespacesAround(info) })
  const value = (onlyChildOf(signature, 'SignatureValue').textContent ?? '').replace(/\s+/g, '')
  const isSigner = (certificate: string) => isSignedBy(verifier, { method, certificate, signed, value })
  return signers.some(isSigner) ? bytes : undefined
}

/** The reference is to this element, and no other has the same ID, by whichever attribute a reader may take for one. */
function isReferenceTo(owner: Element, { uri }: Reference): boolean {
  const id = owner.getAttribute('ID') ?? ''
  return id !== '' && uri === `#${id}` && countId(owner.ownerDocument.documentElement, id) === 1
}

function countId(element: Element, id: string): number {
  let count = 0
  for (const attribute of Array.from(element.attributes))
    if (idNames.includes(attribute.localName) && attribute.value === id) count += 1
  for (const child of childrenOf(element)) count += countId(child, id)
  return count
}

const idNames = ['ID', 'Id', 'id']

/** SHA-384 is not among the library's own. */
function digestOf(verifier: SignedXml, { digestAlgorithm: name }: Reference, bytes: string): Buffer {
  if (name === algorithms.sha384) return createHash('sha384').update(bytes, 'utf8').digest()
  const Digest = verifier.HashAlgorithms[name]
  if (Digest === undefined) throw new Error(`an unknown digest ${name}`)
  return Buffer.from(new Digest().getHash(bytes), 'base64')
}

interface SignatureOfKey {
  readonly method: string
  readonly certificate: string
  readonly signed: string
  /** Base64. */
  readonly value: string
}

function isSignedBy(verifier: SignedXml, { method, certificate, signed, value }: SignatureOfKey): boolean {
  const key = publicKeyOf(certificate)
  if (key.asymmetricKeyType !== 'rsa') return false
  if (method === algorithms.rsaSha384)
    return verify('sha384', Buffer.from(signed), key, Buffer.from(value, 'base64'))
  const Method = verifier.SignatureAlgorithms[method]
  if (Method === undefined) throw new Error(`an unknown signature ${method}`)
  // For PSS the library takes no parsed key.
  return new Method().verifySignature(signed, method === algorithms.rsaPssSha256 ? certificate : key, value)
}

/** The namespaces that the ancestors of an element declare, for those that a list of prefixes names. */
function namespacesAround(element: Element): ReturnType<typeof findAncestorNs> {
  // Typed for a document alone; the expression selects the element itself.
  return findAncestorNs(element as unknown as Document, '.')
}

function onlyChildOf(parent: Element, name: string): Element {
  const children = childrenOf(parent).filter(
    ({ localName, namespaceURI }) => localName === name && namespaceURI === ns.signature,
  )
  const [child, ...others] = children
  if (child === undefined || others.length > 0) throw new Error(`${children.length} of ${name}`)
  return child
}

function childrenOf(parent: Element): Element[] {
  const children: Element[] = []
  for (let node = parent.firstChild; node !== null; node = node.nextSibling)
    if (isElementNode(node)) children.push(node)
  return children
}

function isElementNode(node: Node): node is Element {
  return node.nodeType === node.ELEMENT_NODE
}
