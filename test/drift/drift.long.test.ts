import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { copyRepository, type RepositoryCopy } from '../guards/repository-copy.js'
import { runTests } from '../guards/vitest-run.js'
import {
  compileErrors,
  consequencesIn,
  failingChecks,
  generateAll,
  releaseContract,
  unnoticed,
} from './consequences.js'
import { inputDrifts } from './input-drifts.js'
import { newField, newMigration, newTest, roundTrip } from './newcomer.js'
import { recordDrifts } from './record-drifts.js'
import { routeDrifts } from './route-drifts.js'
import { vocabularyDrifts } from './vocabulary-drifts.js'

const timeLimitMs = 20 * 60_000

const drifts = [...recordDrifts, ...inputDrifts, ...routeDrifts, ...vocabularyDrifts]

let copy: RepositoryCopy

beforeAll(async () => {
  copy = await copyRepository()
  // Edits are compared with the contract as it is, whatever it has that is not released yet.
  await releaseContract(copy)
  // What was red before would be found after every edit.
  expect(await consequencesIn(copy)).toEqual({ compile: [], stale: [], tests: [], gate: unnoticed })
}, timeLimitMs)

afterEach(() => copy.restore())

afterAll(() => copy.remove())

describe('what goes red with an edit of the contract', () => {
  test.each(drifts.map((drift) => [drift.name, drift] as const))(
    '%s',
    async (_name, { edits, compile, stale, tests, gate, service = [], holds = [] }) => {
      await copy.apply(edits)

      expect(await consequencesIn(copy)).toEqual({ compile, stale: stale.toSorted(), tests, gate })
      const named = [...service, ...holds]
      const run = named.length > 0 ? await runTests(copy.root, named, inject('adminUrl')) : undefined
      expect(named.map((test) => [test.title, run?.outcomeOf(test)?.state])).toEqual([
        ...service.map(({ title }) => [title, 'failed']),
        ...holds.map(({ title }) => [title, 'passed']),
      ])
    },
    timeLimitMs,
  )
})

test(
  'what an edit turns red of the service is green without one',
  async () => {
    const named = drifts.flatMap(({ service = [], holds = [] }) => [...service, ...holds])

    const run = await runTests(copy.root, named, inject('adminUrl'))

    const outcomes = named.map((test) => [test.title, run.outcomeOf(test)?.state])
    // It is there only with the edit that declares the code.
    const declared = ['users.get answers user_inactive, as it declares', undefined]
    expect(outcomes.filter(([, state]) => state !== 'passed')).toEqual([declared])
  },
  timeLimitMs,
)

test(
  'npm test refuses what is stale, of the docs and of the SDK',
  async () => {
    await copy.apply(drifts[0]?.edits ?? [])
    await compileErrors(copy)

    expect(await failingChecks(copy)).toEqual({ docs: true, sdk: true })
  },
  timeLimitMs,
)

test(
  'a field of User that callers may write is the contract, one migration and record.ts; the rest is generated',
  async () => {
    await copy.write(newMigration.file, newMigration.content)
    await copy.apply(newField)
    await copy.write(newTest.file, newTest.content)

    await generateAll(copy)

    expect(await compileErrors(copy, ['.'])).toEqual([])
    const { gate, ...others } = await consequencesIn(copy)
    expect(others).toEqual({ compile: [], stale: [], tests: [] })
    expect(gate.breaking).toEqual([])
    expect(gate.additive).toEqual([
      'users.create body.job_title is new',
      'users.update body.job_title is new',
      'User job_title is new',
    ])
    const run = await runTests(copy.root, [newTest, roundTrip], inject('adminUrl'))
    for (const named of [newTest, roundTrip])
      expect(run.outcomeOf(named)).toEqual({ state: 'passed', errors: [] })
  },
  timeLimitMs,
)
