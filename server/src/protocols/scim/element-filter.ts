import type { ScimAttribute } from '@portico/contract/scim'
import type { Comparison, ElementFilter } from './filter.js'
import type { ScimComplex, ScimSimple } from './values.js'

/** Whether an element of a list matches a filter. */
export function isMatch(filter: ElementFilter, element: ScimComplex): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.filters.every((part) => isMatch(part, element))
    case 'or':
      return filter.filters.some((part) => isMatch(part, element))
    case 'not':
      return !isMatch(filter.filter, element)
    case 'present':
      return element[filter.subject.name] !== undefined
    case 'comparison':
      return isComparable(filter.subject, filter.operator, element[filter.subject.name], filter.value)
  }
}

function isComparable(
  { type, caseExact }: ScimAttribute,
  operator: Comparison,
  value: ScimSimple | undefined,
  compared: ScimSimple,
): boolean {
  // A missing primary counts as false (RFC 7643 section 2.4).
  if (type === 'boolean') return ((value ?? false) === compared) === (operator === 'eq')
  if (value === undefined) return operator === 'ne'
  const fold = (simple: ScimSimple) => (caseExact ? String(simple) : String(simple).toLowerCase())
  const isNumber = typeof value === 'number' && typeof compared === 'number'
  const [left, right] = isNumber ? [value, compared] : [fold(value), fold(compared)]
  switch (operator) {
    case 'eq':
      return left === right
    case 'ne':
      return left !== right
    case 'co':
      return String(left).includes(String(right))
    case 'sw':
      return String(left).startsWith(String(right))
    case 'ew':
      return String(left).endsWith(String(right))
    case 'gt':
      return left > right
    case 'ge':
      return left >= right
    case 'lt':
      return left < right
    case 'le':
      return left <= right
  }
}

/** The element described by a filter of equalities; undefined for other filters. */
export function elementOf(filter: ElementFilter): ScimComplex | undefined {
  if (filter.kind === 'comparison' && filter.operator === 'eq') return { [filter.subject.name]: filter.value }
  if (filter.kind !== 'and') return undefined
  const parts = filter.filters.map(elementOf)
  const known = parts.filter((part) => part !== undefined)
  const element = Object.assign({}, ...known) as ScimComplex
  return known.length === parts.length && isMatch(filter, element) ? element : undefined
}
