import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { checks, groups } from './checks.js'
import { declaredOutcome, faultOf, outcomeOf, runAt, type Outcome } from './outcome.js'
import { toMarkdown } from './table.js'
import { createWorld, sceneOf } from './world.js'

const service = await startService()
const world = await createWorld(service)

const outcomes: Outcome[] = []

/** A check that passes, or does not pass for a declared reason. */
async function keeps(check: (typeof checks)[number]): Promise<void> {
  const scene = sceneOf(world)
  const run = runAt(check, { issuer: scene, client: scene, scene })
  const outcome = await outcomeOf(check, () => run?.() ?? Promise.reject(new Error('not run')))
  outcomes.push(outcome)
  expect(faultOf(check, outcome)).toBeUndefined()
}

const titled = checks.map((check) => [check.id, check.source, check] as const)

describe.concurrent('the service keeps', () => {
  test.each(titled.filter(([, , { isAlone }]) => isAlone !== true))('%s (%s)', (_, __, check) => keeps(check))
})

describe('the service keeps, as time goes by,', () => {
  test.each(titled.filter(([, , { isAlone }]) => isAlone === true))('%s (%s)', (_, __, check) => keeps(check))
})

test.each(groups)('$title: no check has been lost', ({ checks, least }) => {
  expect(checks.length).toBeGreaterThanOrEqual(least)
})

test('every check has an id of its own', () => {
  const ids = checks.map(({ id }) => id)

  expect(new Set(ids).size).toBe(ids.length)
})

test('two warnings are allowed, and no other', () => {
  expect(checks.filter(({ allowed }) => allowed !== undefined).map(({ id }) => id)).toEqual([
    'core-11-offline-access',
    'rfc6749-4.1.3-client-id',
  ])
})

test('docs/conformance.md has every check with its result: npm run conformance -- --write', async () => {
  const page = await readFile(new URL('../../docs/conformance.md', import.meta.url), 'utf8')

  expect(unaligned(page)).toBe(unaligned(toMarkdown(groups, checks.map(declaredOutcome))))
})

/** Without what the formatter adds to tables. */
function unaligned(text: string): string {
  return text.replace(/-{3,}/g, '---').replace(/\s+/g, ' ')
}

// For the table that npm run conformance prints.
const file = process.env['CONFORMANCE_OUTCOMES']
if (file !== undefined) afterAll(() => writeFile(file, JSON.stringify(outcomes)))
