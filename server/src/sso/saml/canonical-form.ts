import { algorithms } from './saml-names.js'
import { declarations, onlyChildOf, type XmlAttribute, type XmlElement } from './xml-tree.js'

/**
 * The exclusive canonical form of an element (Exclusive XML Canonicalization 1.0, section 3), of a document without
 * comments and processing instructions.
 *
 * @param method The element that names the form; it may list prefixes whose namespaces are written wherever they are known.
 * @param without A descendant that is left out, with its content.
 */
export function canonicalForm(element: XmlElement, method?: XmlElement, without?: XmlElement): string {
  const list = onlyChildOf(method, algorithms.exclusive, 'InclusiveNamespaces')?.attributes.PrefixList ?? ''
  const listed = list.split(/\s+/).filter(Boolean)
  const output: string[] = []
  const inclusive = listed.map((prefix) => (prefix === '#default' ? '' : prefix))
  write(element, { output, inclusive, without, known: scopeAround(element), rendered: newScope(null) })
  return output.join('')
}

/** Namespaces by prefix; a scope inherits from the one around it. */
type Scope = Record<string, string | undefined>

interface Writing {
  readonly output: string[]
  readonly inclusive: readonly string[]
  readonly without: XmlElement | undefined
  /** What the document has declared so far. */
  readonly known: Scope
  /** What the output has declared so far. */
  readonly rendered: Scope
}

function newScope(around: Scope | null): Scope {
  return Object.create(around) as Scope
}

function scopeAround(element: XmlElement): Scope {
  return element.parent === undefined
    ? newScope(null)
    : declaredIn(element.parent, scopeAround(element.parent))
}

function declaredIn({ written }: XmlElement, around: Scope): Scope {
  const own = written.filter(({ uri }) => uri === declarations)
  if (own.length === 0) return around
  const scope = newScope(around)
  // xmlns="…" has no prefix, and xmlns:a="…" has its own name as one.
  for (const { prefix, local, value } of own) scope[prefix === '' ? '' : local] = value
  return scope
}

function write(element: XmlElement, writing: Writing): void {
  const { output, inclusive, without } = writing
  const known = declaredIn(element, writing.known)
  const rendered = newScope(writing.rendered)
  const attributes = element.written.filter(({ uri }) => uri !== declarations)
  const used = [element.prefix, ...attributes.map(({ prefix }) => prefix).filter(Boolean), ...inclusive]
  const name = element.prefix === '' ? element.name : `${element.prefix}:${element.name}`

  output.push('<', name)
  for (const prefix of [...new Set(used)].sort(byCodeUnit)) {
    const namespace = known[prefix] ?? ''
    if (prefix === 'xml' || namespace === (rendered[prefix] ?? '')) continue
    rendered[prefix] = namespace
    output.push(prefix === '' ? ' xmlns="' : ` xmlns:${prefix}="`, toAttributeText(namespace), '"')
  }
  for (const { prefix, local, value } of attributes.sort(byNamespaceAndName))
    output.push(prefix === '' ? ` ${local}="` : ` ${prefix}:${local}="`, toAttributeText(value), '"')
  output.push('>')
  for (const part of element.content) {
    if (typeof part === 'string') output.push(toText(part))
    else if (part !== without) write(part, { output, inclusive, without, known, rendered })
  }
  output.push('</', name, '>')
}

function byCodeUnit(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

function byNamespaceAndName(one: XmlAttribute, other: XmlAttribute): number {
  return byCodeUnit(one.uri, other.uri) || byCodeUnit(one.local, other.local)
}

function toText(text: string): string {
  return text.replace(/[&<>\r]/g, (character) => replacements[character] ?? character)
}

function toAttributeText(value: string): string {
  return value.replace(/[&<"\t\n\r]/g, (character) => replacements[character] ?? character)
}

/** Canonical XML 1.0, section 2.3. */
const replacements: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#x9;',
  '\n': '&#xA;',
  '\r': '&#xD;',
}
