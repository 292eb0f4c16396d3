import { createRequire } from 'node:module'

/** An element of a document: its name, its content and its position. */
export interface XmlElement {
  readonly namespace: string
  readonly name: string
  /** As it is written; the namespace gives the meaning. */
  readonly prefix: string
  /** By name; one in a namespace as `{namespace}name`. Without declarations of namespaces, and without a prototype. */
  readonly attributes: Readonly<Record<string, string | undefined>>
  /** Every attribute as it is written, declarations of namespaces among them. */
  readonly written: readonly XmlAttribute[]
  readonly children: readonly XmlElement[]
  /** Elements and pieces of text, in the order of the document. */
  readonly content: readonly (XmlElement | string)[]
  /** The text directly in the element. */
  readonly text: string
  readonly parent: XmlElement | undefined
}

export interface XmlAttribute {
  readonly prefix: string
  /** The name without its prefix. */
  readonly local: string
  /** The namespace; empty without one. */
  readonly uri: string
  readonly value: string
}

/** The namespace of the attributes that declare one. */
export const declarations = 'http://www.w3.org/2000/xmlns/'

/** The limits of a document. */
export interface XmlLimits {
  /** Characters of UTF-16. */
  readonly length: number
  readonly elements: number
  readonly depth: number
  /** Of one element, declarations of namespaces among them. */
  readonly attributes: number
  /** Of all elements together. */
  readonly allAttributes: number
  /** Different names of elements: a parser may search the document once for each. */
  readonly names: number
  /** Comments are skipped where they are allowed, and refused elsewhere. */
  readonly comments: boolean
}

/** Characters of a namespace. It becomes part of each name in it, and V8 compares longer texts one by one. */
const maxNamespaceLength = 256

/** Declarations of namespaces on an element and around it, which canonical forms go through for each element. */
const maxNamespacesInScope = 100

/** Why a document is refused, in a few words for its sender. */
export class XmlFault extends Error {
  override readonly name = 'XmlFault'

  /** @param kind `size`: over a limit; `markup`: has markup that is never accepted; `form`: is not well-formed XML 1.0. */
  constructor(
    readonly kind: 'size' | 'markup' | 'form',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}

/**
 * Parses a document strictly: well-formed XML 1.0 with namespaces, without document type (so no entities), processing
 * instructions and CDATA.
 *
 * @throws XmlFault
 */
export function readXmlTree(xml: string, limits: XmlLimits): XmlElement {
  return readXmlBody(withoutDeclaration(xml), limits)
}

/**
 * The same for a document without its declaration, from `withoutDeclaration()`: a second declaration is refused.
 *
 * @throws XmlFault
 */
export function readXmlBody(body: string, limits: XmlLimits): XmlElement {
  checkText(body, limits)

  let root: Growing | undefined
  let open: Growing | undefined
  let elements = 0
  let depth = 0
  let attributes = 0
  let allAttributes = 0
  let namespacesInScope = 0
  const names = new Set<string>()
  const parser = new SaxesParser({ xmlns: true, position: false })
  parser.on('processinginstruction', () => refuse('markup', 'a processing instruction'))
  // Before the parser resolves names.
  parser.on('attribute', ({ prefix, local, value }) => {
    const isDeclaration = prefix === 'xmlns' || (prefix === '' && local === 'xmlns')
    if (isDeclaration && value.length > maxNamespaceLength)
      refuse('size', `a namespace of more than ${maxNamespaceLength} characters`)
    attributes += 1
    allAttributes += 1
    if (attributes > limits.attributes)
      refuse('size', `more than ${limits.attributes} attributes of one element`)
    if (allAttributes > limits.allAttributes) refuse('size', `more than ${limits.allAttributes} attributes`)
  })
  parser.on('opentag', (tag) => {
    attributes = 0
    elements += 1
    depth += 1
    if (elements > limits.elements) refuse('size', `more than ${limits.elements} elements`)
    if (depth > limits.depth) refuse('size', `more than ${limits.depth} levels`)
    const element = toElement(tag, open)
    names.add(`${element.prefix}:${element.name}`)
    if (names.size > limits.names) refuse('size', `more than ${limits.names} names of elements`)
    namespacesInScope += declaredBy(element)
    if (namespacesInScope > maxNamespacesInScope)
      refuse('size', `more than ${maxNamespacesInScope} namespaces around an element`)
    if (open === undefined) root = element
    else {
      open.children.push(element)
      open.content.push(element)
    }
    open = element
  })
  parser.on('closetag', () => {
    depth -= 1
    if (open !== undefined) namespacesInScope -= declaredBy(open)
    open = open?.parent
  })
  parser.on('text', (text) => {
    open?.content.push(text)
    if (open !== undefined) open.text += text
  })
  write(parser, body)
  if (root === undefined) throw new XmlFault('form', 'no element')
  return root
}

/**
 * The document without a byte order mark and its declaration, which have no meaning in decoded text.
 *
 * @throws XmlFault if it declares another version of XML, which has other rules, or has two declarations.
 */
export function withoutDeclaration(xml: string): string {
  const text = xml.startsWith('\uFEFF') ? xml.slice(1) : xml
  const declaration = /^<\?xml[ \t\r\n][^?<>]{0,200}\?>[ \t\r\n]*/.exec(text)?.[0]
  if (declaration === undefined) return text
  // Different parsers could skip different ones (XML section 2.8).
  if (/^<\?xml[ \t\r\n]/.test(text.slice(declaration.length)))
    throw new XmlFault('form', 'two XML declarations')
  if (!/\sversion\s*=\s*(["'])1\.0\1/.test(declaration))
    throw new XmlFault('form', 'a version of XML other than 1.0')
  return text.slice(declaration.length)
}

/** The element and all below it, in the order of the document. */
export function* walk(element: XmlElement): Generator<XmlElement> {
  yield element
  for (const child of element.children) yield* walk(child)
}

/** Whether it is an element of this namespace and name. */
export function isElement(element: XmlElement | undefined, namespace: string, name: string): boolean {
  return element?.namespace === namespace && element.name === name
}

/** The children of a namespace and name. */
export function childrenOf(element: XmlElement, namespace: string, name: string): XmlElement[] {
  return element.children.filter((child) => isElement(child, namespace, name))
}

/** The one child of a namespace and name; undefined where there is none, and where there are several. */
export function onlyChildOf(
  element: XmlElement | undefined,
  namespace: string,
  name: string,
): XmlElement | undefined {
  const [child, ...others] = element === undefined ? [] : childrenOf(element, namespace, name)
  return others.length === 0 ? child : undefined
}

/** The text of an element without children; undefined for one with children, whose text would be scattered. */
export function elementText(element: XmlElement | undefined): string | undefined {
  return element === undefined || element.children.length > 0 ? undefined : trimmed(element.text)
}

/** Without the white space of XML around it (section 2.3); other spaces are significant. */
function trimmed(text: string): string {
  let from = 0
  let to = text.length
  while (from < to && isWhiteSpace(text[from])) from += 1
  while (to > from && isWhiteSpace(text[to - 1])) to -= 1
  return text.slice(from, to)
}

function isWhiteSpace(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r'
}

function declaredBy({ written }: XmlElement): number {
  return written.filter(({ uri }) => uri === declarations).length
}

interface Growing extends XmlElement {
  readonly children: Growing[]
  readonly content: (Growing | string)[]
  text: string
  readonly parent: Growing | undefined
}

interface Tag {
  readonly prefix: string
  readonly local: string
  readonly uri: string
  readonly attributes: Readonly<Record<string, XmlAttribute>>
}

interface Parser {
  on(event: 'attribute', handler: (attribute: XmlAttribute) => void): void
  on(event: 'processinginstruction', handler: () => void): void
  on(event: 'opentag', handler: (tag: Tag) => void): void
  on(event: 'closetag', handler: () => void): void
  on(event: 'text', handler: (text: string) => void): void
  write(text: string): Parser
  close(): Parser
}

// Typed here, because the package's own declarations do not compile with the TypeScript of this repository.
const { SaxesParser } = createRequire(import.meta.url)('saxes') as {
  SaxesParser: new (options: { xmlns: true; position: false }) => Parser
}

/** Refuses a text before it is parsed, in one pass each. */
function checkText(text: string, limits: XmlLimits): void {
  if (text.length > limits.length) refuse('size', `more than ${limits.length} characters`)
  // The parser would skip it, and another parser would not.
  if (text.startsWith('\uFEFF')) refuse('form', 'a second byte order mark')
  // In well-formed XML a < only begins markup.
  if (!limits.comments && text.includes('<!--')) refuse('markup', 'a comment')
  if (/<!(?!--)/.test(text)) refuse('markup', 'a document type or CDATA')
  if (!limits.comments && text.includes('<?')) refuse('markup', 'a processing instruction')
}

function write(parser: Parser, text: string): void {
  try {
    // In pieces, so that a limit that is passed early ends the work early.
    for (let at = 0; at < text.length; at += pieceLength) parser.write(text.slice(at, at + pieceLength))
    parser.close()
  } catch (error) {
    if (error instanceof XmlFault) throw error
    throw new XmlFault('form', 'not well-formed', { cause: error })
  }
}

const pieceLength = 16_384

function toElement(tag: Tag, parent: Growing | undefined): Growing {
  checkName(tag)
  const attributes: Record<string, string> = Object.create(null) as Record<string, string>
  const written = Object.values(tag.attributes)
  for (const attribute of written) {
    checkName(attribute)
    const { uri, local, value } = attribute
    if (uri !== declarations) attributes[uri === '' ? local : `{${uri}}${local}`] = value
  }
  const { uri: namespace, local: name, prefix } = tag
  return { namespace, name, prefix, attributes, written, children: [], content: [], text: '', parent }
}

/**
 * Refuses names that another parser could misread: those that every object of JavaScript has, and letters outside of ASCII,
 * which no vocabulary here uses.
 */
function checkName({ prefix, local }: { readonly prefix: string; readonly local: string }): void {
  for (const name of [prefix, local])
    if (name !== '' && (name in Object.prototype || !/^[A-Za-z_][\w.-]*$/.test(name)))
      refuse('markup', 'an unusual name')
}

function refuse(kind: XmlFault['kind'], what: string): never {
  throw new XmlFault(kind, what)
}
