import { purgeDeleted } from '@portico/server/purge'
import { expect, test } from 'vitest'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { longTest } from '../sampled.js'
import {
  buildSandbox,
  buildSmallSandbox,
  givenAccount,
  settingsOf,
  type ConfigAccount,
} from './config-given.js'

const service = await startService()

/** An account whose production matches the file of its sandbox. */
async function givenPromoted(build: (account: ConfigAccount) => Promise<unknown> = buildSmallSandbox) {
  const account = await givenAccount(service)
  await build(account)
  await account.pull()
  await account.apply()
  return account
}

function productionOf(promoted: ConfigAccount) {
  return settingsOf(promoted.production, promoted)
}

async function historyOf({ succeed }: ConfigAccount) {
  const text = await succeed('history', 'production', '--json')
  return JSON.parse(text) as { id: string; action: string; actor_id: string }[]
}

longTest(
  'a rollback brings back what an apply has changed and pruned, and takes what it has made',
  async () => {
    const promoted = await givenPromoted(buildSandbox)
    const before = await productionOf(promoted)
    promoted.edit('plain_text_min_length: 12', 'plain_text_min_length: 10')
    promoted.edit('Storefront:', 'Shopfront:')
    promoted.edit(/directory_sync:\n( {6}.*\n)+/, 'directory_sync: null\n')
    await promoted.apply('--prune')
    expect(await productionOf(promoted)).not.toEqual(before)

    const { code, stdout } = await promoted.config('rollback', 'production', '--yes')

    expect([code, stdout]).toEqual([0, expect.stringContaining('2 to create, 1 to change, 1 to delete')])
    expect(await productionOf(promoted)).toEqual(before)
  },
)

longTest('a rollback leaves alone what was changed otherwise since', async () => {
  const promoted = await givenPromoted()
  const { org_domain, production } = promoted
  promoted.edit('plain_text_min_length: 12', 'plain_text_min_length: 10')
  await promoted.apply()
  await production.password.updateConnection({ org_domain, plain_text_max_length: 200 })
  await givenOf(production).application({ org_domain, name: 'Made by hand' })

  await promoted.succeed('rollback', 'production', '--yes')

  expect(await production.password.getConnection({ org_domain })).toMatchObject({
    plain_text_min_length: 12,
    plain_text_max_length: 200,
  })
  const { data } = await production.applications.list({ org_domain })
  expect(data.map(({ name }) => name)).toContain('Made by hand')
})

longTest('a rollback leaves another thing of the same name alone, and says so', async () => {
  const promoted = await givenPromoted()
  const { production } = promoted
  const [{ id: webhook_id = '', name = '' } = {}] = (await production.webhooks.list({})).data
  await production.webhooks.delete({ webhook_id })
  await production.webhooks.create({ name, target_url: 'https://shop.example/new', event_codes: ['all'] })

  const { code, stdout } = await promoted.config('rollback', 'production', '--yes')

  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('webhooks."Shop: directory" is another one than was changed, and left alone'),
  ])
  const { data } = await production.webhooks.list({})
  expect(data).toMatchObject([{ target_url: 'https://shop.example/new' }])
})

test('a rollback takes back a second factor that the policy demands', async () => {
  const promoted = await givenAccount(service)
  const { org_domain, sandbox, production } = promoted
  await sandbox.totp.updateConnection({ org_domain, active: true })
  await sandbox.organizationPolicy.update({ org_domain, second_factor: 'required' })
  await promoted.pull()
  await promoted.apply()
  expect(await production.organizationPolicy.get({ org_domain })).toMatchObject({ second_factor: 'required' })

  await promoted.succeed('rollback', 'production', '--yes')

  expect(await production.organizationPolicy.get({ org_domain })).toMatchObject({ second_factor: 'optional' })
  expect(await production.totp.getConnection({ org_domain })).toMatchObject({ active: false })
})

test('a rollback of the first apply leaves what cannot be deleted, switched off', async () => {
  const promoted = await givenAccount(service)
  const { org_domain, organization_id, production } = promoted
  await promoted.sandbox.password.createConnection({ org_domain })
  await promoted.sandbox.ssoConnections.create({ organization_id, provider_type: 'okta' })
  await givenOf(promoted.sandbox).application({ org_domain })
  await promoted.pull()
  await promoted.apply()

  await promoted.succeed('rollback', 'production', '--yes')

  expect(await production.password.getConnection({ org_domain })).toMatchObject({ active: false })
  const { data } = await production.ssoConnections.list({ organization_id })
  expect(data.map(({ active }) => active)).toEqual([false])
  expect((await production.applications.list({ org_domain })).data).toEqual([])
})

test('what the service changes along with a member is brought back, too', async () => {
  const promoted = await givenAccount(service)
  const { org_domain, production } = promoted
  await production.totp.updateConnection({ org_domain, expiry_in_seconds: 90 })
  const lines = ['version: 1', 'organizations:', `  ${org_domain}:`, '    totp_connection: {method: sms}', '']
  promoted.write(lines.join('\n'))
  await promoted.apply()
  expect(await production.totp.getConnection({ org_domain })).toMatchObject({ expiry_in_seconds: 600 })

  await promoted.succeed('rollback', 'production', '--yes')

  expect(await production.totp.getConnection({ org_domain })).toMatchObject({
    method: 'totp_mobile_app',
    expiry_in_seconds: 90,
  })
})

longTest(
  'a rollback to an apply takes back all that came after it, and a rollback is taken back like an apply',
  async () => {
    const promoted = await givenPromoted()
    const first = await productionOf(promoted)
    const [{ id = '' } = {}] = await historyOf(promoted)
    promoted.edit('plain_text_min_length: 12', 'plain_text_min_length: 10')
    await promoted.apply()
    promoted.edit('plain_text_min_length: 10', 'plain_text_min_length: 9')
    promoted.edit('Storefront:', 'Shopfront:')
    await promoted.apply('--prune')
    const last = await productionOf(promoted)

    await promoted.succeed('rollback', 'production', '--to', id, '--yes')
    expect(await productionOf(promoted)).toEqual(first)
    await promoted.succeed('rollback', 'production', '--yes')
    expect(await productionOf(promoted)).toEqual(last)

    const history = await historyOf(promoted)
    expect(history.map(({ action }) => action)).toEqual(['rollback', 'rollback', 'apply', 'apply', 'apply'])
  },
)

longTest('a rollback to before the first apply takes back all of them', async () => {
  const promoted = await givenAccount(service)
  const { org_domain, production } = promoted
  const settings = { plain_text_min_length: 9 }
  await production.password.createConnection({ org_domain, ...settings })
  await buildSmallSandbox(promoted)
  await promoted.pull()
  await promoted.apply()
  promoted.edit('plain_text_min_length: 12', 'plain_text_min_length: 10')
  await promoted.apply()
  const first = (await historyOf(promoted)).at(-1)?.id ?? ''

  const { code, stderr } = await promoted.config('rollback', 'production', '--to', first, '--before', first)
  expect([code, stderr]).toEqual([1, expect.stringContaining('cannot be used with option')])
  await promoted.succeed('rollback', 'production', '--before', first, '--yes')

  expect(await production.password.getConnection({ org_domain })).toMatchObject(settings)
  expect((await production.applications.list({ org_domain })).data).toEqual([])
  expect((await production.webhooks.list({})).data).toEqual([])
})

longTest('a rollback says what there is to take back, and of whom', async () => {
  const promoted = await givenPromoted()
  const other = await givenAccount(service)
  const [{ id = '' } = {}] = await historyOf(promoted)
  const refusal = async (account: ConfigAccount, ...args: string[]) => {
    const { code, stderr } = await account.config('rollback', 'production', ...args)
    return [code, stderr]
  }

  expect(await refusal(other)).toEqual([1, expect.stringContaining('there is nothing to take back')])
  other.write('version: 1\nwebhooks:\n  Shop: {target_url: https://shop.example/, event_codes: [all]}\n')
  await other.apply()
  expect(await refusal(other, '--to', id)).toEqual([
    1,
    expect.stringContaining(`There is no apply ${id} here`),
  ])
  expect(await refusal(other)).toEqual([1, expect.stringContaining('Add --yes to do it.')])
  expect((await other.production.webhooks.list({})).data).toHaveLength(1)
})

longTest('a rollback goes on without an organization that is gone', async () => {
  const promoted = await givenPromoted()
  const { org_domain, production } = promoted
  await production.organizations.delete({ org_domain })
  await givenOf(promoted.sandbox).organization()

  const { code, stdout } = await promoted.config('rollback', 'production', '--yes')

  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(
      `organizations.${org_domain}.password_connection is of an organization that is gone`,
    ),
  ])
  expect((await production.webhooks.list({})).data).toEqual([])
})

test('what was applied to an organization is erased with it', async () => {
  const promoted = await givenPromoted()
  const { account, org_domain, production } = promoted
  const stepsOf = () =>
    service.query<{ path: string }>(
      "select step->>'path' as path from config_apply_steps where account_id = $1 order by position",
      [account.id],
    )
  expect(JSON.stringify(await stepsOf())).toContain(org_domain)
  await production.organizations.delete({ org_domain })

  const cause = { requestId: 'purge', actor: { type: 'system', id: 'purge' }, params: () => ({}) } as const
  await purgeDeleted(service.deps, cause, { before: service.clock.now(), onErased: () => undefined })

  expect((await stepsOf()).map(({ path }) => JSON.parse(path) as unknown)).toEqual([
    ['applications', 'Storefront'],
    ['webhooks', 'Shop: directory'],
  ])
})

test('the hundred newest applies of an environment are kept', async () => {
  const promoted = await givenAccount(service)
  const { account, org_domain } = promoted
  await service.query(
    `insert into config_applies
       (account_id, environment, id, action, digest, actor_id, request_id, applied_at)
     select $1, 'production', gen_random_uuid(), 'apply', '', 'earlier', '', '2026-01-01'::timestamptz + n * interval '1 hour'
     from generate_series(1, 100) n`,
    [account.id],
  )
  promoted.write(`version: 1\norganizations: {${org_domain}: {magic_link_connection: {active: false}}}\n`)

  await promoted.apply()

  const history = await historyOf(promoted)
  expect(history).toHaveLength(100)
  expect(history.filter(({ actor_id }) => actor_id === 'earlier')).toHaveLength(99)
})
