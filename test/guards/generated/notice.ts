import { codeAround, contentOf } from '../code-of.js'
import { assertion, toText, whyNotGreen, whyNotNoticed } from '../outcome.js'
import type { Place } from '../place.js'
import { runTests, type NamedTest, type RunReport, type TestOutcome } from '../vitest-run.js'
import type { GeneratedGuard } from './generated.js'
import { readNoticed, remember, sourceOf, type Noticed } from './noticed.js'
import { reachOf } from './reach.js'
import { contentWithout } from './removals.js'

/** Maximum number of failures; a single one may be no assertion, so it does not stop the run. */
const maxFailures = 5

/** The test that notices the removal of a guard, or a message that no test does. */
export async function noticeRemoval(place: Place, guard: GeneratedGuard): Promise<NamedTest | string> {
  const known = readNoticed().get(guard.name) ?? []
  const [first] = known
  try {
    if (first === undefined) return await search(place, guard)
    await removeFrom(place, guard)
    const run = await runTests(
      place.root,
      known.flatMap(({ red, green }) => [red, green]),
      place.databaseUrl,
    )
    const faults = known.flatMap(({ red, green }) => whyNotNoticed(run, red) ?? whyNotGreen(run, green) ?? [])
    if (faults.length === 0) {
      remember(first.parts, known, codeOf(guard))
      return first.red
    }
    await place.restore()
    return guard.where === undefined || known.length > 1 ? faults.join('\n') : await search(place, guard)
  } finally {
    await place.restore()
  }
}

function isNoticed(run: RunReport, { red, green }: Noticed): boolean {
  return whyNotNoticed(run, red) === undefined && whyNotGreen(run, green) === undefined
}

/** Searches the tests that reach the guard: first the file that noticed most guards of its source, then the others. */
async function search(place: Place, guard: GeneratedGuard): Promise<NamedTest | string> {
  const { name, where } = guard
  const [{ file, site } = {}] = guard.removals
  if (where === undefined || file === undefined || site === undefined)
    return 'no list says where to look for a test'
  const reaching = (await reachOf(place, where)).testsAt(site)
  if (reaching.length === 0) return 'no test reaches it'
  await removeFrom(place, guard)
  const first = likeliest(file, reaching)
  const outcomes: TestOutcome[] = []
  for (const tests of [
    reaching.filter((test) => test.file === first),
    reaching.filter((test) => test.file !== first),
  ].filter(({ length }) => length > 0)) {
    const run = await runTests(place.root, tests, place.databaseUrl, maxFailures)
    if (run.outcomes.length === 0) return `nothing runs:\n${run.output.trim().slice(-600)}`
    outcomes.push(...run.outcomes)
    const found = findNotice(outcomes)
    // Repeated without the others, because a test with many requests may fail under their load.
    if (
      found === undefined ||
      !isNoticed(await runTests(place.root, [found.red, found.green], place.databaseUrl), found)
    )
      continue
    remember([name], [found], codeOf(guard))
    return found.red
  }
  return [`none of ${reaching.length} tests notices`, ...outcomes.flatMap(toFailure).slice(0, 3)].join('\n')
}

async function removeFrom(place: Place, { removals }: GeneratedGuard): Promise<void> {
  for (const file of new Set(removals.map((removal) => removal.file))) {
    const there = removals.filter((removal) => removal.file === file)
    await place.write(file, contentWithout(await place.read(file), there))
  }
}

/** The code around the removals of a guard, by which a later run knows whether it has changed. */
export function codeOf({ removals }: GeneratedGuard): string {
  const files = [...new Set(removals.map(({ file }) => file))]
  return files
    .map((file) => {
      const content = contentOf(file)
      const there = removals.filter((removal) => removal.file === file)
      return codeAround(file, content, contentWithout(content, there))
    })
    .join('\n')
}

function likeliest(source: string, tests: readonly NamedTest[]): string | undefined {
  const noticing = [...readNoticed()]
    .filter(([name]) => sourceOf(name) === source)
    .flatMap(([, entries]) => entries.map(({ red }) => red.file))
  const often = (file: string) => noticing.filter((other) => other === file).length
  return tests.map(({ file }) => file).toSorted((a, b) => often(b) - often(a))[0]
}

/** A test that fails only by assertions, and the passing test most similar to it by file and title. */
function findNotice(outcomes: readonly TestOutcome[]): Noticed | undefined {
  const red = outcomes.find(
    ({ state, errors }) => state === 'failed' && errors.every((error) => assertion.test(error)),
  )
  if (red === undefined) return undefined
  const likeness = (test: NamedTest) => commonLength(toText(test), toText(red))
  const [green] = outcomes
    .filter(({ state }) => state === 'passed')
    .toSorted((a, b) => likeness(b) - likeness(a))
  return green && { red: toTest(red), green: toTest(green) }
}

function toTest({ file, title }: NamedTest): NamedTest {
  return { file, title }
}

function commonLength(a: string, b: string): number {
  let length = 0
  while (length < a.length && a[length] === b[length]) length++
  return length
}

function toFailure(test: TestOutcome): string[] {
  return test.state === 'failed' ? [`${toText(test)} fails: ${test.errors[0]?.split('\n', 1)[0] ?? ''}`] : []
}
