import { groupSchema, scimLimits, type ScimAttribute } from '@portico/contract/scim'
import {
  attributeNamed,
  findPath,
  leafOf,
  type ResourceSchemas,
} from '../../directory/directory-sync/schema-path.js'

/** Replaces values that are not logged. */
export const redacted = '(not kept)'

/** The display names of members are not logged: only their ids, so that no personal data remains after an erasure. */
const memberDisplay = attributeNamed(
  attributeNamed(groupSchema.attributes, 'members')?.subAttributes,
  'display',
)

/** Whether values of an attribute may be logged: those that an answer may have. */
export function isLoggable(attribute: ScimAttribute): boolean {
  return attribute.returned !== 'never' && attribute !== memberDisplay
}

/** Names of attributes and parameters, with or without a schema; each part is shorter than a secret. */
const namePattern = /^[\w$-]{1,40}(?:[:.][\w$-]{1,40}){0,20}$/

/** A known or unknown name as it may be logged or answered (RFC 7643 section 2.1). */
export function toLoggedName(name: string): string {
  return namePattern.test(name) ? name : redacted
}

const operators = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
const joints = new Set(['and', 'or', 'not'])

/** Somewhat more than the longest valid filter or path; the rest is cut off. */
const maxLength = scimLimits.filterLength + 200

/** String literals, closed or not, words, and separators. */
const pieces = /"(?:[^"\\]|\\.)*"?|[^\s"()[\]]+|[\s()[\]]/gs

/** The path of a known or unknown attribute as it may be logged. */
export function toLoggedTarget(schemas: ResourceSchemas, path: string): string {
  return namePattern.test(path) ? path : toLoggedFilter(schemas, path)
}

/**
 * A filter, or a path with one in its brackets, as it may be logged: only attributes of the schemas, and only values
 * compared with an attribute that may be logged. The filter may be invalid.
 */
export function toLoggedFilter(schemas: ResourceSchemas | undefined, text: string): string {
  let list: ScimAttribute | undefined
  let isInBrackets = false
  let subject: ScimAttribute | undefined
  let isCompared = false
  const toLogged = (piece: string): string => {
    if (/^[\s()]$/.test(piece)) return piece
    if (piece === '[' || piece === ']') {
      isInBrackets = piece === '['
      if (isInBrackets) list = subject
      subject = undefined
      isCompared = false
      return piece
    }
    const word = piece.toLowerCase()
    if (isCompared) {
      const isShown = subject !== undefined && isLoggable(subject)
      subject = undefined
      isCompared = false
      return isShown ? piece : redacted
    }
    if (operators.has(word)) {
      isCompared = true
      return piece
    }
    if (word === 'pr' || joints.has(word)) return piece
    subject = isInBrackets || word.startsWith('.') ? memberNamed(list, piece) : leafNamed(schemas, piece)
    return subject === undefined ? redacted : piece
  }
  return text.slice(0, maxLength).replace(pieces, toLogged)
}

function memberNamed(list: ScimAttribute | undefined, piece: string): ScimAttribute | undefined {
  return attributeNamed(list?.subAttributes, piece.replace(/^\./, ''))
}

function leafNamed(schemas: ResourceSchemas | undefined, name: string): ScimAttribute | undefined {
  const path = schemas === undefined ? undefined : findPath(schemas, name)
  return path === undefined ? undefined : leafOf(path)
}
