import { isDeepStrictEqual } from 'node:util'
import type { Field } from './field.js'

/** The choice of all that there will ever be, which is null. */
export const everything = '*'

/** What a form has sent, by the names of its controls. */
export type Posted = Readonly<Record<string, unknown>>

/** A member of a record by its path; undefined where there is none. */
export function memberOf(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
    record,
  )
}

/** The value of a record's member as its control has it. */
export function shownValue({ kind }: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (kind === 'lines' && Array.isArray(value)) return value.join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value, null, kind === 'json' ? 2 : 0)
}

/** The values that a form has sent for a field, for the form that is shown again. */
export function postedValues(posted: Posted, { name }: Pick<Field, 'name'>): readonly string[] {
  return [posted[name]].flat().filter((value) => typeof value === 'string')
}

/**
 * The body of a call by what a form has sent. Of a change it has only what differs from the record that was shown; of a creation
 * nothing that was left empty.
 *
 * @param shown The record that is changed; undefined for a new one.
 */
export function bodyOfForm(
  fields: readonly Field[],
  posted: Posted,
  shown: unknown,
): Readonly<Record<string, unknown>> {
  const body: Record<string, unknown> = {}
  for (const field of fields) {
    const value = enteredValue(field, postedValues(posted, field))
    const isLeft = shown === undefined ? isEmpty(field, value) : isSame(value, memberOf(shown, field.path))
    if (value === undefined || isLeft) continue
    setMember(body, field.path, value)
  }
  return body
}

/** The value that was entered; undefined where the member is not to be sent. */
function enteredValue(field: Field, sent: readonly string[]): unknown {
  const [text = ''] = sent
  switch (field.kind) {
    case 'choices':
      // The form has a marker, so that none is told from a form without the field.
      if (sent.includes(everything)) return null
      return sent.length === 0 ? undefined : sent.filter((value) => value !== '')
    case 'lines':
      return sent.length === 0 ? undefined : emptied(field, linesOf(text), linesOf(text).length === 0)
    case 'flag':
      return text === '' ? undefined : text === 'true'
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : emptied(field, text, text === '')
    case 'json':
      return emptied(field, parsed(text), text.trim() === '')
    case 'secret':
    case 'choice':
      return text === '' ? undefined : text
    default:
      return sent.length === 0 ? undefined : emptied(field, text, text === '')
  }
}

/** Nothing is null where the member may be, and otherwise an empty list, or not sent. */
function emptied({ isNullable, kind, isRequired }: Field, value: unknown, isEmpty: boolean): unknown {
  if (!isEmpty) return value
  if (isNullable) return null
  if (kind === 'lines') return []
  return isRequired ? value : undefined
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** What is not JSON is sent as text, which the contract refuses at the field. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Whether a member of a new record was left to its default. */
function isEmpty({ isRequired, kind }: Field, value: unknown): boolean {
  if (isRequired || (kind === 'choices' && value === null)) return false
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

function isSame(value: unknown, shown: unknown): boolean {
  return isDeepStrictEqual(value, shown) || (value === null && shown === undefined)
}

/** Sets a member by its path. */
export function setMember(body: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    body[name] = value
    return
  }
  const inner = (body[name] ?? {}) as Record<string, unknown>
  setMember(inner, rest, value)
  body[name] = inner
}
