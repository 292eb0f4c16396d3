import { applyChanges, dryRunChanges } from '@portico/server/promotion/apply'
import { readConfiguration } from '@portico/server/promotion/configuration'
import { readConfigurationFile } from '@portico/server/promotion/file'
import { plannerOfFile, plannerOfRollback } from '@portico/server/promotion/promotion'
import { expect, test } from 'vitest'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { untilWaiting } from '../given/waiting.js'

// In this process: a copy of the repository whose guard is removed has no compiled command to run.

const service = await startService()

const cause = { requestId: 'guards', actor: { type: 'operator', id: 'guards' }, params: () => ({}) } as const

/** An account with an organization, and portico config for its production. */
async function givenAccount(environment: 'sandbox' | 'production' = 'production') {
  const { deps } = service
  const account = await service.createAccount()
  const client = await service.client({ account, environment })
  const { id: organization_id, domain: org_domain } = await givenOf(client).organization()
  const scope = { account, environment, cause }

  function plannerOfText(text: string) {
    return plannerOfFile(scope, readConfigurationFile('portico.yaml', text, environment), false)
  }

  function plannerOf(expiry: number, organization = org_domain) {
    const totp = `{totp_connection: {expiry_in_seconds: ${expiry}}}`
    return plannerOfText(`version: 1\norganizations: {${organization}: ${totp}}\n`)
  }

  function applyOf(planner: ReturnType<typeof plannerOf>, digest: string) {
    return applyChanges(deps, scope, planner, { digest, action: 'apply' })
  }

  return {
    account,
    client,
    org_domain,
    organization_id,
    plannerOf,
    applyOf,
    /** A file with these SSO connections. */
    connections: (text: string) =>
      plannerOfText(`version: 1\norganizations: {${org_domain}: {sso_connections: ${text}}}\n`),
    /** A file with these webhooks. */
    webhooks: (text: string) => plannerOfText(`version: 1\nwebhooks: ${text}\n`),
    planOf: (planner: ReturnType<typeof plannerOf>) => dryRunChanges(deps, scope, planner),
    plan: (expiry: number, organization?: string) =>
      dryRunChanges(deps, scope, plannerOf(expiry, organization)),
    apply: (expiry: number, digest: string) => applyOf(plannerOf(expiry), digest),
    rollbackIn: (other: typeof environment) => {
      const there = { ...scope, environment: other }
      return dryRunChanges(deps, there, plannerOfRollback(there, undefined))
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

test('of two applies at once the second plans what the first has left', async () => {
  const { plan, plannerOf, applyOf, apply, expiry } = await givenAccount()
  const { digest } = await plan(60)
  let second: Promise<unknown> | undefined
  const isDone = new AbortController()

  const first = applyOf(async (deps) => {
    const planned = await plannerOf(60)(deps)
    second ??= apply(60, digest)
      .catch(String)
      .finally(() => {
        isDone.abort()
      })
    await untilWaiting(service, 1, isDone.signal)
    return planned
  }, digest)

  expect(await first).toHaveProperty('id')
  expect(await second).toContain('has changed since the plan')
  expect(await expiry()).toBe(60)
})

/** An SSO connection without a provider, and a newer one with Okta, to which an apply assigned a domain. */
async function givenConnections() {
  const account = await givenAccount()
  const { client, organization_id, connections, planOf, applyOf } = account
  const older = await client.ssoConnections.create({ organization_id })
  const younger = await client.ssoConnections.create({ organization_id, provider_type: 'okta' })
  const planner = connections('{okta: {email_domains: [awesome.example]}}')
  await applyOf(planner, (await planOf(planner)).digest)
  return { ...account, older: older.idp_id, younger: younger.idp_id, planner }
}

test('a name stays that of its connection when an older one gets its provider', async () => {
  const { client, older, younger, planner, planOf } = await givenConnections()
  await client.ssoConnections.update({ idp_id: older, provider_type: 'okta' })

  const { steps } = await planOf(planner)

  expect(steps).toEqual([])
  expect(await client.ssoConnections.get({ idp_id: younger })).toMatchObject({
    email_domains: ['awesome.example'],
  })
  expect(await client.ssoConnections.get({ idp_id: older })).toMatchObject({ email_domains: [] })
})

test('a name is none for another connection once its own has another provider', async () => {
  const { client, younger, planner, planOf } = await givenConnections()
  await client.ssoConnections.update({ idp_id: younger, provider_type: 'entra_id' })

  const outcome = await planOf(planner).catch(String)

  expect(outcome).toContain(`is the name of ${younger}, whose provider_type is another one by now`)
})

test('what a rollback takes back is that of the connection that was changed, whatever it is called', async () => {
  const { client, older, younger, rollbackIn } = await givenConnections()
  await client.ssoConnections.update({ idp_id: younger, provider_type: 'entra_id' })
  await client.ssoConnections.update({ idp_id: older, provider_type: 'okta' })

  const { steps } = await rollbackIn('production')

  expect(steps).toMatchObject([{ id: younger, after: { email_domains: [] } }])
})

test('a name is that of one environment', async () => {
  const { deps } = service
  const { account, organization_id, connections, planOf, applyOf } = await givenAccount()
  const sandbox = await service.client({ account })
  await sandbox.ssoConnections.create({ organization_id, provider_type: 'okta' })
  const pulled = await readConfiguration(deps, { account, environment: 'sandbox', cause }, undefined)
  expect(pulled.present.map(({ key }) => key)).toContain('okta')
  const planner = connections('{okta: {email_domains: [awesome.example]}}')

  const outcome = await planOf(planner).catch(String)

  expect(outcome).toMatchObject({ steps: [{ action: 'create' }] })
  await applyOf(planner, typeof outcome === 'string' ? '' : outcome.digest)
  expect(await planOf(planner).catch(String)).toMatchObject({ steps: [] })
})

const endpoint = { target_url: 'https://shop.example/events', event_codes: ['all' as const] }

test('a plan for a webhook is none for another one of its name', async () => {
  const { client, webhooks, planOf, applyOf } = await givenAccount()
  const { id: webhook_id } = await client.webhooks.create({ name: 'Shop', ...endpoint })
  const planner = webhooks('{Shop: {active: false}}')
  const { digest } = await planOf(planner)
  await client.webhooks.delete({ webhook_id })
  await client.webhooks.create({ name: 'Shop', ...endpoint })

  const outcome = await applyOf(planner, digest).catch(String)

  expect(outcome).toContain('has changed since the plan')
})

test('what was made anew by hand is not taken back', async () => {
  const { client, webhooks, planOf, applyOf, rollbackIn } = await givenAccount()
  const planner = webhooks('{Shop: {target_url: https://shop.example/events, event_codes: [all]}}')
  await applyOf(planner, (await planOf(planner)).digest)
  const [{ id: webhook_id = '' } = {}] = (await client.webhooks.list({})).data
  await client.webhooks.delete({ webhook_id })
  await client.webhooks.create({ name: 'Shop', ...endpoint })

  const { steps, replaced } = await rollbackIn('production')

  expect([steps, replaced]).toEqual([[], [['webhooks', 'Shop']]])
})
