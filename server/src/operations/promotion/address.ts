import type { Kind } from './kind.js'
import { kinds } from './kinds.js'

/** The path of a thing in the file: the names of its sections and keys. */
export type Path = readonly string[]

/** The thing that a path of a file names. */
export interface Address {
  readonly kind: Kind
  /** Null for things of the account. */
  readonly organization: string | null
  /** Null where an organization has one. */
  readonly key: string | null
}

export function pathOf({ kind, organization, key }: Address): Path {
  return [
    ...(organization === null ? [] : ['organizations', organization]),
    kind.section,
    ...(key === null ? [] : [key]),
  ]
}

/** @throws Error for a path of nothing that is promoted. */
export function recordAddressOf(path: Path): Address {
  const isOfOrganization = path[0] === 'organizations'
  const [section, key = null] = path.slice(isOfOrganization ? 2 : 0)
  const kind = kindOfSection(isOfOrganization ? 'organization' : 'account', section)
  if (kind === undefined) throw new Error(`${nameOfPath(path)} is nothing that is promoted`)
  return { kind, organization: isOfOrganization ? (path[1] ?? null) : null, key }
}

export function kindOfSection(of: Kind['of'], section: string | undefined): Kind | undefined {
  return kinds.find((kind) => kind.of === of && kind.section === section)
}

/** A path as it is printed: names with dots between, those with other characters in quotation marks. */
export function nameOfPath(path: Path): string {
  return path.map((part) => (/^[\w-]+$/.test(part) ? part : JSON.stringify(part))).join('.')
}
