import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { accessToken } from './access-token.js'
import { checks } from './checks.js'
import { faultOf, outcomeOf, runAt } from './outcome.js'
import { createWorld, sceneOf } from './world.js'

// Twenty seconds: every check once more, at the issuer of an account.

const service = await startService()
const world = await createWorld(service, 'account')

/** Checks that expect access tokens of the issuer that was asked; those of an account's are of the organization. */
const ofOrganization = new Set([
  ...accessToken.checks.map(({ id }) => id),
  'rfc7662-2.2-members-agree-with-the-token',
])

async function keeps(check: (typeof checks)[number]): Promise<void> {
  const scene = sceneOf(world)
  const run = runAt(check, { issuer: scene, client: scene, scene })
  const outcome = await outcomeOf(check, () => run?.() ?? Promise.reject(new Error('not run')))
  expect(faultOf(check, outcome)).toBeUndefined()
}

const titled = checks
  .filter(({ id }) => !ofOrganization.has(id))
  .map((check) => [check.id, check.source, check] as const)

describe.concurrent('an account keeps', () => {
  test.each(titled.filter(([, , { isAlone }]) => isAlone !== true))('%s (%s)', (_, __, check) => keeps(check))
})

describe('an account keeps, as time goes by,', () => {
  test.each(titled.filter(([, , { isAlone }]) => isAlone === true))('%s (%s)', (_, __, check) => keeps(check))
})
