import { scimLimits, type ScimAttribute } from '@portico/contract/scim'
import { parse, type AttrExp, type Filter } from 'scim2-parse-filter'
import { toLoggedName } from './logged-filter.js'
import {
  attributeNamed,
  findPath,
  leafOf,
  type ResourceSchemas,
  type SchemaPath,
} from '../../directory/directory-sync/schema-path.js'
import { ScimError } from './scim-error.js'
import { isTime, type NoteQuirk } from './values.js'

export type Comparison = 'eq' | 'ne' | 'co' | 'sw' | 'ew' | 'gt' | 'ge' | 'lt' | 'le'

/** A comparison; its subject is an attribute of the resource or, in brackets, a member of one element. */
type Term<Subject> =
  | { readonly kind: 'present'; readonly subject: Subject }
  | {
      readonly kind: 'comparison'
      readonly subject: Subject
      readonly operator: Comparison
      readonly value: string | number | boolean
    }

export type ScimFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly ScimFilter[] }
  | { readonly kind: 'not'; readonly filter: ScimFilter }
  | Term<SchemaPath>
  | { readonly kind: 'element'; readonly list: SchemaPath; readonly filter: ElementFilter }

/** A filter on one element of a list, without nested brackets. */
export type ElementFilter =
  | { readonly kind: 'and' | 'or'; readonly filters: readonly ElementFilter[] }
  | { readonly kind: 'not'; readonly filter: ElementFilter }
  | Term<ScimAttribute>

/**
 * Parses a filter (RFC 7644 section 3.4.2.2), and resolves its attributes in the schemas.
 *
 * @throws ScimError 400 `invalidFilter`
 */
export function readFilter(schemas: ResourceSchemas, text: string, quirk: NoteQuirk): ScimFilter {
  const subjectOf = (path: string): SchemaPath => {
    const found = findPath(schemas, path)
    if (found === undefined)
      throw invalidFilter(`${toLoggedName(path)} is no attribute that can be filtered by`)
    const isMeant = found.sub === undefined && found.attribute.subAttributes !== undefined
    // emails co "example.com" compares the values of its elements.
    return isMeant ? { ...found, sub: attributeNamed(found.attribute.subAttributes, 'value') } : found
  }
  const elementsOf = (path: string): SchemaPath => {
    const list = findPath(schemas, path)
    if (list === undefined || list.sub !== undefined || list.attribute.subAttributes === undefined)
      throw invalidFilter(`${toLoggedName(path)} has no elements to choose from`)
    return list
  }
  const { filter, texts } = parseText(text, quirk)
  const read = (part: Filter): ScimFilter => {
    switch (part.op) {
      case 'and':
      case 'or':
        return { kind: part.op, filters: part.filters.map(read) }
      case 'not':
        return { kind: 'not', filter: read(part.filter) }
      case '[]': {
        const list = elementsOf(part.attrPath)
        return { kind: 'element', list, filter: toElementFilter(list.attribute, part.valFilter, texts) }
      }
      default: {
        const subject = subjectOf(part.attrPath)
        return toTerm(subject, leafOf(subject), part, texts)
      }
    }
  }
  return read(filter)
}

/**
 * Parses the filter in the brackets of a path, such as `type eq "work"`.
 *
 * @throws ScimError 400 `invalidFilter`
 */
export function readElementFilter(list: ScimAttribute, text: string, quirk: NoteQuirk): ElementFilter {
  const { filter, texts } = parseText(text, quirk)
  return toElementFilter(list, filter, texts)
}

function toElementFilter(list: ScimAttribute, part: Filter, texts: readonly string[]): ElementFilter {
  switch (part.op) {
    case 'and':
    case 'or':
      return { kind: part.op, filters: part.filters.map((inner) => toElementFilter(list, inner, texts)) }
    case 'not':
      return { kind: 'not', filter: toElementFilter(list, part.filter, texts) }
    case '[]':
      throw invalidFilter('brackets must not stand in brackets')
    default: {
      const sub = attributeNamed(list.subAttributes, part.attrPath)
      if (sub === undefined)
        throw invalidFilter(`${toLoggedName(part.attrPath)} is no member of ${list.name}`)
      return toTerm(sub, sub, part, texts)
    }
  }
}

/** @param texts The string literals of the filter, which has their indexes instead. */
function toTerm<Subject>(
  subject: Subject,
  leaf: ScimAttribute,
  part: AttrExp,
  texts: readonly string[],
): Term<Subject> | { readonly kind: 'not'; readonly filter: Term<Subject> } {
  if (part.op === 'pr') return { kind: 'present', subject }
  const { op: operator, compValue } = part
  const value = typeof compValue === 'string' ? texts[Number(compValue)] : compValue
  return toComparison(subject, leaf, operator, value)
}

function toComparison<Subject>(
  subject: Subject,
  leaf: ScimAttribute,
  operator: Comparison,
  value: string | number | boolean | null | undefined,
): Term<Subject> | { readonly kind: 'not'; readonly filter: Term<Subject> } {
  if (leaf.type === 'complex' || leaf.returned === 'never')
    throw invalidFilter(`${leaf.name} cannot be compared`)
  if (value === null || value === undefined) {
    const present = { kind: 'present', subject } as const
    if (operator === 'ne') return present
    if (operator === 'eq') return { kind: 'not', filter: present }
    throw invalidFilter('null can only be compared by eq and ne')
  }
  if (leaf.type === 'integer' || leaf.type === 'decimal') {
    const number = Number(value)
    if (Number.isNaN(number)) throw invalidFilter(`${leaf.name} is compared with a number`)
    if (operator === 'co' || operator === 'sw' || operator === 'ew')
      throw invalidFilter(`${leaf.name} cannot be compared by ${operator}`)
    return { kind: 'comparison', subject, operator, value: number }
  }
  if (leaf.type !== 'boolean') {
    const text = String(value)
    if (leaf.type === 'dateTime' && !isTime(text))
      throw invalidFilter(`${leaf.name} is compared with a time such as "2026-03-14T09:26:53Z"`)
    return { kind: 'comparison', subject, operator, value: text }
  }
  const word = String(value).toLowerCase()
  if (word !== 'true' && word !== 'false') throw invalidFilter(`${leaf.name} is compared with true or false`)
  if (operator !== 'eq' && operator !== 'ne')
    throw invalidFilter(`${leaf.name} can only be compared by eq and ne`)
  return { kind: 'comparison', subject, operator, value: word === 'true' }
}

/** String literals, booleans in any case, opening and closing brackets. */
const pieces = /"(?:[^"\\]|\\.)*"|\b(?:true|false)\b|[([]|[)\]]|"/gi

/** Unquoted values that are no JSON value, as in Entra ID's own examples. */
const bareTexts =
  /(\b(?:eq|ne|co|sw|ew|gt|ge|lt|le)\s+)(?!(?:true|false|null|-?\d+(?:\.\d+)?)(?![^\s()[\]]))([^\s"()[\]]+)/gi

/** A compared member after brackets, whose filter its element must match, too. */
const membersBehind = /\[([^[\]]*)\]\.([\w$]+\s+(?:pr\b|\w+\s+(?:"\d+"|[^\s"()[\]]+)))/gi

/**
 * Replaces each string literal by its index before the library parses the filter: the library reads escapes differently
 * from JSON, and takes exponential time for an unclosed literal with line breaks. It also loses that the parts before and
 * after brackets apply to one element.
 */
function parseText(
  text: string,
  quirk: NoteQuirk,
): { readonly filter: Filter; readonly texts: readonly string[] } {
  if (text.length > scimLimits.filterLength)
    throw invalidFilter(`a filter must be at most ${scimLimits.filterLength} characters long`)
  const texts: string[] = []
  let depth = 0
  const numbered = text
    .replace(pieces, (piece) => {
      if (piece.length > 1 && piece.startsWith('"')) return `"${texts.push(readJsonText(piece)) - 1}"`
      if (piece === '"') throw invalidFilter('a text is not closed')
      if (piece === '(' || piece === '[') depth++
      if (piece === ')' || piece === ']') depth--
      if (depth > scimLimits.filterDepth)
        throw invalidFilter(`brackets must be at most ${scimLimits.filterDepth} deep`)
      const lower = piece.toLowerCase()
      if (piece !== lower) quirk('boolean_as_text')
      return lower
    })
    .replace(bareTexts, (_all, operator: string, bare: string) => {
      quirk('unquoted_text')
      return `${operator}"${texts.push(bare) - 1}"`
    })
    .replace(membersBehind, '[($1) and $2]')
  try {
    return { filter: parse(numbered), texts }
  } catch (error) {
    throw invalidFilter('the filter cannot be read', { cause: error })
  }
}

function readJsonText(literal: string): string {
  let text: unknown
  try {
    text = JSON.parse(literal)
  } catch (error) {
    throw invalidFilter('a text of the filter is not written as in JSON', { cause: error })
  }
  if (typeof text !== 'string' || !text.isWellFormed() || text.includes('\0'))
    throw invalidFilter('a text must not contain NUL characters or unpaired surrogates')
  return text
}

function invalidFilter(problem: string, options?: ErrorOptions): ScimError {
  return new ScimError({ status: 400, scimType: 'invalidFilter' }, problem, options)
}
