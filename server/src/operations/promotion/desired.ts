import { toFieldErrors } from '../../platform/field-errors.js'
import { ApiError } from '../../platform/errors.js'
import { checkWellFormed } from '../../platform/well-formed.js'
import { kindOfSection, pathOf, type Address, type Path } from './address.js'
import { ConfigurationFaults, type ConfigurationFault } from './faults.js'
import type { Kind, Members } from './kind.js'
import { kinds } from './kinds.js'
import { nearestName } from './nearest-name.js'

/** The wanted state of a thing; members that it does not name stay unchanged. */
export interface WantedThing extends Address {
  /** Null: it must not exist. */
  readonly members: Members | null
}

/** The wanted configuration. */
export interface WantedConfiguration {
  readonly wanted: readonly WantedThing[]
  /** The sections that are listed in full: other things in them are not wanted. */
  readonly told: readonly Path[]
}

/** The organizations that it covers. */
export function organizationsOf({ wanted, told }: WantedConfiguration): string[] {
  const named = [...wanted.map(pathOf), ...told].filter(([first]) => first === 'organizations')
  return [...new Set(named.flatMap(([, domain]) => domain ?? []))]
}

/**
 * Reads the wanted configuration of a file by the contract's schemas of changes.
 *
 * @throws ConfigurationFaults with every fault.
 */
export function toDesired(data: Readonly<Record<string, unknown>>): WantedConfiguration {
  const reading: Reading = { wanted: [], told: [], faults: [] }
  const { organizations, ...sections } = data
  readSections(reading, sections, null)
  for (const [domain, its] of entriesOf(reading, organizations, ['organizations']))
    readSections(reading, Object.fromEntries(entriesOf(reading, its, ['organizations', domain])), domain)
  if (reading.faults.length > 0) throw new ConfigurationFaults(reading.faults)
  return reading
}

interface Reading {
  readonly wanted: WantedThing[]
  readonly told: Path[]
  readonly faults: ConfigurationFault[]
}

function readSections(
  reading: Reading,
  sections: Readonly<Record<string, unknown>>,
  organization: string | null,
): void {
  const root = organization === null ? [] : ['organizations', organization]
  const of = organization === null ? 'account' : 'organization'
  const names = kinds.filter((kind) => kind.of === of).map(({ section }) => section)
  for (const [section, value] of Object.entries(sections)) {
    const path = [...root, section]
    const kind = kindOfSection(of, section)
    if (kind === undefined)
      reading.faults.push({
        path,
        message: `is no section${suggestion(section, of === 'account' ? [...names, 'organizations', 'environments'] : names)}`,
      })
    else readSection(reading, { kind, organization, path, value })
  }
}

function readSection(
  reading: Reading,
  { kind, organization, path, value }: Omit<Address, 'key'> & { path: Path; value: unknown },
): void {
  reading.told.push(path)
  if (kind.key === null) {
    if (value !== null) readMembers(reading, { kind, organization, key: null }, value)
    return
  }
  for (const [key, members] of entriesOf(reading, value, path))
    readMembers(reading, { kind, organization, key }, members)
}

function readMembers(reading: Reading, address: Address, value: unknown): void {
  const { kind } = address
  const path = pathOf(address)
  const before = reading.faults.length
  const given = entriesOf(reading, value, path)
  for (const [name] of given) {
    const message = faultOfName(kind, name)
    if (message !== undefined) reading.faults.push({ path: [...path, name], message })
  }
  if (reading.faults.length > before) return
  const { data, faults } = parsed(path, () => kind.changes.safeParse(wellFormed(Object.fromEntries(given))))
  reading.faults.push(...faults)
  if (data !== undefined) reading.wanted.push({ ...address, members: data })
}

function wellFormed(value: unknown): unknown {
  checkWellFormed(value)
  return value
}

/** The value as a schema reads it, or its faults, at the path. */
export function parsed(
  path: Path,
  parse: () => ReturnType<Kind['changes']['safeParse']>,
): { readonly data?: Members; readonly faults: readonly ConfigurationFault[] } {
  try {
    const { data, error } = parse()
    if (data !== undefined) return { data, faults: [] }
    return { faults: toFaults(path, toFieldErrors(error.issues)) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { faults: toFaults(path, error.fields ?? []) }
  }
}

/** The faults of a thing's members, at their paths. */
export function toFaults(
  path: Path,
  fields: readonly { readonly path: string; readonly message: string }[],
): ConfigurationFault[] {
  return fields.map((field) => ({
    path: field.path === '' ? path : [...path, ...field.path.split('.')],
    message: field.message,
  }))
}

function faultOfName(kind: Kind, name: string): string | undefined {
  if (kind.members.includes(name)) return undefined
  const omitted = Object.hasOwn(kind.omitted, name) ? kind.omitted[name] : undefined
  const reason = name === kind.key ? 'is told by where it stands in the file' : omitted
  if (reason !== undefined) return `is not promoted: it ${reason}`
  return `is no member of ${kind.section}${suggestion(name, kind.members)}`
}

function suggestion(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names)
  return nearest === undefined ? `: there are ${names.join(', ')}` : `: did you mean ${nearest}?`
}

/** The members of an object; nothing for a missing value. */
function entriesOf(reading: Reading, value: unknown, path: Path): [string, unknown][] {
  if (value === undefined || value === null) return []
  if (typeof value === 'object' && !Array.isArray(value)) return Object.entries(value)
  reading.faults.push({ path, message: 'must be names with what belongs to them' })
  return []
}
