import { applyChanges, tryChanges } from '@portico/server/promotion/apply'
import { readConfigurationFile } from '@portico/server/promotion/file'
import { plannerOfFile, plannerOfRollback } from '@portico/server/promotion/promotion'
import { beforeAll, expect, test } from 'vitest'
import { givenOf } from '../given.js'
import { startService, type Service } from '../harness.js'

// In this process: a copy of the repository whose guard is removed has no compiled command to run.
let service: Service

beforeAll(async () => {
  service = await startService()
})

const cause = { requestId: 'guards', actor: { type: 'operator', id: 'guards' }, params: () => ({}) } as const

/** An account with an organization, and what portico config does in its production. */
async function givenAccount(environment: 'sandbox' | 'production' = 'production') {
  const { deps } = service
  const account = await service.createAccount()
  const client = await service.client({ account, environment })
  const { domain: org_domain } = await givenOf(client).organization()
  const scope = { account, environment, cause }

  function plannerOf(expiry: number, organization = org_domain) {
    const totp = `{totp_connection: {expiry_in_seconds: ${expiry}}}`
    const text = `version: 1\norganizations: {${organization}: ${totp}}\n`
    return plannerOfFile(scope, readConfigurationFile('portico.yaml', text, environment), false)
  }

  return {
    account,
    org_domain,
    plan: (expiry: number, organization?: string) => tryChanges(deps, scope, plannerOf(expiry, organization)),
    apply: (expiry: number, digest: string) =>
      applyChanges(deps, scope, plannerOf(expiry), { digest, action: 'apply' }),
    rollbackIn: (other: typeof environment) => {
      const there = { ...scope, environment: other }
      return tryChanges(deps, there, plannerOfRollback(there, undefined))
    },
    async expiry(): Promise<number> {
      return (await client.totp.getConnection({ org_domain })).expiry_in_seconds
    },
  }
}

test('a plan changes nothing', async () => {
  const { plan, expiry } = await givenAccount()

  expect((await plan(60)).steps).toHaveLength(1)

  expect(await expiry()).toBe(30)
})

test('a plan is applied', async () => {
  const { plan, apply, expiry } = await givenAccount()

  await apply(60, (await plan(60)).digest)

  expect(await expiry()).toBe(60)
})

test('a plan that is another one by now is not applied', async () => {
  const { plan, apply, expiry } = await givenAccount()
  const { digest } = await plan(60)
  await apply(90, (await plan(90)).digest)

  const outcome = await apply(60, digest).catch(String)

  expect(outcome).toContain('has changed since the plan')
  expect(await expiry()).toBe(90)
})

test('what was applied in another account is not taken back', async () => {
  const { plan, apply } = await givenAccount()
  await apply(60, (await plan(60)).digest)
  const other = await givenAccount()

  const outcome = await other.rollbackIn('production').catch(String)

  expect(outcome).toContain('there is nothing to take back')
})

test('what was applied in another environment is not taken back', async () => {
  const { plan, apply, rollbackIn } = await givenAccount()
  await apply(60, (await plan(60)).digest)

  const outcome = await rollbackIn('sandbox').catch(String)

  expect(outcome).toContain('there is nothing to take back')
})

test('what was applied is taken back where it was', async () => {
  const { plan, apply, rollbackIn } = await givenAccount()
  await apply(60, (await plan(60)).digest)

  const { steps } = await rollbackIn('production')

  expect(steps).toMatchObject([{ after: { expiry_in_seconds: 30 } }])
})

test('an organization of another account is none', async () => {
  const other = await givenAccount()
  const { plan } = await givenAccount()

  const outcome = await plan(60, other.org_domain).catch(String)

  expect(outcome).toContain(`organizations.${other.org_domain} is no organization of`)
})
