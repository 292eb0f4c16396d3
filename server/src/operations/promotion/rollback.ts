import { recordAddressOf, pathOf, type Path } from './address.js'
import type { Configuration } from './configuration.js'
import type { WantedThing } from './desired.js'
import type { Applied } from './history.js'
import type { Members } from './kind.js'

/** An earlier state of a thing, and its id. */
export interface EarlierState extends WantedThing {
  /** Null: it did not exist. */
  readonly id: string | null
}

/** How far to go back: to the state after an apply or before it; undefined: before the newest. */
export type Extent = { readonly after: string } | { readonly before: string } | undefined

/**
 * The states that undo applies: created things are deleted, changed ones restored, and deleted ones created again. Other
 * changes since then stay.
 *
 * @param applies The newest first.
 * @throws Error a sentence when there is nothing to take back, or no such id.
 */
export function statesBefore(applies: readonly Applied[], extent: Extent): EarlierState[] {
  if (applies.length === 0)
    throw new Error('Nothing was applied here, so that there is nothing to take back.')
  const count = countOf(applies, extent)
  const earlier = new Map<string, EarlierState>()
  for (const { steps } of applies.slice(0, count)) {
    for (const step of steps.toReversed()) {
      const path = JSON.stringify(step.path)
      const newer = earlier.get(path)
      // The newest step has the id that exists now.
      const id = newer === undefined ? (step.action === 'delete' ? null : step.id) : newer.id
      const members = step.action === 'update' ? over(newer?.members, step.before) : step.before
      earlier.set(path, { ...recordAddressOf(step.path), id, members })
    }
  }
  return [...earlier.values()]
}

/** How many of the newest are rolled back. */
function countOf(applies: readonly Applied[], extent: Extent): number {
  if (extent === undefined) return 1
  const [id, more] = 'after' in extent ? [extent.after, 0] : [extent.before, 1]
  const newer = applies.findIndex((applied) => applied.id === id)
  if (newer === -1)
    throw new Error(`There is no apply ${id} here: portico config history shows those there are.`)
  return newer + more
}

/**
 * The changed things, under their present names. A deleted one is created again; where another thing has its name, that
 * one was not changed and is left alone.
 */
export function followed(
  { present, former }: Configuration,
  all: readonly EarlierState[],
): { readonly wanted: readonly WantedThing[]; readonly replaced: readonly Path[] } {
  const wanted = new Map<string, WantedThing>()
  const replaced: Path[] = []
  for (const { id, ...one } of all) {
    const path = JSON.stringify(pathOf(one))
    const it = present.find(
      (other) => other.id === id && other.kind === one.kind && other.organization === one.organization,
    )
    const isTaken = [...present, ...former].some((other) => JSON.stringify(pathOf(other)) === path)
    if (it === undefined && isTaken) {
      replaced.push(pathOf(one))
      continue
    }
    const now = { ...one, key: it?.key ?? one.key }
    const name = JSON.stringify(pathOf(now))
    const newer = wanted.get(name)
    wanted.set(name, { ...now, members: one.members === null ? null : over(newer?.members, one.members) })
  }
  return { wanted: [...wanted.values()], replaced }
}

/** The older apply decides about members that both have changed. */
function over(newer: Members | null | undefined, older: Members | null): Members {
  return { ...newer, ...older }
}
