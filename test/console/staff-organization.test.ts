import { ensureStaffOrganization } from '@portico/server/staff-organization'
import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { createVisitor } from '../given/visitor.js'
import { longTest } from '../sampled.js'

const service = await startService()

const counted = `
  select (select count(*)::int from accounts where domain = 'console') as accounts,
    (select count(*)::int from staff_organizations) as organizations,
    (select count(*)::int from roles where account_id = (select id from accounts where domain = 'console')) as roles`

test('twelve that need the staff of an account at once make it once, with the account that holds all staff', async () => {
  const at = Array.from({ length: 12 }, () => ensureStaffOrganization(service.deps, service.account.id))

  const made = await Promise.allSettled(at)

  const ids = made.map((each) => (each.status === 'fulfilled' ? each.value.organizationId : each.status))
  expect(new Set(ids).size).toBe(1)
  expect(ids).not.toContain('rejected')
  expect(await service.query(counted)).toEqual([{ accounts: 1, organizations: 1, roles: 4 }])
})

longTest('fifty that do so make it once', async () => {
  const { id } = await service.createAccount()

  const made = await Promise.all(Array.from({ length: 50 }, () => ensureStaffOrganization(service.deps, id)))

  expect(new Set(made.map(({ organizationId }) => organizationId)).size).toBe(1)
})

longTest('fifty accounts that get their staff at once share the account that holds it', async () => {
  const accounts = await Promise.all(Array.from({ length: 50 }, () => service.createAccount()))

  const made = await Promise.all(accounts.map(({ id }) => ensureStaffOrganization(service.deps, id)))

  expect(new Set(made.map(({ organizationId }) => organizationId)).size).toBe(50)
  expect(new Set(made.map(({ staffAccountId }) => staffAccountId)).size).toBe(1)
  expect(await service.query(counted)).toMatchObject([{ accounts: 1, roles: 4 }])
})

test('staff sign in by links that create nobody, or long passwords, with an app, to sessions of 8 hours, idle for one', async () => {
  const staff = await ensureStaffOrganization(service.deps, service.account.id)
  const of = [staff.staffAccountId, staff.organizationId]
  const [settings] = await service.query(
    `select links.active as links, links.find_or_create_user, passwords.plain_text_min_length,
      passwords.active as passwords, totp.active as totp,
      policy.session_lifetime_in_seconds, policy.session_idle_in_seconds
    from magic_link_connections links
    join password_connections passwords using (account_id, environment, organization_id)
    join totp_connections totp using (account_id, environment, organization_id)
    join organization_policies policy using (account_id, environment, organization_id)
    where links.account_id = $1 and links.organization_id = $2 and links.environment = 'production'`,
    of,
  )

  expect(settings).toEqual({
    ...{ links: true, find_or_create_user: false, passwords: true, plain_text_min_length: 12, totp: true },
    ...{ session_lifetime_in_seconds: 28_800, session_idle_in_seconds: 3_600 },
  })
})

test('a customer may have the name: the staff get another one', async () => {
  const account = await service.createAccount()
  const taken = await service.given.organization({ name: `${account.domain} staff` })

  const staff = await ensureStaffOrganization(service.deps, account.id)

  expect(taken.domain).toBe(`${account.domain}-staff`)
  expect(staff.domain).toBe(`${account.domain}-staff-2`)
  expect((await createVisitor(service.baseUrl).request(`/t/${staff.domain}/brand.css`)).status).toBe(200)
})

test('the one application of the console ends its sign-ins at the address that the service has now', async () => {
  const staff = await ensureStaffOrganization(service.deps, service.account.id)
  const urls = () =>
    service.query(
      'select name, allowed_redirect_urls, default_redirect_uri_after_login as after from applications where account_id = $1 and id = $2',
      [staff.staffAccountId, staff.applicationId],
    )
  const endingAt = (url: string) => [{ name: 'Console', allowed_redirect_urls: [url], after: url }]
  expect(await urls()).toEqual(endingAt(`${service.baseUrl}/console/signed-in`))

  const config = { ...service.deps.config, baseUrl: 'https://moved.example' }
  await ensureStaffOrganization({ ...service.deps, config }, service.account.id)

  expect(await urls()).toEqual(endingAt('https://moved.example/console/signed-in'))
})

test('no API key is of the account that holds all staff, and no key of another account finds a staff organization', async () => {
  const staff = await ensureStaffOrganization(service.deps, service.account.id)
  const consoleAccount = { id: staff.staffAccountId, domain: 'console', plan: 'unlimited' } as const

  await expect(service.apiKey({ account: consoleAccount })).rejects.toThrow(
    'The account console has no API keys',
  )
  const client = await service.client({ environment: 'production' })
  await expect(client.organizations.get({ org_domain: staff.domain })).rejects.toMatchObject({ status: 404 })
  await expect(client.users.list({ org_domain: staff.domain })).rejects.toMatchObject({ status: 404 })
  expect(
    (await client.organizations.list({ filter: 'staff' })).data.map(({ domain }) => domain),
  ).not.toContain(staff.domain)
})

test('the database itself refuses an API key of that account, new or taken from another one', async () => {
  const { staffAccountId } = await ensureStaffOrganization(service.deps, service.account.id)
  const { client_id } = await service.apiKey()
  const names = 'environment, name, secret_hash, inserted_at'

  const copied = service.query(
    `insert into api_keys (account_id, id, ${names})
     select $1::uuid, gen_random_uuid(), ${names} from api_keys where id = $2`,
    [staffAccountId, client_id],
  )
  await expect(copied).rejects.toThrow('the account console has no API keys')
  const moved = service.query('update api_keys set account_id = $1 where id = $2', [
    staffAccountId,
    client_id,
  ])
  await expect(moved).rejects.toThrow('the account console has no API keys')
})

test('the account that holds all staff has none of its own', async () => {
  const staff = await ensureStaffOrganization(service.deps, service.account.id)
  await expect(ensureStaffOrganization(service.deps, staff.staffAccountId)).rejects.toThrow(
    'has the staff of the other accounts',
  )
})

test.each(['console', 'portal'])('an organization named %s gets another domain', async (name) => {
  expect((await service.given.organization({ name })).domain).toMatch(new RegExp(`^${name}-\\d+$`))
})
