import { readNoticed, sourceOf } from '../guards/generated/noticed.js'
import { guards } from '../guards/guards.js'

/** The files of the tests that notice when a guard is removed from a source, and of those that pass through it. */
export function guardTestsOf(source: string): string[] {
  const rows = guards.filter(({ edits }) => edits.some(({ file }) => file === source))
  const noticed = [...readNoticed().values()].flat()
  const lines = noticed.filter(({ parts }) => parts.some((part) => sourceOf(part) === source))
  return [...rows, ...lines].flatMap(({ red, green }) => [red.file, green.file])
}
