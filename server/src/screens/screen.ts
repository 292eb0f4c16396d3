import { routeNamed } from '@portico/contract/every-route'
import type { Route } from '@portico/contract/walk'

/** The screens of a resource, as they are declared: everything else follows from the routes. */
export interface ScreenDeclaration {
  /** The address below that of the environment, with parameters named as in the routes: organizations/:org_domain/users. */
  readonly at: string
  /** The list, and the members that are its columns, the most important first. */
  readonly list?: {
    readonly route: string
    readonly columns: readonly string[]
    /** The member that has the rows, where the route reads a record. */
    readonly member?: string
  }
  /** The record; with a list it is that of one of its rows, and its address has one parameter more. */
  readonly record?: string
  readonly create?: string
  readonly update?: string
  /** Operations on the record. */
  readonly actions?: readonly string[]
  /** Operations on a row of the list, where it has no record of its own. */
  readonly rowActions?: readonly string[]
  /** Operations on the whole list. */
  readonly listActions?: readonly string[]
  /** Those of all these operations whose answer is shown: it is no record that has an address. */
  readonly shown?: readonly string[]
  /** Members of bodies without a field, and why. */
  readonly omitted?: Readonly<Record<string, string>>
  /** Members of bodies that have ids, entered by a name: the route that reads a record by it. */
  readonly references?: Readonly<Record<string, string>>
  /** Of a record for which an operation changes something; the others are for each. */
  readonly onlyIf?: Readonly<Record<string, (record: Readonly<Record<string, unknown>>) => boolean>>
  /** The parameter whose value is typed once more before the record is deleted in production. */
  readonly retyped?: string
}

export interface Screen extends ScreenDeclaration {
  /** Also its key in the texts: organizations.users. */
  readonly key: string
  /** The address of a record, with its parameter; that of the screen where it has no list. */
  readonly recordAt: string
  /** The parameter that a record adds to the address. */
  readonly recordParameter: string | undefined
}

/**
 * Completes declarations.
 *
 * @throws Error when a route is unknown, or has a parameter that its address lacks.
 */
export function screensOf(declared: readonly ScreenDeclaration[]): readonly Screen[] {
  return declared.map((screen) => {
    const { at, list, record, update, actions = [], rowActions = [] } = screen
    const parameters = parametersOf(at)
    const ofRecord = [record, update, ...actions, ...rowActions].filter((name) => name !== undefined)
    const [recordParameter, ...more] = new Set(
      list === undefined
        ? []
        : ofRecord.flatMap((name) =>
            routeNamed(name).pathParameters.filter((parameter) => !parameters.includes(parameter)),
          ),
    )
    if (more.length > 0)
      throw new Error(`the record at ${at} has more than one parameter: ${more.join(', ')}`)
    const recordAt = recordParameter === undefined ? at : `${at}/:${recordParameter}`
    for (const name of [list?.route, screen.create, ...(screen.listActions ?? [])])
      if (name !== undefined) requireParameters(name, at)
    for (const name of ofRecord) requireParameters(name, recordAt)
    return { ...screen, key: keyOf(at), recordAt, recordParameter }
  })
}

function requireParameters(name: string, at: string): void {
  const missing = routeNamed(name).pathParameters.filter((parameter) => !parametersOf(at).includes(parameter))
  if (missing.length > 0) throw new Error(`${name} needs ${missing.join(', ')}, which ${at} lacks`)
}

function parametersOf(at: string): readonly string[] {
  return [...at.matchAll(/:(\w+)/g)].map(([, name]) => name ?? '')
}

/** Of the screen at an address, as the texts name it. */
export function keyOf(at: string): string {
  return at
    .split('/')
    .filter((part) => !part.startsWith(':'))
    .join('.')
}

/** What of a screen an address names. */
export type Part = 'list' | 'create' | 'record' | 'update' | 'action'

/** A screen at an address, with the values of the parameters. */
export interface ScreenAt {
  readonly screen: Screen
  readonly part: Part
  readonly params: Readonly<Record<string, string>>
  /** The operation of an action. */
  readonly route: Route
}

/** What follows the address of a list or record; no id or domain begins so, and an address of mail is none of these. */
const verbs: ReadonlySet<string> = new Set(['_create', '_edit', '_do'])

/** Finds what an address below the environment names; undefined where there is nothing. */
export function findScreen(screens: readonly Screen[], path: string): ScreenAt | undefined {
  const segments = path.split('/').filter((segment) => segment !== '')
  const place = segments.findIndex((segment) => verbs.has(segment))
  const [named, verb] = place < 0 ? [segments, []] : [segments.slice(0, place), segments.slice(place)]
  for (const screen of screens) {
    const found = partOf(screen, named, verb)
    if (found !== undefined) return found
  }
  return undefined
}

function partOf(screen: Screen, named: readonly string[], verb: readonly string[]): ScreenAt | undefined {
  const ofList = matched(screen.at, named)
  const ofRecord = matched(screen.recordAt, named)
  const at = (part: Part, params: ScreenAt['params'] | undefined, name: string | undefined) =>
    params === undefined || name === undefined ? undefined : { screen, part, params, route: routeNamed(name) }
  const [first, operation, ...rest] = verb
  if (first === undefined)
    return at('list', ofList, screen.list?.route) ?? at('record', ofRecord, screen.record)
  if (rest.length > 0) return undefined
  if (first === '_create' && operation === undefined) return at('create', ofList, screen.create)
  if (first === '_edit' && operation === undefined) return at('update', ofRecord, screen.update)
  if (first !== '_do' || operation === undefined) return undefined
  const ofRow = [...(screen.actions ?? []), ...(screen.rowActions ?? [])].find((name) => name === operation)
  if (ofRow !== undefined && ofRecord !== undefined) return at('action', ofRecord, ofRow)
  const ofWhole = screen.listActions?.find((name) => name === operation)
  return at('action', ofList, ofWhole)
}

function matched(at: string, segments: readonly string[]): Record<string, string> | undefined {
  const parts = at.split('/')
  if (parts.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (const [place, part] of parts.entries()) {
    const segment = segments[place] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = segment
    else if (part !== segment) return undefined
  }
  return params
}

/** An address with the values of its parameters. */
export function addressOf(at: string, params: Readonly<Record<string, string>>): string {
  return at.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** The value of a parameter for a row of a list: the member of that name, the domain of an organization, or its id. */
export function parameterOf(name: string, row: Readonly<Record<string, unknown>>): string {
  const value = row[name] ?? (name === 'org_domain' ? row['domain'] : row['id'])
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The screens of what belongs to a record: one parameter and one word below it, or a word below an address without a list. */
export function childrenOf(screens: readonly Screen[], { recordAt }: Screen): readonly Screen[] {
  return screens.filter(
    ({ at }) => at.startsWith(`${recordAt}/`) && !at.slice(recordAt.length + 1).includes('/'),
  )
}

/** The screen to whose record another one belongs. */
export function parentOf(screens: readonly Screen[], { at }: Screen): Screen | undefined {
  const above = at.slice(0, at.lastIndexOf('/'))
  return screens.find(({ recordAt }) => recordAt === above)
}
