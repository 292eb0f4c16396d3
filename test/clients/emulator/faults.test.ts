import { ConnectionError, isApiError } from '@portico/sdk'
import { beforeEach, describe, expect, test } from 'vitest'
import { ada, givenEmulator, smallSeed } from './emulator.js'

const list = { org_domain: ada.org_domain }

const portico = await givenEmulator({ seed: smallSeed })

describe('a fault', () => {
  // The tests change only the faults, and a reset costs more than a test.
  beforeEach(() => portico.faults.clear())

  test('is met as often as was asked for, and the SDK repeats a read until it is over', async () => {
    await portico.faults.add({
      operation: 'users.list',
      code: 'unavailable',
      retry_after_seconds: 0,
      times: 2,
    })

    const users = await portico.client({}, { maxRetries: 2 }).users.list(list)

    expect(users.data.map(({ email }) => email)).toEqual(['ada@awesome.example'])
    expect(await portico.faults.list()).toMatchObject([{ met: 2, remaining: 0 }])
  })

  test('is the error body of the service, with its status and code, when nobody repeats', async () => {
    await portico.faults.add({ operation: 'users.list', status: 503, retry_after_seconds: 7 })

    const error: unknown = await portico
      .client({}, { maxRetries: 0 })
      .users.list(list)
      .catch((reason: unknown) => reason)

    expect(isApiError(error, 'users.list') && [error.status, error.code, error.retryAfterSeconds]).toEqual([
      503,
      'unavailable',
      7,
    ])
  })

  test('changes nothing: what was refused was not done', async () => {
    await portico.faults.add({ operation: 'users.create', code: 'rate_limited', times: 1 })
    const client = portico.client({}, { maxRetries: 0 })

    const attempt = client.users.create({ ...list, email: 'grace@awesome.example' })

    await expect(attempt).rejects.toMatchObject({ status: 429 })
    expect((await client.users.list(list)).total).toBe(1)
  })

  test('ends a connection without an answer', async () => {
    await portico.faults.add({ operation: 'users.list', reset: true })

    const error: unknown = await portico
      .client({}, { maxRetries: 0 })
      .users.list(list)
      .catch((reason: unknown) => reason)

    expect(error instanceof ConnectionError && error.reason).toBe('network')
  })

  test('lets an answer come late, and the SDK gives up in time', async () => {
    await portico.faults.add({ operation: 'users.list', latency_ms: 60_000, times: 1 })

    const error: unknown = await portico
      .client({}, { maxRetries: 0, timeoutMs: 300 })
      .users.list(list)
      .catch((reason: unknown) => reason)

    expect(error instanceof ConnectionError && error.reason).toBe('timeout')
  })

  test('of an OAuth endpoint speaks its language', async () => {
    await portico.faults.add({ operation: 'oauth.token', code: 'temporarily_unavailable', status: 503 })

    const attempt = portico
      .client({}, { maxRetries: 0 })
      .oauth.token({ grant_type: 'authorization_code', code: 'any' })

    await expect(attempt).rejects.toMatchObject({ status: 503, code: 'temporarily_unavailable' })
  })

  test('concerns its operation alone, and is gone when it is cleared', async () => {
    await portico.faults.add({ operation: 'users.list', code: 'internal_error' })
    const client = portico.client({}, { maxRetries: 0 })

    await expect(client.organizations.list({})).resolves.toMatchObject({ total: 1 })
    await portico.faults.clear()

    await expect(client.users.list(list)).resolves.toMatchObject({ total: 1 })
  })

  test.each([
    [
      { operation: 'users.list', code: 'email_taken' },
      'fault_not_declared',
      /users\.list does not answer email_taken/,
    ],
    [{ operation: 'users.list', status: 418 }, 'fault_not_declared', /It answers .*unavailable \(503\)/],
    [{ operation: 'oauth.token', code: 'invalid_grant', status: 503 }, 'fault_not_declared', /invalid_grant/],
    [
      { operation: 'users.lost', code: 'unavailable' },
      'invalid_parameters',
      /users\.lost is none of .*users\.list/,
    ],
    [{ operation: 'users.list' }, 'invalid_parameters', /a code, a status, latency_ms or reset/],
    [{ operation: 'users.list', code: 'unavailable', reset: true }, 'invalid_parameters', /no answer/],
    [{ operation: 'users.list', latency_ms: -1 }, 'invalid_parameters', /latency_ms/],
  ])('that the service would never answer is refused: %j', async (fault, code, message) => {
    const attempt = portico.control.faults.add(fault)

    await expect(attempt).rejects.toMatchObject({
      status: 422,
      code,
      message: expect.stringMatching(message),
    })
    expect(await portico.faults.list()).toEqual([])
  })
})

describe('the outbox', () => {
  beforeEach(() => portico.reset())

  test('has a mail as soon as it was asked for, for its recipient alone, until it is cleared', async () => {
    const client = portico.client()
    await client.users.create({ ...list, email: 'grace@awesome.example' })
    await client.magicLink.createChallenge(ada)
    await client.magicLink.createChallenge({ ...ada, user_email: 'grace@awesome.example' })

    const mail = await portico.outbox.latest('ADA@awesome.example')
    expect(mail).toMatchObject({ channel: 'mail', to: 'ada@awesome.example' })
    expect(mail.text).toContain(`${portico.baseUrl}/t/awesome-company/magic-link`)
    expect(await portico.outbox.list()).toHaveLength(2)

    await portico.outbox.clear()
    await expect(portico.outbox.latest('ada@awesome.example')).rejects.toThrow(/Nothing was sent to ada/)
  })
})

/** The id of no object. */
const lostId = '0190c8b0-0000-7000-8000-00000000dead'

describe('an account of its own', () => {
  test('comes with keys, and sees nothing of another one', async () => {
    const account = await portico.control.accounts.create({ name: 'Globex' })
    await portico.control.accounts.createKey({
      account_domain: account.domain,
      name: 'Reader',
      scopes: ['read:users'],
    })

    const own = portico.client({ account: account.domain })
    const reader = portico.client({ account: account.domain, name: 'Reader' }, { maxRetries: 0 })

    expect((await own.organizations.list({})).total).toBe(0)
    await expect(reader.organizations.list({})).rejects.toMatchObject({ code: 'insufficient_scope' })
    await portico.reset()
    expect(portico.accounts.map(({ domain }) => domain)).toEqual(['acme'])
  })

  test('has no key for an organization that it does not have', async () => {
    const { id } = await portico.client().organizations.create({ name: 'Kept apart' })
    const other = await portico.control.accounts.create({ name: 'Globex' })
    const make = (domain: string, ids: string[]) =>
      portico.control.accounts.createKey({ account_domain: domain, organization_ids: ids })

    await expect(make('acme', [id])).resolves.toMatchObject({ environment: 'sandbox' })
    const refused = {
      status: 422,
      code: 'invalid_parameters',
      message: expect.stringMatching(/organization_ids: the account \w+ has no organization [-0-9a-f]{36}$/),
    }
    await expect(make('acme', [id, lostId])).rejects.toMatchObject(refused)
    await expect(make(other.domain, [id])).rejects.toMatchObject(refused)
  })

  test('that is not there is told', async () => {
    const attempt = portico.control.accounts.createKey({ account_domain: 'lost' })

    await expect(attempt).rejects.toMatchObject({ status: 404, code: 'account_not_found' })
    expect(() => portico.client({ account: 'lost' })).toThrow(/It has acme sandbox \(Back end\)/)
  })
})
