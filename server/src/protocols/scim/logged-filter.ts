import { groupSchema, scimLimits, type ScimAttribute } from '@portico/contract/scim'
import { attributeNamed, findPath, leafOf, type ResourceSchemas } from './schema-path.js'

/** Stands for what is not kept. */
export const notKept = '(not kept)'

/** What members of a group are called: they are known by their ids, so that nothing of a person stays when they are erased. */
const memberDisplay = attributeNamed(
  attributeNamed(groupSchema.attributes, 'members')?.subAttributes,
  'display',
)

/** Whether values of an attribute may stand in a log: those that an answer may have. */
export function isKept(attribute: ScimAttribute): boolean {
  return attribute.returned !== 'never' && attribute !== memberDisplay
}

/** Names of attributes and parameters, with a schema or without; none of the parts is as long as a secret. */
const namePattern = /^[\w$-]{1,40}(?:[:.][\w$-]{1,40}){0,20}$/

/** A name as it may stand in a log or an answer, known or not (RFC 7643 section 2.1). */
export function toLoggedName(name: string): string {
  return namePattern.test(name) ? name : notKept
}

const operators = new Set(['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'])
const joints = new Set(['and', 'or', 'not'])

/** As much of a filter or a path as any that can be read has, and somewhat more; nothing is looked for behind it. */
const maxLength = scimLimits.filterLength + 200

/** Texts, closed or not, words, and all between them. */
const pieces = /"(?:[^"\\]|\\.)*"?|[^\s"()[\]]+|[\s()[\]]/gs

/** The path of an attribute as it may stand in a log, also of one that is not known. */
export function toLoggedTarget(schemas: ResourceSchemas, path: string): string {
  return namePattern.test(path) ? path : toLoggedFilter(schemas, path)
}

/**
 * A filter, or a path with one in its brackets, as it may stand in a log: with the attributes of the schemas, and what is
 * compared with one whose values are kept. It need not be one that can be read.
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
      const isShown = subject !== undefined && isKept(subject)
      subject = undefined
      isCompared = false
      return isShown ? piece : notKept
    }
    if (operators.has(word)) {
      isCompared = true
      return piece
    }
    if (word === 'pr' || joints.has(word)) return piece
    subject = isInBrackets || word.startsWith('.') ? memberNamed(list, piece) : leafNamed(schemas, piece)
    return subject === undefined ? notKept : piece
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
