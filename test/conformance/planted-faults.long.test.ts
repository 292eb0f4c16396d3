import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { checks } from './checks.js'
import { outcomeOf, runAt, type Outcome } from './outcome.js'
import { createSigner } from './proxy.js'
import { createWorld, sceneOf } from './world.js'

// Twenty seconds: each check runs once more, beside a provider with one fault.

const service = await startService()
const world = await createWorld(service)
const signer = await createSigner()

/** The outcome of a check whose answers a proxy edits. */
function withFault(check: (typeof checks)[number], fault = check.fault): Promise<Outcome> {
  const scene = sceneOf(world, fault, signer)
  const run = runAt(check, { issuer: scene, client: scene, scene })
  return outcomeOf(check, () => run?.() ?? Promise.reject(new Error('not run')))
}

const titled = checks.map((check) => [check.id, check] as const)

describe('a provider with one fault does not pass', () => {
  test.each(titled.filter(([, { isAlone, allowed }]) => isAlone !== true && allowed === undefined))(
    '%s',
    async (_, check) => {
      expect((await withFault(check)).result).not.toBe('pass')
    },
  )
})

test.each(titled.filter(([, { allowed }]) => allowed !== undefined))(
  'a provider that does otherwise passes %s, of which ours has the warning',
  async (_, check) => {
    expect((await withFault(check)).result).toBe('pass')
  },
)

test('the proxy alone makes no check fail', async () => {
  const failed: Outcome[] = []
  for (const check of checks.filter(({ isAlone, allowed }) => isAlone !== true && allowed === undefined)) {
    // An edit that leaves everything as it is.
    const outcome = await withFault(check, { at: check.fault.at, headers: {} })
    if (outcome.result !== 'pass') failed.push(outcome)
  }

  expect(failed).toEqual([])
})

// Last, because the session that the others share does not outlive them.
test.each(titled.filter(([, { isAlone }]) => isAlone === true))(
  'a provider with one fault does not pass %s, as time goes by',
  async (_, check) => {
    expect((await withFault(check)).result).not.toBe('pass')
  },
)
