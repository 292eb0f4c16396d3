import { readNoticed, sourceOf } from '../guards/generated/noticed.js'
import { guards } from '../guards/guards.js'

/** The files of tests that notice the removal of a guard in a source, and of those that pass without it. */
export function guardTestsOf(source: string): string[] {
  const rows = guards.filter(({ edits }) => edits.some(({ file }) => file === source))
  const noticed = [...readNoticed().values()].flat()
  const lines = noticed.filter(({ parts }) => parts.some((part) => sourceOf(part) === source))
  return [...rows, ...lines].flatMap(({ red, green }) => [red.file, green.file])
}
