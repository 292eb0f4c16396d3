import { addressOf } from './address.js'
import type { Desired, Wanted } from './desired.js'
import type { Applied } from './history.js'
import type { Members } from './kind.js'

/**
 * What takes back what was changed: everything that was made goes, what was changed is as it was, and what was deleted is
 * made anew. Of what was changed otherwise since, it touches nothing else.
 *
 * @param applies The newest first.
 * @param to What is to be as it was after this one; undefined: before the newest.
 * @throws Error a sentence when there is nothing to take back, or no such id.
 */
export function toBefore(applies: readonly Applied[], to: string | undefined): Desired {
  if (applies.length === 0)
    throw new Error('Nothing was applied here, so that there is nothing to take back.')
  const count = to === undefined ? 1 : applies.findIndex(({ id }) => id === to)
  if (count === -1)
    throw new Error(`There is no apply ${to ?? ''} here: portico config history shows those there are.`)
  const wanted = new Map<string, Wanted>()
  for (const { steps } of applies.slice(0, count)) {
    for (const step of steps.toReversed()) {
      const id = JSON.stringify(step.path)
      // An older one decides about the members that both have changed.
      const members = step.action === 'update' ? { ...wanted.get(id)?.members, ...step.before } : step.before
      wanted.set(id, { ...addressOf(step.path), members: members satisfies Members | null })
    }
  }
  return { wanted: [...wanted.values()], told: [] }
}
