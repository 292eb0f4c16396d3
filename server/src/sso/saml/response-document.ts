import { CheckRefusal } from './checks.js'
import { ns } from './saml-names.js'
import {
  isElement,
  readXmlBody,
  walk,
  withoutDeclaration,
  XmlFault,
  type XmlElement,
  type XmlLimits,
} from './xml-tree.js'

/** A document, as text and as a tree. Every parser after ours gets this text, and no other. */
export interface ReadDocument {
  readonly xml: string
  readonly root: XmlElement
}

/** Stands for a form field whose form was too large to be read. */
export const unreadForm = Symbol('a form that is too large to be read')

/** Decodes the form field SAMLResponse: base64, possibly with line breaks (SAML bindings 3.5.4). */
export function decodeResponse(samlResponse: unknown): Buffer {
  if (samlResponse === unreadForm) throw new CheckRefusal('more than 256 kB')
  if (typeof samlResponse !== 'string') throw new CheckRefusal('no such form field, or several')
  if (samlResponse.length > maxBase64Length) throw new CheckRefusal('more than 256 kB')
  const base64 = samlResponse.replace(/\s+/g, '')
  if (base64 === '' || base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64))
    throw new CheckRefusal('text that is not base64')
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length > maxBytes) throw new CheckRefusal('more than 256 kB')
  return bytes
}

/** The document of a response, within the limits of the contract. */
export function readResponse(bytes: Buffer): ReadDocument {
  const document = read(bytes, maxBytes)
  if (document.xml.length - cipherLengthOf(document.root) > maxPlainLength)
    throw new CheckRefusal('more than 112 kB that are not encrypted')
  return document
}

/** The document of a decrypted assertion, within the limits of plain ones. */
export function readDecrypted(bytes: Buffer): ReadDocument {
  return read(bytes, maxPlainLength)
}

/** The document of signed bytes, whose canonical form repeats declarations of namespaces. */
export function readSigned(xml: string): ReadDocument {
  const { attributes, allAttributes } = limits
  return read(Buffer.from(xml), maxBytes, {
    ...limits,
    attributes: 2 * attributes,
    allAttributes: 2 * allAttributes,
  })
}

function read(bytes: Buffer, length: number, most: Omit<XmlLimits, 'length'> = limits): ReadDocument {
  try {
    // Line ends are normalized to those of Unix (XML section 2.11); signatures cover the result.
    const xml = withoutDeclaration(utf8.decode(bytes)).replace(/\r\n?/g, '\n')
    return { xml, root: readXmlBody(xml, { ...most, length }) }
  } catch (error) {
    if (error instanceof XmlFault) throw new CheckRefusal(error.message)
    if (error instanceof TypeError) throw new CheckRefusal('bytes that are not UTF-8')
    throw error
  }
}

const maxBytes = 262_144

/** For that many bytes, with a line break after each 64 characters. */
const maxBase64Length = 365_000

/** Characters that are not encrypted. */
const maxPlainLength = 114_688

/** A group is an element, and in some products one of three attributes; most responses have fewer than 100 elements. */
const limits = {
  elements: 3000,
  depth: 40,
  attributes: 20,
  allAttributes: 10_000,
  names: 200,
  comments: false,
}
/** The byte order mark is removed with the declaration. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function cipherLengthOf(root: XmlElement): number {
  return [...walk(root)]
    .filter((element) => isElement(element, ns.encryption, 'CipherValue'))
    .reduce((length, { text }) => length + text.length, 0)
}
