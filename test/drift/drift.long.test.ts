import { expect, inject, test } from 'vitest'
import { runTests } from '../guards/vitest-run.js'
import { compileErrors, consequencesIn, failingChecks, generateAll } from './consequences.js'
import { givenCopy, timeLimitMs } from './edits.js'
import { inputDrifts } from './input-drifts.js'
import { newField, newMigration, newTest, roundTrip } from './newcomer.js'
import { recordDrifts } from './record-drifts.js'
import { routeDrifts } from './route-drifts.js'
import { vocabularyDrifts } from './vocabulary-drifts.js'

const drifts = [...recordDrifts, ...inputDrifts, ...routeDrifts, ...vocabularyDrifts]

const copyOf = givenCopy()

test(
  'what an edit turns red of the service is green without one',
  async () => {
    const copy = copyOf()
    const named = drifts.flatMap(({ service = [], holds = [] }) => [...service, ...holds])

    const run = await runTests(copy.root, named, inject('adminUrl'))

    const outcomes = named.map((test) => [test.title, run.outcomeOf(test)?.state])
    // This test exists only after the edit that declares the code.
    const declared = ['users.get answers user_inactive, as it declares', undefined]
    expect(outcomes.filter(([, state]) => state !== 'passed')).toEqual([declared])
  },
  timeLimitMs,
)

test(
  'npm test refuses what is stale, of the docs and of the SDK',
  async () => {
    const copy = copyOf()
    await copy.apply(drifts[0]?.edits ?? [])
    await compileErrors(copy)

    expect(await failingChecks(copy)).toEqual({ docs: true, sdk: true })
  },
  timeLimitMs,
)

test(
  'a field of User that callers may write is the contract, one migration and record.ts; the rest is generated',
  async () => {
    const copy = copyOf()
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
      expect(run.outcomeOf(named)).toMatchObject({ state: 'passed', errors: [] })
  },
  timeLimitMs,
)
