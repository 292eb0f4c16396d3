import { guards } from '../guards/guards.js'

/** The files of the tests that notice when a guard is removed from a source, and of those that pass through it. */
export function guardTestsOf(source: string): string[] {
  return guards
    .filter(({ edits }) => edits.some(({ file }) => file === source))
    .flatMap(({ red, green }) => [red.file, green.file])
}
