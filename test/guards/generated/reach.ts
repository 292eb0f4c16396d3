import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escaped } from '../repository-copy.js'
import { toText } from '../outcome.js'
import type { Place } from '../place.js'
import { runFiles, type NamedTest } from '../vitest-run.js'
import type { Listed } from './listed.js'
import { sourcesIn } from './generated.js'
import { probed } from './removals.js'

/** The tests that reach each guard, with all guards in place. */
export interface Reach {
  /** The tests that reach a guard, in the order of the list. */
  testsAt(site: string): readonly NamedTest[]
}

/** The test files with tables over all routes of the contract. */
const routeTables = ['test/api/every-route.test.ts', 'test/api/declared-errors.test.ts']

const reaches = new Map<Listed, Promise<Reach>>()

/** Runs the tests listed with some sources once, with all guards in place and instrumented. */
export function reachOf(place: Place, listed: Listed): Promise<Reach> {
  const reach = reaches.get(listed) ?? findReach(place, listed)
  reaches.set(listed, reach)
  return reach
}

async function findReach(place: Place, { sources, tests, routes }: Listed): Promise<Reach> {
  const record = join(place.root, 'reached.jsonl')
  try {
    for (const file of sources.flatMap(sourcesIn))
      await place.write(file, probed(file, await place.read(file)))
    await place.write(setup, (await place.read(setup)) + recorder(record))
    await place.write('reached.jsonl', '')
    const runs = [await runFiles(place.root, tests, place.databaseUrl)]
    if (routes.length > 0)
      runs.push(
        await runFiles(place.root, routeTables, place.databaseUrl, {
          pattern: `^(${routes.map(escaped).join('|')})`,
        }),
      )
    const outcomes = runs.flatMap((run) => run.outcomes).filter(({ state }) => state !== 'skipped')
    for (const test of outcomes.filter(({ state }) => state === 'failed'))
      process.stdout.write(`  ${toText(test)} fails with all guards in place\n`)
    const passed = outcomes.filter(({ state }) => state === 'passed')
    const reached = new Set((await readFile(record, 'utf8')).split('\n'))
    const isReached = (site: string, { file, title }: NamedTest) =>
      !file.startsWith('test/') ||
      reached.has(lineOf(site, join(place.root, file), title)) ||
      reached.has(lineOf(site, join(place.root, file), ''))
    return { testsAt: (site) => passed.filter((test) => isReached(site, test)) }
  } finally {
    await place.restore()
  }
}

const setup = 'test/file-setup.ts'

/** Records each guard that a test reaches. Guards reached in hooks or after a test count for all tests of the file. */
function recorder(path: string): string {
  return `
import { appendFileSync as append } from 'node:fs'
import { beforeEach as before, afterEach as after, expect as state } from 'vitest'
let title = ''
const noted = new Set()
before(({ task }) => { title = (state.getState().currentTestName ?? '').replaceAll(' > ', ' ') })
after(() => { title = '' })
globalThis.guardReached = (site) => {
  const line = JSON.stringify([site, state.getState().testPath, title])
  if (noted.has(line)) return
  noted.add(line)
  append(${JSON.stringify(path)}, line + '\\n')
}
`
}

function lineOf(site: string, file: string, title: string): string {
  return JSON.stringify([site, file, title.replaceAll(' > ', ' ')])
}
