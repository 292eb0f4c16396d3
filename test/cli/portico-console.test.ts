import { expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { longTest } from '../sampled.js'
import { portico, porticoJson } from './portico.js'

const service = await startService()
const given = consoleGivenOf(service)

function variablesOf() {
  return { DATABASE_URL: service.databaseUrl, MASTER_KEYS: service.masterKeys, BASE_URL: service.baseUrl }
}

const json = <Answer>(...args: string[]) => porticoJson<Answer>(args, variablesOf())
const of = async (...args: string[]) => portico(args, variablesOf())

/** The page at which somebody arrives by a link. */
async function arriveBy(url: string) {
  const visitor = given.visitorOf()
  const entered = await visitor.press(await visitor.visit(url), 'begin')
  return { visitor, landed: await visitor.press(entered, 'not_now') }
}

test('portico account create --owner --print-link prints a link that makes the owner, without a mail', async () => {
  const email = anyEmail()
  const account = await json<{ domain: string; invitation_url: string }>(
    ...['account', 'create', 'Example', '--owner', email, '--print-link'],
  )

  const { landed } = await arriveBy(account.invitation_url)

  expect(landed.url).toBe(`${service.baseUrl}/console/${account.domain}/sandbox`)
  const { members } = await json<{ members: object[] }>('console', 'list', '--account', account.domain)
  expect(members).toMatchObject([{ email, roles: ['owner'], active: true, source: 'invitation' }])
  const accounts = await json<{ domain: string }[]>('account', 'list')
  expect(accounts.map(({ domain }) => domain)).not.toContain('console')
})

test('portico console invites by mail, lists who is invited, and removes who is there, the last owner too', async () => {
  const { domain } = await service.createAccount()
  const email = anyEmail()
  const invited = await of('console', 'invite', '--account', domain, '--email', email, '--role', 'owner')
  expect(invited).toMatchObject({ code: 0, stdout: expect.stringContaining(`Invited ${email}`) })
  const listed = await of('console', 'list', '--account', domain)
  expect(listed.stdout).toMatch(new RegExp(`${email} +owner +invited until `))

  const { visitor, landed } = await arriveBy(await given.mailedLink(email))
  expect(landed.status).toBe(200)
  const removed = await of('console', 'remove', '--account', domain, '--email', email.toUpperCase())

  expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('It has no owner now') })
  expect((await visitor.request(`/console/${domain}/sandbox`)).status).toBe(303)
  expect((await of('console', 'list', '--account', domain)).stdout).toContain('There is nobody')
})

test.each([
  [['api-key', 'create', '--account', 'console', '--environment', 'sandbox'], 'has no API keys'],
  [
    ['console', 'invite', '--account', 'console', '--email', 'a@b.example', '--role', 'owner'],
    'none of its own',
  ],
  [['console', 'list', '--account', 'nobody'], 'There is no account nobody'],
  [
    ['console', 'invite', '--account', 'x', '--email', 'a@b.example', '--role', 'admin'],
    'It is one of owner',
  ],
  [['console', 'invite', '--account', 'x', '--email', 'a', '--role', 'owner'], 'It is an address such as'],
  [['account', 'create', 'X', '--print-link'], 'Say whom to invite, with --owner.'],
])('%j is refused in a sentence', async (args, sentence) => {
  await given.link(service.account)

  const { code, stdout, stderr } = await of(...args)

  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(sentence)])
})

test('portico console remove says who is not among the staff', async () => {
  const { domain } = await service.createAccount()
  const { code, stderr } = await of('console', 'remove', '--account', domain, '--email', 'a@b.example')
  expect([code, stderr]).toEqual([1, expect.stringContaining('a@b.example is not among the staff of')])
})

longTest(
  'portico doctor names accounts whose console has no active owner, where others reach the service',
  async () => {
    const reachable = {
      BASE_URL: 'https://auth.example',
      TRUSTED_PROXIES: 'loopback',
      SMTP_URL: 'smtp://127.0.0.1:9',
    }
    const { account } = await given.link()
    const findings = async () => {
      const { stdout } = await portico(['doctor', '--json'], { ...variablesOf(), ...reachable })
      return (JSON.parse(stdout) as { check: string; detail: string }[]).filter(
        ({ check }) => check === 'Console',
      )
    }
    const ownerless = {
      check: 'Console',
      ok: true,
      detail: `the console of ${account.domain} has no active owner`,
      remedy: `run portico console invite --account ${account.domain} --role owner --email <address>`,
    }

    expect(await findings()).toContainEqual(ownerless)
    const invite = (role: string) =>
      of('console', 'invite', '--account', account.domain, '--role', role, '--email', `${role}@b.example`)
    expect((await invite('viewer')).code).toBe(0)
    expect(await findings()).toContainEqual(ownerless)
    expect((await invite('owner')).code).toBe(0)
    const { remedy: _remedy, ...invited } = ownerless
    expect(await findings()).toContainEqual({ ...invited, detail: `${ownerless.detail}, and one is invited` })
    await given.owner(account)
    expect((await findings()).map(({ detail }) => detail).join('\n')).not.toContain(ownerless.detail)
  },
)
