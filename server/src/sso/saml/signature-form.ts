import { CheckRefusal } from './checks.js'
import type { ResponseForm } from './response-form.js'
import { algorithms, ns } from './saml-names.js'
import { childrenOf, isElement, onlyChildOf, walk, type XmlElement } from './xml-tree.js'

/**
 * Every signature of a response or an assertion must stand in the element that it covers, and reference it in the one
 * accepted form (SAML core section 5.4). Every ID must be unique, so that a reference is unambiguous.
 */
export function checkSignatureForm(root: XmlElement, allowSha1: boolean): void {
  checkIds(root)
  const assertion = onlyChildOf(root, ns.assertion, 'Assertion')
  for (const element of walk(root)) {
    if (element.name !== 'Signature') continue
    const owner = element.parent
    if (element.namespace !== ns.signature) throw new CheckRefusal('a signature of another namespace')
    if (owner === undefined || (owner !== root && owner !== assertion))
      throw new CheckRefusal('a signature in another place')
    if (childrenOf(owner, ns.signature, 'Signature').length > 1)
      throw new CheckRefusal('two signatures of one element')
    checkSignature(element, owner, allowSha1)
  }
}

/** A plain assertion, or the response around it, must be signed; an encrypted one is checked once it is decrypted. */
export function checkSomethingSigned({ assertion, isEncrypted, isSigned }: ResponseForm): void {
  if (isEncrypted || isSigned || onlyChildOf(assertion, ns.signature, 'Signature') !== undefined) return
  throw new CheckRefusal('no signature', 'a signature of the assertion, or of the response')
}

/** In other namespaces and cases too, since parsers differ in the attributes that they take for an ID. */
function checkIds(root: XmlElement): void {
  const ids = new Set<string>()
  for (const { attributes } of walk(root))
    for (const [name, value = ''] of Object.entries(attributes)) {
      if (!/(^|\})id$/i.test(name)) continue
      if (ids.has(value)) throw new CheckRefusal('two elements with one ID')
      ids.add(value)
    }
}

function checkSignature(signature: XmlElement, owner: XmlElement, allowSha1: boolean): void {
  const [info] = partsOf(signature, ['SignedInfo', 'SignatureValue'], ['KeyInfo'])
  const keyInfo = onlyChildOf(signature, ns.signature, 'KeyInfo')
  if (keyInfo !== undefined && [...walk(keyInfo)].length > maxKeyInfo)
    throw new CheckRefusal(`a KeyInfo of more than ${maxKeyInfo} elements`)
  const [form, method, reference] = partsOf(info, ['CanonicalizationMethod', 'SignatureMethod', 'Reference'])
  const [transforms, digest] = partsOf(reference, ['Transforms', 'DigestMethod', 'DigestValue'])

  checkAlgorithm(form, [algorithms.exclusive])
  checkAlgorithm(method, allowSha1 ? [...signatureMethods, algorithms.rsaSha1] : signatureMethods)
  checkAlgorithm(digest, allowSha1 ? [...digestMethods, algorithms.sha1] : digestMethods)
  const id = owner.attributes.ID ?? ''
  if (!/^[A-Za-z_][\w.-]*$/.test(id))
    throw new CheckRefusal(`the ID ${id}`, 'an ID of letters, digits, . _ -')
  const uri = reference.attributes.URI ?? ''
  if (uri !== `#${id}`) throw new CheckRefusal(`a reference to ${uri}`, `#${id}`)

  const [enveloped, exclusive] = partsOf(transforms, ['Transform', 'Transform'])
  checkAlgorithm(enveloped, [algorithms.enveloped])
  checkAlgorithm(exclusive, [algorithms.exclusive])
}

const signatureMethods: readonly string[] = [
  algorithms.rsaSha256,
  algorithms.rsaSha384,
  algorithms.rsaSha512,
  algorithms.rsaPssSha256,
]
const digestMethods: readonly string[] = [algorithms.sha256, algorithms.sha384, algorithms.sha512]

/** Elements. Nothing is read from it, but the second reader searches it. */
const maxKeyInfo = 50

/** Characters, since each prefix is looked up at each element. The products list one or two. */
const maxPrefixList = 200

/** The children of a part of a signature: exactly these, in their order (XML Signature section 4). */
function partsOf<const Names extends readonly string[]>(
  parent: XmlElement,
  names: Names,
  last: readonly string[] = [],
): { [Index in keyof Names]: XmlElement } {
  const expected = parent.children.length > names.length ? [...names, ...last] : names
  const isRight =
    parent.children.length === expected.length &&
    parent.children.every((child, index) => isElement(child, ns.signature, expected[index] ?? ''))
  if (!isRight) {
    const received = parent.children.map((child) => child.name).join(', ')
    throw new CheckRefusal(`${parent.name} of ${received}`, `${parent.name} of ${names.join(', ')}`)
  }
  // One element for each name, as was just compared.
  return parent.children as unknown as { [Index in keyof Names]: XmlElement }
}

/** A parameter would change an algorithm; the one that is accepted lists prefixes for the canonical form. */
function checkAlgorithm(element: XmlElement, allowed: readonly string[]): void {
  const { Algorithm: received = 'none' } = element.attributes
  if (!allowed.includes(received)) throw new CheckRefusal(received, allowed.join(' or '))
  const isPrefixList = (child: XmlElement) =>
    received === algorithms.exclusive &&
    isElement(child, algorithms.exclusive, 'InclusiveNamespaces') &&
    !isLong(child)
  if (!element.children.every(isPrefixList)) throw new CheckRefusal(`parameters of ${received}`, 'none')
}

/** Whether a canonical form would look up many prefixes at each element. */
export function hasLongPrefixList(root: XmlElement): boolean {
  return [...walk(root)].some(isLong)
}

function isLong({ attributes }: XmlElement): boolean {
  return (attributes.PrefixList ?? '').length > maxPrefixList
}
