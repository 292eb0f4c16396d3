import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { buildSandbox, givenAccount, settingsOf, type ConfigAccount } from './config-given.js'
import { givenFolder } from './portico.js'

const service = await startService()

/** An account whose sandbox has one object of each kind, pulled into a file. */
async function givenPulled() {
  const account = await givenAccount(service)
  const built = await buildSandbox(account)
  await account.pull()
  return { ...account, built }
}

type Pulled = Awaited<ReturnType<typeof givenPulled>>

let promoted: ReturnType<typeof promote> | undefined
/** Shared by tests that inspect a first apply and leave production equal to the file. */
const givenPromoted = () => (promoted ??= promote())

async function promote() {
  const account = await givenPulled()
  const { steps } = await account.plan()
  const before = { names: await namesOf(account), events: await eventsOf(account) }
  await account.apply()
  return { ...account, steps, before, events: await eventsOf(account) }
}

let untouched: Promise<Pulled & { right: string }> | undefined
/** Shared by tests that change neither environment, with the pulled file. */
async function givenUntouched() {
  const account = await (untouched ??= givenPulled().then((pulled) => ({ ...pulled, right: pulled.read() })))
  account.write(account.right)
  return account
}

/** The changes in production, from its events. */
async function eventsOf({ production }: ConfigAccount) {
  const { data } = await production.events.list({ limit: 100 })
  return data
}

async function namesOf({ production, org_domain }: ConfigAccount): Promise<string[]> {
  const { data } = await production.applications.list({ org_domain, sort: 'name' })
  return data.map(({ name }) => name)
}

describe('from the sandbox to production', () => {
  longTest('an apply gives production everything that the file has, and a second plan is empty', async () => {
    const promoted = await givenPromoted()

    expect(promoted.steps.map(({ action, path }) => [action, path.at(-1)])).toEqual([
      ['create', 'invoices:read'],
      ['create', 'viewer'],
      ['create', 'auditor'],
      ['create', 'Storefront'],
      ['create', 'Back office'],
      ['create', 'awesome.example'],
      ['create', 'password_connection'],
      ['update', 'magic_link_connection'],
      ['update', 'totp_connection'],
      ['update', 'policy'],
      ['create', 'okta'],
      ['create', 'directory_sync'],
      ['create', 'Shop: directory'],
    ])
    expect(promoted.before).toEqual({ names: [], events: [] })
    expect(await settingsOf(promoted.production, promoted)).toEqual(
      await settingsOf(promoted.sandbox, promoted),
    )
    const again = await promoted.config('plan', 'production', promoted.file)
    expect([again.code, again.stdout]).toEqual([
      0,
      expect.stringMatching(/^Nothing differs in the production of /),
    ])
  })

  test('every change of an apply is told as an event, of the operator and with one request id', async () => {
    const { events } = await givenPromoted()

    expect(events).toHaveLength(14)
    expect(new Set(events.map(({ actor }) => actor.type))).toEqual(new Set(['operator']))
    expect(new Set(events.map(({ request_id }) => request_id)).size).toBe(1)
  })

  longTest(
    'a member that was changed by hand is shown with both values, mended by an apply, and CI gets exit code 2',
    async () => {
      const promoted = await givenPromoted()
      const { org_domain } = promoted
      await promoted.production.password.updateConnection({ org_domain, plain_text_min_length: 6 })

      const { code, stdout } = await promoted.config('plan', 'production', promoted.file)

      expect(code).toBe(2)
      expect(stdout).toContain(
        `~ organizations.${org_domain}.password_connection\n    plain_text_min_length: 6 → 12`,
      )
      await promoted.apply()
      expect(await promoted.production.password.getConnection({ org_domain })).toMatchObject({
        plain_text_min_length: 12,
      })
    },
  )

  longTest(
    'what a file does not name stays, with prune it is deleted where its section is told',
    async () => {
      const promoted = await givenPulled()
      await promoted.apply()
      const { org_domain, production } = promoted
      await givenOf(production).application({ org_domain, name: 'Made by hand' })
      await production.webhooks.delete({ webhook_id: (await production.webhooks.list({})).data[0]?.id ?? '' })
      promoted.edit(/webhooks:[^]*?\norganizations/, 'organizations')
      await production.webhooks.create({
        name: 'Not told of',
        target_url: 'https://shop.example/other',
        event_codes: ['all'],
      })

      expect(await promoted.plan()).toMatchObject({
        steps: [],
        leftAlone: [['applications', 'Made by hand']],
      })
      await promoted.apply('--prune')

      expect(await namesOf(promoted)).toEqual(['Back office', 'Storefront'])
      const { data: webhooks } = await production.webhooks.list({})
      expect(webhooks.map(({ name }) => name)).toEqual(['Not told of'])
    },
  )

  longTest(
    'what differs by environment stands beside the rest, applies to that environment alone and survives a pull',
    async () => {
      const promoted = await givenPulled()
      const overrides = `environments:
  production:
    # Customers order here.
    applications:
      Storefront:
        allowed_redirect_urls: [https://www.store.example/callback]
        default_redirect_uri_after_login: https://www.store.example/callback
    organizations:
      ${promoted.org_domain}:
        directory_sync: null
`
      promoted.write(promoted.read() + overrides)
      await promoted.pull()

      expect(promoted.read()).toContain('# Customers order here.')
      expect((await promoted.config('plan', 'sandbox', promoted.file)).code).toBe(0)
      await promoted.apply()

      const { org_domain, production } = promoted
      const { data } = await production.applications.list({ org_domain, sort: '-name' })
      expect(data[0]).toMatchObject({ allowed_redirect_urls: ['https://www.store.example/callback'] })
      await expect(production.directorySync.get({ org_domain })).rejects.toMatchObject({ status: 404 })
    },
  )

  longTest('two connections of one kind are told apart by the order of their creation', async () => {
    const promoted = await givenAccount(service)
    const { sandbox, production, organization_id } = promoted
    await sandbox.ssoConnections.create({ organization_id, provider_type: 'okta' })
    await sandbox.ssoConnections.create({ organization_id, provider_type: 'test' })
    await sandbox.ssoConnections.create({ organization_id })
    await sandbox.ssoConnections.create({ organization_id, provider_type: 'okta', seats_limit: 7 })
    await promoted.pull()
    await promoted.apply()

    const { data } = await production.ssoConnections.list({ organization_id })
    expect(data.map(({ provider_type, seats_limit }) => [provider_type, seats_limit])).toEqual([
      ['okta', 7],
      ['okta', 0],
    ])
    expect((await promoted.plan()).steps).toEqual([])
    promoted.edit('okta-2:', 'okta-4:')
    const { stderr } = await promoted.config('plan', 'production', promoted.file)
    expect(stderr).toContain('must have okta-3 before it')
  })
})

describe('a file', () => {
  longTest(
    'calls a connection what it was called before, when an older one gets the same provider',
    async () => {
      const promoted = await givenAccount(service)
      const { sandbox, organization_id } = promoted
      const { idp_id } = await sandbox.ssoConnections.create({ organization_id, seats_limit: 3 })
      await sandbox.ssoConnections.create({ organization_id, provider_type: 'okta', seats_limit: 7 })
      await promoted.pull()
      await sandbox.ssoConnections.update({ idp_id, provider_type: 'okta' })

      await promoted.pull()

      expect(promoted.read()).toMatch(/ {6}okta:[^]* seats_limit: 7\n[^]* {6}okta-2:[^]* seats_limit: 3\n/)
      expect((await promoted.config('plan', 'sandbox', promoted.file)).code).toBe(0)
    },
  )

  longTest('that was applied where nothing differed has names that stay, too', async () => {
    const promoted = await givenAccount(service)
    const { production, organization_id, org_domain } = promoted
    const { idp_id } = await production.ssoConnections.create({ organization_id, seats_limit: 3 })
    await production.ssoConnections.create({ organization_id, provider_type: 'okta', seats_limit: 7 })
    promoted.write(
      `version: 1\norganizations: {${org_domain}: {sso_connections: {okta: {seats_limit: 7}}}}\n`,
    )
    await promoted.apply()

    await production.ssoConnections.update({ idp_id, provider_type: 'okta' })

    expect(await promoted.plan()).toMatchObject({
      steps: [],
      leftAlone: [['organizations', org_domain, 'sso_connections', 'okta-2']],
    })
  })

  longTest('says at its head that the address of a webhook may have a secret in it', async () => {
    const promoted = await givenAccount(service)
    const webhook = { event_codes: ['all' as const] }
    await promoted.sandbox.webhooks.create({
      ...webhook,
      name: 'Chat',
      target_url: 'https://chat.example/?key=1',
    })
    await promoted.sandbox.webhooks.create({ ...webhook, name: 'Shop', target_url: 'https://shop.example/' })

    await promoted.pull()

    expect(promoted.read().match(/^# The target_url of .*$/gm)).toEqual([
      '# The target_url of webhooks.Chat has a query: if that is a secret, it is in this file, in plans and in the history.',
    ])
    expect((await promoted.plan()).steps).toMatchObject([
      { after: { target_url: 'https://chat.example/?key=1' } },
      { after: { target_url: 'https://shop.example/' } },
    ])
  })

  longTest('is the same whenever it is pulled, and has no secret of anything', async () => {
    const promoted = await givenPulled()
    const { built, org_domain } = promoted
    const first = promoted.read()
    await promoted.pull()
    expect(promoted.read()).toBe(first)
    expect(await promoted.succeed('pull', 'sandbox')).toBe(first)

    const { value, hint } = built.directory.auth_secret_token
    const secrets = [value ?? '', hint, built.webhook.signature_key, 'grace@awesome.example']
    const plan = JSON.stringify(await promoted.plan()) + (await promoted.apply())
    const kept = JSON.stringify(await service.query('select step from config_apply_steps'))
    for (const secret of secrets) {
      expect(secret).not.toBe('')
      expect(first + plan + kept).not.toContain(secret)
    }
    expect(first).toContain(org_domain)
  })

  longTest('has the organizations that were asked for, and what is of the account', async () => {
    const promoted = await givenAccount(service)
    await givenOf(promoted.sandbox).application({ org_domain: promoted.org_domain, name: 'Storefront' })
    await promoted.sandbox.password.createConnection({ org_domain: promoted.org_domain })
    await promoted.pull()
    const { domain } = await givenOf(promoted.sandbox).organization()

    await promoted.pull('--organization', domain)

    expect(promoted.read()).toContain('Storefront:')
    expect(promoted.read()).toContain(domain)
    expect(promoted.read()).not.toContain(promoted.org_domain)
  })

  test('is not written over a file of something else', async () => {
    const promoted = await givenAccount(service)
    promoted.write('services: []\n')

    const { code, stderr } = await promoted.config('pull', 'sandbox', '--out', promoted.file)

    expect([code, stderr]).toEqual([1, expect.stringContaining('must have version: 1')])
    expect(promoted.read()).toBe('services: []\n')
  })

  longTest('that names an organization of another account is refused as one that is not there', async () => {
    const promoted = await givenUntouched()
    const other = await givenAccount(service)
    promoted.edit(new RegExp(`${promoted.org_domain}:`), `${other.org_domain}:`)

    const { code, stderr } = await promoted.config('plan', 'production', promoted.file)

    expect([code, stderr]).toEqual([1, expect.stringContaining('is no organization of')])
  })

  test('names each application by a name that no other has', async () => {
    const promoted = await givenAccount(service)
    const { org_domain } = promoted
    await givenOf(promoted.sandbox).application({ org_domain, name: 'Storefront' })
    await givenOf(promoted.sandbox).application({ org_domain, name: 'Storefront' })

    const { code, stderr } = await promoted.config('pull', 'sandbox')

    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('applications.Storefront is the name of several'),
    ])
  })
})

describe('a file in which', () => {
  const mistakes = [
    ['plain_text_min_length: 12', 'plain_text_min_lenght: 12', 'did you mean plain_text_min_length?'],
    ['plain_text_min_length: 12', 'plain_text_min_length: twelve', 'must be a whole number from 1 to 1024'],
    // Only the service checks these, which a plan runs.
    ['plain_text_min_length: 12', 'plain_text_min_length: 200', 'must be lower than plain_text_max_length'],
    ['- https://store.example/callback', '- http://localhost:3000/', 'must be an https URL'],
    ['    active: true', '    active: true\n    signature_key: x', 'is no member of webhooks'],
    ['        seats_limit: 0', '        metadata: x', 'is not promoted: it is of the identity provider'],
    ['      okta:', '      octa:', 'must be one of okta, entra_id'],
    ['webhooks:', 'web_hooks:', 'is no section: did you mean webhooks?'],
    ['    application_type: react\n', '', 'is required'],
    ['version: 1', 'version: 2', 'must have version: 1'],
    ['Back office:', 'Back office: [', 'is no YAML'],
  ] as const
  test.each(mistakes)('%j is %j is refused with line and column', async (part, by, said) => {
    const pulled = await givenUntouched()
    const line = pulled.right.slice(0, pulled.right.indexOf(part)).split('\n').length
    pulled.edit(part, by)

    const { code, stderr } = await pulled.config('plan', 'production', pulled.file)

    expect([code, stderr]).toEqual([1, expect.stringContaining(said)])
    const [, told] = /portico\.yaml:(\d+):\d+ /.exec(stderr) ?? []
    // A missing member has no line of its own, and a missing bracket is reported at the end.
    expect(Math.abs(Number(told) - line)).toBeLessThanOrEqual(2)
  })
})

describe('an apply', () => {
  longTest('changes nothing when any part of it is refused', async () => {
    const promoted = await givenUntouched()
    promoted.edit('https://shop.example/portico/events', 'https://10.0.0.1/events')

    const { code, stderr } = await promoted.config('apply', 'production', promoted.file, '--yes')

    expect([code, stderr]).toEqual([1, expect.stringContaining('target_url must be an https address')])
    expect(await namesOf(promoted)).toEqual([])
    expect(await eventsOf(promoted)).toEqual([])
    expect(JSON.parse(await promoted.succeed('history', 'production', '--json'))).toEqual([])
  })

  test('asks before it changes anything, and without a terminal wants --yes', async () => {
    const promoted = await givenUntouched()

    const { code, stdout, stderr } = await promoted.config('apply', 'production', promoted.file)

    expect([code, stdout, stderr]).toEqual([
      1,
      expect.stringContaining('+ applications.Storefront'),
      expect.stringContaining('Add --yes to do it.'),
    ])
    expect(await namesOf(promoted)).toEqual([])
  })

  longTest('of a plan is refused once the environment is not as it was', async () => {
    const promoted = await givenPulled()
    const { org_domain, production } = promoted
    const plan = join(givenFolder(), 'plan.json')
    writeFileSync(plan, JSON.stringify(await promoted.plan()))
    await production.magicLink.updateConnection({ org_domain, active: false })

    const args = [promoted.file, '--yes', '--plan', plan]
    const { code, stderr } = await promoted.config('apply', 'production', ...args)

    expect([code, stderr]).toEqual([1, expect.stringContaining('has changed since the plan')])
    expect(await namesOf(promoted)).toEqual([])
    await production.magicLink.updateConnection({ org_domain, active: true })
    await promoted.apply('--plan', plan)
    expect(await namesOf(promoted)).toEqual(['Back office', 'Storefront'])
  })

  longTest('of a plan that two carry out at once happens once', async () => {
    const promoted = await givenPulled()
    const plan = join(givenFolder(), 'plan.json')
    writeFileSync(plan, JSON.stringify(await promoted.plan()))
    const args = [promoted.file, '--yes', '--plan', plan]

    const outcomes = await Promise.all([1, 2].map(() => promoted.config('apply', 'production', ...args)))

    expect(outcomes.map(({ code }) => code).toSorted()).toEqual([0, 1])
    expect(await namesOf(promoted)).toEqual(['Back office', 'Storefront'])
  })

  longTest('touches neither the other environment nor another account', async () => {
    const promoted = await givenPulled()
    const other = await givenUntouched()
    const before = await settingsOf(promoted.sandbox, promoted)

    await promoted.apply('--prune')

    expect(await settingsOf(promoted.sandbox, promoted)).toEqual(before)
    expect(await namesOf(other)).toEqual([])
    expect(JSON.parse(await other.succeed('history', 'production', '--json'))).toEqual([])
    expect(JSON.parse(await promoted.succeed('history', 'sandbox', '--json'))).toEqual([])
  })
})
