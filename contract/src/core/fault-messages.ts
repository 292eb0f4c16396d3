import { z } from 'zod/v4'

type Fault = z.core.$ZodRawIssue

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** The message of a validation fault, for every schema without a message of its own. */
function toFaultMessage(fault: Fault): string {
  switch (fault.code) {
    case 'invalid_type':
      return isMissing(fault) ? required : `must be ${typeNames[fault.expected] ?? fault.expected}`
    case 'invalid_value':
      return isMissing(fault) ? required : `must be ${oneOf(fault.values.map(String))}`
    case 'invalid_union':
      return isMissing(fault) ? required : oneOfForms(fault)
    case 'too_big':
      return `must ${bound('at most', fault.origin, fault.maximum)}`
    case 'too_small':
      return fault.minimum === 1 && fault.origin === 'string'
        ? 'must not be empty'
        : `must ${bound('at least', fault.origin, fault.minimum)}`
    case 'not_multiple_of':
      return `must be a multiple of ${fault.divisor}`
    case 'unrecognized_keys':
      return 'has a member that it does not take'
    default:
      return 'is not of the form that is described'
  }
}

const required = 'is required'

function isMissing({ input }: Fault): boolean {
  return input === undefined
}

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? values.join() : `one of ${values.join(', ')}`
}

/** Joins the messages of a union's alternatives about the value as a whole. */
function oneOfForms({ errors }: Extract<Fault, { code: 'invalid_union' }>): string {
  const demands = errors.map(([first]) => /^must be (.+)$/.exec(first?.message ?? '')?.[1] ?? '')
  const forms = [...new Set(demands.filter((demand) => demand !== ''))]
  return forms.length === 0 ? 'is of none of the forms that are described' : `must be ${forms.join(' or ')}`
}

function bound(comparison: string, origin: string, limit: number | bigint): string {
  if (origin === 'string') return `have ${comparison} ${counted(limit, 'character')}`
  if (origin === 'array') return `have ${comparison} ${counted(limit, 'item')}`
  return `be ${comparison} ${limit}`
}

function counted(count: number | bigint, noun: string): string {
  return `${count} ${noun}${Number(count) === 1 ? '' : 's'}`
}

// Zod has one error map per process. A message of the schema itself takes precedence.
z.config({ customError: toFaultMessage })
