import { isCalendarDate } from '@portico/contract/fields'
import type { MetaKey } from '@portico/contract/metadata'
import { email, httpsUrl } from '@portico/contract/fields'
import { invalid } from '../../platform/errors.js'

const maxLength = 2000

const forms: Record<MetaKey['type'], { fits: (text: string) => boolean; hint: string }> = {
  string: { fits: () => true, hint: 'text' },
  integer: {
    fits: (text) => /^-?(0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text)),
    hint: 'a whole number such as 42',
  },
  float: {
    fits: (text) => /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d{1,3})?$/.test(text) && Number.isFinite(Number(text)),
    hint: 'a number such as 3.14',
  },
  boolean: { fits: (text) => text === 'true' || text === 'false', hint: 'true or false' },
  date: {
    fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isCalendarDate(text),
    hint: 'a date that exists, such as 1815-12-10',
  },
  datetime: { fits: isDateTime, hint: 'a date and time with offset, such as 1815-12-10T09:30:00Z' },
  url: { fits: (text) => httpsUrl().safeParse(text).success, hint: 'an https URL' },
  email: { fits: (text) => email().safeParse(text).success, hint: 'an e-mail address' },
  json: { fits: isSafeJson, hint: 'JSON without a member __proto__' },
}

function isDateTime(text: string): boolean {
  const [, date] = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.exec(text) ?? []
  return date !== undefined && isCalendarDate(date) && !Number.isNaN(Date.parse(text))
}

/** Whether a text is JSON that is safe to merge: no name in it changes the prototype of an object. */
function isSafeJson(text: string): boolean {
  let isSafe = true
  try {
    JSON.parse(text, (name, value: unknown) => {
      if (name === '__proto__') isSafe = false
      return value
    })
    return isSafe
  } catch {
    return false
  }
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/**
 * Checks that a value fits the type of its key and is at most 2,000 characters long.
 *
 * @param path The parameter of the value, for the fault.
 * @throws ApiError `invalid_parameters`
 */
export function checkMetaValue(type: MetaKey['type'], value: string, path: string): void {
  if (value.length > maxLength) throw invalid(path, 'too_big', `must have at most ${maxLength} characters`)
  const { fits, hint } = forms[type]
  if (!fits(value))
    throw invalid(path, 'invalid_type', `must be ${hint}, because its key has the type ${type}`)
}

/** Whether a value fits the type of its key, as checkMetaValue() has it. */
export function isMetaValue(type: MetaKey['type'], value: string): boolean {
  return value.length <= maxLength && forms[type].fits(value)
}

/** A value as JSON of its key's type, as tokens carry it. */
export function toJsonValue(type: MetaKey['type'], value: string): unknown {
  switch (type) {
    case 'integer':
    case 'float':
      return Number(value)
    case 'boolean':
      return value === 'true'
    case 'json':
      return parseJson(value)?.value
    case 'string':
    case 'date':
    case 'datetime':
    case 'url':
    case 'email':
      return value
  }
}
