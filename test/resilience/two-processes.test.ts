import { randomBytes } from 'node:crypto'
import { revokeApiKey } from '@portico/server/api-keys'
import type { UserTokens } from '@portico/sdk'
import { beforeAll, describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { porticoJson } from '../cli/portico.js'
import { anyEmail, anything } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'

/** Two services behind one base URL on one database, like two processes. */
let one: Service
let two: Service

beforeAll(async () => {
  one = await startService()
  two = await beside(one)
})

function beside(service: Service, variables: Record<string, string> = {}): Promise<Service> {
  const { databaseUrl, baseUrl } = service
  return startService({ databaseUrl, variables: { BASE_URL: baseUrl, ...variables } })
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

async function ask(service: Service, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(service.baseUrl + path, { redirect: 'manual', ...init })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** Sends the same request several times concurrently, alternating between the processes. */
function alternately(times: number, path: string, init: RequestInit): Promise<Answer[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => ask(index % 2 ? two : one, path, init)))
}

function withToken(token: string, body?: object, headers: Record<string, string> = {}): RequestInit {
  return {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}

describe('an Idempotency-Key', () => {
  test('has one effect and one answer, however many processes get the request at once', async () => {
    const { domain } = await one.given.organization()
    const path = `/api/v2/org/${domain}/users`
    const email = anyEmail()
    const request = withToken(await one.token(), { email }, { 'idempotency-key': anything() })
    const answers = await alternately(20, path, request)
    const made = answers.filter((answer) => answer.status === 201)
    expect(made.length).toBeGreaterThan(0)
    for (const { status, body } of answers.filter((answer) => answer.status !== 201))
      expect([status, body]).toMatchObject([409, { error: { code: 'idempotency_in_flight' } }])

    const later = await alternately(4, path, request)
    for (const answer of later) {
      expect([answer.status, answer.body]).toEqual([201, made[0]?.body])
      expect(answer.headers.get('idempotent-replayed')).toBe('true')
      expect(answer.headers.get('etag')).toBe(made[0]?.headers.get('etag'))
    }
    const { id } = (made[0]?.body ?? {}) as { id?: string }
    const events = await one.query('select from events where code = $1 and subject_id = $2', [
      'user.user.create.success',
      id,
    ])
    expect(events).toHaveLength(1)
  })

  test('with different requests at once lets one of them through', async () => {
    const { domain } = await one.given.organization()
    const token = await one.token()
    const key = { 'idempotency-key': anything() }
    const answers = await Promise.all(
      [one, two, one, two].map((service) =>
        ask(service, `/api/v2/org/${domain}/users`, withToken(token, { email: anyEmail() }, key)),
      ),
    )
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 422, 422, 422])
  })
})

describe('API keys', () => {
  test('tokens of one process are taken by the other, and refused within 5 s once the key is revoked', async () => {
    const token = await one.token()
    const [, claims = ''] = token.split('.')
    const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }
    const statuses = async () => {
      const answers = await alternately(2, '/api/v2/organizations', withToken(token))
      return answers.map((answer) => answer.status)
    }
    expect(await statuses()).toEqual([200, 200])

    const actor = { type: 'operator', id: 'test' } as const
    await revokeApiKey(one.deps, sub, { requestId: 'test', actor, params: () => ({}) })
    for (const { clock } of [one, two]) await clock.advance(5)
    expect(await statuses()).toEqual([401, 401])
  })

  test('a token of a machine whose clock is 2 s ahead is taken', async () => {
    const [ahead, behind] = await Promise.all([beside(one), beside(one)])
    await ahead.clock.advance(2)
    const token = await ahead.token({ account: one.account })
    expect(await ask(behind, '/api/v2/organizations', withToken(token))).toMatchObject({ status: 200 })
  })

  test('the limit of a key is counted by each process for itself', async () => {
    const limited = { API_RATE_PER_MINUTE: '3' }
    const [first, second] = await Promise.all([beside(one, limited), beside(one, limited)])
    const token = await first.token({ account: one.account })
    const statusesAt = async (service: Service) => {
      const answers: number[] = []
      for (let count = 0; count < 4; count++)
        answers.push((await ask(service, '/api/v2/organizations', withToken(token))).status)
      return answers
    }
    expect(await statusesAt(first)).toEqual([200, 200, 200, 429])
    expect(await statusesAt(second)).toEqual([200, 200, 200, 429])
    for (const { clock } of [first, second]) await clock.advance(60)
    expect((await statusesAt(first))[0]).toBe(200)
  })
})

describe('signing in', () => {
  longTest(
    'a magic link opens once, and its code is exchanged once, of 100 attempts at both processes',
    async () => {
      const { link } = await readyToSignIn()
      const opened = await alternately(100, link, { headers: { accept: 'application/json' } })
      const redirects = opened.filter((answer) => answer.status === 303)
      expect(redirects).toHaveLength(1)
      expect(new Set(opened.map((answer) => answer.status))).toEqual(new Set([303, 404]))

      const exchanged = await alternately(100, '/oauth/token', exchangeOf(redirects[0]))
      expect(exchanged.filter((answer) => answer.status === 200)).toHaveLength(1)
      for (const { status, body } of exchanged.filter((answer) => answer.status !== 200))
        expect([status, body]).toMatchObject([400, { error: 'invalid_grant' }])
    },
  )

  longTest(
    'keys rotated for one process sign at both, and what was signed before stays good at both',
    async () => {
      const { domain, link } = await readyToSignIn()
      const keySet = `/t/${domain}/.well-known/jwks.json`
      const before = [await one.token(), await two.token({ account: one.account })]
      const signedBefore = await signIn(one, link)
      await portico(['keys', 'rotate', '--organization', domain, '--force'])
      await portico(['keys', 'rotate', '--account', one.account.domain])

      const [atOne, atTwo] = [await ask(one, keySet), await ask(two, keySet)]
      expect(atTwo.body).toEqual(atOne.body)
      const { keys } = atOne.body as { keys: { kid: string }[] }
      const known = keys.map((key) => key.kid)
      expect(known).toContain(kidOf(signedBefore))
      for (const service of [one, two]) {
        const signedAfter = await signIn(service, await linkOf(domain))
        expect(kidOf(signedAfter)).not.toBe(kidOf(signedBefore))
        expect(known).toContain(kidOf(signedAfter))
      }

      const after = [await one.token(), await two.token({ account: one.account })]
      expect(after.map(kidOf)).not.toEqual(before.map(kidOf))
      for (const token of [...before, ...after]) {
        const answers = await alternately(2, '/api/v2/organizations', withToken(token))
        expect(answers.map((answer) => answer.status)).toEqual([200, 200])
      }
    },
  )

  test('a key revoked after a leak verifies nothing at either within a minute, and leaves the key set', async () => {
    const { domain, link } = await readyToSignIn()
    const leaked = [await one.token(), await two.token({ account: one.account })]
    const signed = await signIn(one, link)
    await alternately(2, '/api/v2/organizations', withToken(leaked[0] ?? ''))
    await portico(['keys', 'rotate', '--account', one.account.domain, '--revoke'])
    await portico(['keys', 'rotate', '--organization', domain, '--revoke'])
    for (const service of [one, two]) await service.clock.advance(60)

    for (const token of leaked) {
      const answers = await alternately(2, '/api/v2/organizations', withToken(token))
      expect(answers.map((answer) => answer.status)).toEqual([401, 401])
    }
    const { keys } = (await ask(one, `/t/${domain}/.well-known/jwks.json`)).body as {
      keys: { kid: string }[]
    }
    expect(keys.map((key) => key.kid)).not.toContain(kidOf(signed))
  })

  test('in the order in which a master key is replaced, each process opens what one a step before or behind it seals', async () => {
    const former = one.masterKeys
    const next = `v2:${randomBytes(32).toString('base64')}`
    const knowing = await beside(one, { MASTER_KEYS: `${former},${next}` })
    const sealing = await beside(one, { MASTER_KEYS: `${next},${former}` })
    const pairs = [
      [one, knowing],
      [knowing, one],
      [knowing, sealing],
      [sealing, knowing],
    ] as const
    for (const [made, signed] of pairs) {
      const { link } = await readyToSignIn(made)
      expect(await signIn(signed, link)).toEqual(expect.any(String))
    }
  })

  async function readyToSignIn(service = one): Promise<{ domain: string; link: string }> {
    const { domain } = await service.given.organization()
    await service.given.application({ org_domain: domain, organization_domain_scope: domain })
    return { domain, link: await linkOf(domain, service) }
  }

  /** Path and query of a new magic link, for use at either process. */
  async function linkOf(org_domain: string, service = one): Promise<string> {
    const { email } = await service.given.user({ org_domain })
    const client = await service.client()
    const challenge = { org_domain, user_email: email, send_email: false }
    const { magic_link } = await client.magicLink.createChallenge(challenge)
    const url = new URL(magic_link ?? '')
    return url.pathname + url.search
  }

  async function signIn(service: Service, link: string): Promise<string> {
    const opened = await ask(service, link, { headers: { accept: 'application/json' } })
    const { body } = await ask(service, '/oauth/token', exchangeOf(opened))
    return (body as UserTokens).access_token
  }

  function exchangeOf(opened: Answer | undefined): RequestInit {
    const code = new URL(opened?.headers.get('location') ?? '').searchParams.get('code') ?? ''
    return { method: 'POST', body: new URLSearchParams({ grant_type: 'authorization_code', code }) }
  }
})

test('what one process has changed the other answers at once', async () => {
  const { domain } = await one.given.organization()
  const token = await one.token()
  const path = `/api/v2/organizations/${domain}`
  for (const [index, name] of ['A', 'B', 'C', 'D'].entries()) {
    const [here, there] = index % 2 ? [one, two] : [two, one]
    const change = { ...withToken(token, { name }), method: 'PUT' }
    const changed = await ask(here, path, change)
    const read = await ask(there, path, withToken(token))
    expect(read.body).toEqual(changed.body)
    expect(read.headers.get('etag')).toBe(changed.headers.get('etag'))
  }
  expect((await ask(two, path, { ...withToken(token), method: 'DELETE' })).status).toBe(200)
  expect((await ask(one, `/api/v2/org/${domain}/users`, withToken(token))).status).toBe(404)
})

test('jobs run once, whichever process finds them', async () => {
  const { domain } = await one.given.organization()
  await one.given.application({ org_domain: domain })
  const users = await Promise.all(Array.from({ length: 10 }, () => one.given.user({ org_domain: domain })))
  const client = await one.client()
  await Promise.all(
    users.map((user) => client.magicLink.createChallenge({ org_domain: domain, user_email: user.email })),
  )
  await Promise.all([one.runJobs(), two.runJobs(), one.runJobs(), two.runJobs()])
  const kept = await one.query<{ recipient: string }>('select recipient from outbox_messages')
  expect(kept.map((message) => message.recipient).sort()).toEqual(users.map((user) => user.email).sort())
})

function kidOf(token: string): string {
  const [header = ''] = token.split('.')
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: string }
  return kid
}

/** Runs a command on the database of both. */
function portico(args: string[]): Promise<unknown> {
  return porticoJson(args, {
    DATABASE_URL: one.databaseUrl,
    BASE_URL: one.baseUrl,
    MASTER_KEYS: one.masterKeys,
  })
}
