import type { ScimResourceType } from '@portico/contract/directory-sync'
import { id as idForm } from '@portico/contract/fields'
import type { ScimAttribute, ScimSchema } from '@portico/contract/scim'
import { discoveryEndpoints } from './discovery.js'
import { isLoggable, redacted, toLoggedFilter, toLoggedName, toLoggedTarget } from './logged-filter.js'
import {
  attributeNamed,
  findPath,
  groupSchemas,
  leafOf,
  schemaNamed,
  userSchemas,
  type ResourceSchemas,
} from '../../directory/directory-sync/schema-path.js'
import type { Target } from './target.js'
import { isObject, memberOf } from './values.js'

/** How much of a request or answer is stored, in characters. */
const maxLength = 8000
/** The most values processed: each takes at least two characters, so that more are cut off anyway. */
const maxValues = maxLength / 2

/** Longer than any name or path, with a schema and a filter, of an attribute whose value is stored. */
const maxNameLength = 300

/** Remaining work: input that is cut off anyway is not processed. */
interface Budget {
  valuesLeft: number
  /** Characters of names, paths and filters. */
  lettersLeft: number
}

function newBudget(): Budget {
  return { valuesLeft: maxValues, lettersLeft: maxLength }
}

/** The part of a text within the budget, which it consumes. */
function withinBudget(text: string, budget: Budget): string {
  const looked = text.slice(0, budget.lettersLeft)
  budget.lettersLeft -= looked.length
  return looked
}

/** Reduces a value to what may be stored of it. */
type Reduce = (value: unknown, budget: Budget) => unknown

/**
 * The body of a request as it may be stored: the values of the contract's attributes, and only the names of others.
 * Passwords and the display names of members are not stored either; see isLoggable().
 */
export function toLoggedBody(
  body: unknown,
  target: Target | undefined,
  ofUsers: ResourceSchemas = userSchemas,
): unknown {
  if (body === undefined) return undefined
  return reduceOf(target, ofUsers)(body, newBudget())
}

function reduceOf(target: Target | undefined, ofUsers: ResourceSchemas): Reduce {
  const schemas = schemasOf(target, ofUsers)
  if (schemas === undefined || target?.kind === 'discovery') return hide
  switch (target?.operation) {
    case 'create':
    case 'replace':
      return resource(schemas)
    case 'patch':
      return object((name) => (/^operations$/i.test(name) ? list(operation(schemas)) : ofMessage(name)))
    case 'search':
      return object((name) => ofMessage(name) ?? parameter(name, schemas))
    default:
      return hide
  }
}

function schemasOf(target: Target | undefined, ofUsers: ResourceSchemas): ResourceSchemas | undefined {
  if (target === undefined || target.kind === 'discovery') return undefined
  return ofType(target.type, ofUsers)
}

function ofType(type: ScimResourceType, ofUsers: ResourceSchemas): ResourceSchemas {
  return type === 'User' ? ofUsers : groupSchemas
}

const hide: Reduce = () => redacted

const schemaPattern = /^(?:urn:|https?:\/\/)[\w.:/-]{1,200}$/
const schemaIds: Reduce = (value, budget) =>
  list((id) => (typeof id === 'string' && schemaPattern.test(id) ? id : redacted))(value, budget)

function ofMessage(name: string): Reduce | undefined {
  return /^schemas$/i.test(name) ? schemaIds : undefined
}

/** Reduces the members of an object by their names; a simple value is hidden. */
function object(formOf: (name: string) => Reduce | undefined, toName = toLoggedName): Reduce {
  return (value, budget) => {
    if (value === null) return null
    if (!isObject(value)) return redacted
    const members = Object.entries(value).slice(0, maxValues)
    const kept = taken(members, budget, ([name, member]): [string, unknown] => [
      toName(withinBudget(name, budget)),
      (formOf(name) ?? hide)(member, budget),
    ])
    return Object.fromEntries<unknown>(kept)
  }
}

/** Reduces the elements of an array, or a single value. */
function list(form: Reduce): Reduce {
  return (value, budget) =>
    Array.isArray(value) ? taken(value, budget, (item) => form(item, budget)) : form(value, budget)
}

function taken<Item, Kept>(items: readonly Item[], budget: Budget, keep: (item: Item) => Kept): Kept[] {
  const kept: Kept[] = []
  for (const item of items) {
    if (budget.valuesLeft <= 0) break
    budget.valuesLeft -= 1
    kept.push(keep(item))
  }
  return kept
}

/** Reduces a resource, or the value of an operation without a path, whose members may be named by paths. */
function resource(schemas: ResourceSchemas): Reduce {
  const formOf = (name: string) => {
    if (name.length > maxNameLength) return undefined
    const schema = schemaNamed(schemas, name)
    return ofMessage(name) ?? (schema === undefined ? atPath(schemas, name) : ofSchema(schema))
  }
  return object(formOf, (name) => toLoggedTarget(schemas, name))
}

function ofSchema({ attributes }: ScimSchema): Reduce {
  return object((name) => {
    const attribute = attributeNamed(attributes, name)
    return attribute && valueOf(attribute)
  })
}

function atPath(schemas: ResourceSchemas, path: string): Reduce | undefined {
  const found = findPath(schemas, withoutFilter(path))
  return found && valueOf(leafOf(found))
}

/** A path without its bracketed filter; by index, because a pattern would search an end for each bracket. */
function withoutFilter(path: string): string {
  const [start, end] = [path.indexOf('['), path.lastIndexOf(']')]
  return start < 0 || end < start ? path : path.slice(0, start) + path.slice(end + 1)
}

/** Reduces the value of an attribute, in the forms that providers send. */
function valueOf(attribute: ScimAttribute): Reduce {
  if (!isLoggable(attribute)) return hide
  const members = object((name) => {
    const member = attributeNamed(attribute.subAttributes, name)
    if (member !== undefined) return valueOf(member)
    return attribute.type !== 'complex' && /^value$/i.test(name) ? valueOf(attribute) : undefined
  })
  return list((value, budget) =>
    typeof value === 'object' && value !== null ? members(value, budget) : value,
  )
}

function operation(schemas: ResourceSchemas): Reduce {
  return (value, budget) => {
    const path = isObject(value) ? memberOf(value, 'path') : undefined
    const form = valueForm(schemas, path)
    const formOf = (name: string): Reduce | undefined => {
      switch (name.toLowerCase()) {
        case 'op':
          return textBy(toLoggedName)
        case 'path':
          return textBy((text) => toLoggedTarget(schemas, text.trim()))
        case 'value':
          return form
        default:
          return undefined
      }
    }
    return object(formOf)(value, budget)
  }
}

function valueForm(schemas: ResourceSchemas, path: unknown): Reduce | undefined {
  if (path === undefined || path === null || path === '') return resource(schemas)
  if (typeof path !== 'string' || path.length > maxNameLength) return undefined
  const schema = schemaNamed(schemas, path.trim())
  return schema === undefined ? atPath(schemas, path.trim()) : ofSchema(schema)
}

function textBy(toLogged: (text: string) => string): Reduce {
  return (value, budget) =>
    typeof value === 'string' ? toLogged(withinBudget(value, budget)) : value === null ? null : redacted
}

/** The parameters of a list (RFC 7644 section 3.4.2). */
function parameter(name: string, schemas: ResourceSchemas | undefined): Reduce | undefined {
  switch (name) {
    case 'filter':
      return textBy((text) => toLoggedFilter(schemas, text))
    case 'sortBy':
    case 'sortOrder':
      return textBy(toLoggedName)
    case 'attributes':
    case 'excludedAttributes':
      return list(
        textBy((text) =>
          text
            .split(',')
            .map((one) => (one.trim() === '' ? one : toLoggedName(one.trim())))
            .join(','),
        ),
      )
    case 'startIndex':
    case 'count':
      return (value) =>
        // An object may have no text at all.
        (typeof value === 'string' || typeof value === 'number') && /^[+-]?\d{1,9}$/.test(String(value))
          ? value
          : redacted
    default:
      return undefined
  }
}

/** A reduced body as text, cut to the bound; null without a body. */
export function toLoggedText(body: unknown): string | null {
  return body === undefined ? null : (JSON.stringify(body)?.slice(0, maxLength) ?? null)
}

/** A longer name of an unknown parameter may be a misplaced secret. */
const maxUnknownName = 20

/** A query as it may be stored: the parameters of lists, and only the names of others. */
export function toLoggedQuery(
  query: string,
  target: Target | undefined,
  ofUsers: ResourceSchemas = userSchemas,
): string {
  const schemas = schemasOf(target, ofUsers)
  const pairs = query === '' ? [] : query.slice(0, maxLength).split('&')
  return pairs
    .map((pair) => {
      const [entry] = new URLSearchParams(pair)
      if (entry === undefined) return ''
      const [name, value] = entry
      const known = parameter(name, schemas)
      const loggedName = known === undefined && name.length > maxUnknownName ? redacted : toLoggedName(name)
      const logged = value === '' ? '' : (known ?? hide)(value, newBudget())
      if (loggedName === name && logged === value) return pair
      const shown = logged === redacted ? redacted : encodeURIComponent(String(logged))
      return loggedName === redacted ? redacted : `${loggedName}=${shown}`
    })
    .join('&')
    .slice(0, maxLength)
}

/** Every segment of a valid path, besides ids. */
const segments = new Set<string>([...discoveryEndpoints, 'Users', 'Groups', '.search', 'Bulk', 'Me', ''])

/** A path as it may be stored: unknown segments are replaced, because they may be anything. */
export function toLoggedPath(path: string): string {
  const isShown = (segment: string) =>
    segments.has(segment) || idForm().safeParse(segment).success || schemaPattern.test(segment)
  return path
    .split('/', 8)
    .map((segment) => (isShown(segment) ? segment : redacted))
    .join('/')
}

/** An answer as it may be stored: of a list only its ids, so that users are not copied into the log. */
export function toLoggedAnswer(
  body: object | undefined,
  type: ScimResourceType | undefined,
  ofUsers: ResourceSchemas = userSchemas,
): string | null {
  if (body === undefined) return null
  if (type === undefined) return toLoggedText(body)
  if (!('Resources' in body) || !Array.isArray(body.Resources))
    return toLoggedText(resource(ofType(type, ofUsers))(body, newBudget()))
  const ids = body.Resources.map((found: unknown) =>
    typeof found === 'object' && found !== null && 'id' in found ? { id: found.id } : {},
  )
  return toLoggedText({ ...body, Resources: ids })
}

// Bounded on each side of the @, so that a long text costs little.
const addressPattern = /[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}/i

/** The first e-mail address in the stored part of a request: the rest may have a password that looks like one. */
export function findAddress(texts: {
  readonly query: string
  readonly request: string | null
}): string | undefined {
  return addressPattern.exec(`${decodedQuery(texts.query)} ${texts.request ?? ''}`)?.[0]
}

function decodedQuery(query: string): string {
  return [...new URLSearchParams(query.slice(0, maxLength)).values()].join(' ')
}
