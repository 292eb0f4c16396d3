import { rotateSigningKeys } from '@portico/server/rotate-signing-keys'
import { routes } from '@portico/contract/walk'
import type { JSONWebKeySet } from 'jose'
import { describe, expect, test } from 'vitest'
import type { Account } from '@portico/server/accounts'
import { startService } from '../given/harness.js'

const service = await startService()
const { domain } = service.account
const issuer = `${service.baseUrl}/a/${domain}`
const { domain: org_domain } = await service.given.organization()

const addresses = [
  '/a/:domain/.well-known/openid-configuration',
  '/.well-known/openid-configuration/a/:domain',
  '/a/:domain/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/a/:domain',
]

const ask = (path: string, of = domain) => fetch(`${service.baseUrl}${path.replace(':domain', of)}`)

async function keySetOf(of: string) {
  return (await (await ask('/a/:domain/.well-known/jwks.json', of)).json()) as JSONWebKeySet
}

/** How many keys an account has as an issuer, by environment, algorithm and state. */
function keysOf({ id }: Account) {
  return service.query<{ environment: string; algorithm: string; state: string; count: number }>(
    `select environment, algorithm, state, count(*)::integer from signing_keys
     where account_id = $1 and organization_id = $1 group by 1, 2, 3 order by 1, 2, 3`,
    [id],
  )
}

const oneOfEach = ['production', 'sandbox'].flatMap((environment) =>
  ['ES256', 'RS256'].flatMap((algorithm) =>
    ['active', 'next'].map((state) => ({ environment, algorithm, state, count: 1 })),
  ),
)

describe('the metadata of an account', () => {
  test('200: are one document at four addresses, and an organization’s but for the addresses', async () => {
    const answers = await Promise.all(addresses.map((path) => ask(path)))
    const [text = '', ...others] = await Promise.all(answers.map((answer) => answer.text()))
    const ofOrganization = await (
      await fetch(`${service.baseUrl}/t/${org_domain}/.well-known/openid-configuration`)
    ).text()

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(others).toEqual([text, text, text])
    expect(JSON.parse(text)).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
    })
    expect(text.replaceAll(`/a/${domain}`, `/t/${org_domain}`).replace(',"select_organization"', '')).toBe(
      ofOrganization,
    )
    expect(text).toContain('"select_organization"')
    const [{ headers } = new Response()] = answers
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(new Set(answers.map((answer) => answer.headers.get('etag'))).size).toBe(1)
  })

  test('404 account_not_found: of an account that is not there, and of an organization in its place', async () => {
    for (const path of [...addresses, '/a/:domain/.well-known/jwks.json'])
      for (const of of ['no-such-account', org_domain, '%00', 'A'.repeat(121)]) {
        const answer = await ask(path, of)
        expect([path, of, answer.status, await answer.json()]).toMatchObject([
          path,
          of,
          404,
          { error: { code: 'account_not_found' } },
        ])
      }
    const atOrganizations = await ask('/t/:domain/.well-known/openid-configuration')
    expect(atOrganizations.status).toBe(404)
  })
})

describe('the key set of an account', () => {
  test('has keys of both algorithms and environments, active and next, before it or the metadata are told', async () => {
    const account = await service.createAccount()
    // As an account of a release before.
    await service.query('delete from signing_keys where organization_id = $1', [account.id])

    const [, ...sets] = await Promise.all([
      ask(addresses[0] ?? '', account.domain).then(async () =>
        expect(await keysOf(account)).toEqual(oneOfEach),
      ),
      ...Array.from({ length: 20 }, () => keySetOf(account.domain)),
    ])

    expect(await keysOf(account)).toEqual(oneOfEach)
    const [first, ...others] = sets.map(({ keys }) => keys.map(({ kid }) => kid).sort())
    expect(first).toHaveLength(8)
    for (const kids of others) expect(kids).toEqual(first)
  })

  test('is made by a job for accounts of before', async () => {
    const account = await service.createAccount()
    await service.query('delete from signing_keys where organization_id = $1', [account.id])
    await service.query(
      `insert into jobs (name, payload, key, run_at, inserted_at)
       values ('prepare_account_keys', '{"after": "00000000-0000-0000-0000-000000000000"}', 'all', 'epoch', 'epoch')`,
    )

    await service.runJobs()

    expect(await keysOf(account)).toEqual(oneOfEach)
  })

  test('has none of the keys of its organizations, nor of its API tokens', async () => {
    const { keys } = await keySetOf(domain)
    const others = await service.query<{ kid: string }>(
      'select kid from signing_keys where account_id = $1 and organization_id <> $1',
      [service.account.id],
    )

    const kids = keys.map(({ kid }) => kid)
    expect(kids).toHaveLength(8)
    expect(others.length).toBeGreaterThanOrEqual(8)
    expect(others.filter(({ kid }) => kids.includes(kid))).toEqual([])
  })

  test('is rotated like that of an organization, and the keys of API tokens are not', async () => {
    const { id } = service.account
    const owner = { accountId: id, environment: 'sandbox', organizationId: id }
    const apiKeys = () =>
      service.query(
        `select kid, state from signing_keys where account_id = $1
         and organization_id = '00000000-0000-0000-0000-000000000000' order by kid`,
        [id],
      )
    const before = await apiKeys()
    const next = await kidOf('next')
    const waiting = { publishedForMs: 20 * 60_000 }

    expect(await rotateSigningKeys(service.deps, owner, 'ES256', waiting)).toEqual({
      waitsUntil: expect.any(Date),
    })
    await service.clock.advance(21 * 60)
    expect(await rotateSigningKeys(service.deps, owner, 'ES256', waiting)).toEqual({ activated: next })

    expect([await kidOf('active'), await apiKeys()]).toEqual([next, before])
    expect((await keySetOf(domain)).keys).toHaveLength(9)
    const later = await kidOf('next')
    await service.query(`update signing_keys set activated_at = 'epoch' where kid = $1`, [next])
    await service.clock.advance(25 * 60 * 60)
    await service.runJobs()
    expect(await kidOf('active')).toBe(later)

    async function kidOf(state: string) {
      const [{ kid } = { kid: '' }] = await service.query<{ kid: string }>(
        `select kid from signing_keys where organization_id = $1 and environment = 'sandbox'
         and algorithm = 'ES256' and state = $2`,
        [id, state],
      )
      return kid
    }
  })

  test('of an issuer that is not there is kept for a minute, and nothing else of one', async () => {
    const known = await ask('/a/:domain/.well-known/jwks.json')
    const unknown = await Promise.all(['a', 't'].map((root) => ask(`/${root}/no-one/.well-known/jwks.json`)))
    const metadata = await ask(addresses[0] ?? '', 'no-one')

    expect(known.headers.get('cache-control')).toBe('public, max-age=900')
    expect(unknown.map(({ status, headers }) => [status, headers.get('cache-control')])).toEqual([
      [404, 'public, max-age=60'],
      [404, 'public, max-age=60'],
    ])
    expect(metadata.headers.get('cache-control')).not.toBe('public, max-age=60')
  })
})

test('an account has the style of its pages', async () => {
  const answer = await ask('/a/:domain/brand.css')

  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
})

test('no domain is the first segment of the addresses of accounts', async () => {
  const { domain: taken } = await service.given.organization({ name: 'A' })

  expect(taken).not.toBe('a')
})

describe('a stranger is answered alike at an account and where there is none', () => {
  const published = /well-known/
  const asked = routes().filter(({ path }) => path.startsWith('/a/:account_domain/') && !published.test(path))
  const parameters = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'nonsense',
    token: 'nonsense',
    client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
  })

  test.each(asked.map((route) => [route.name, route] as const))('%s', async (_name, route) => {
    const own = await service.token()
    for (const authorization of ['', 'Bearer nonsense', `Basic ${btoa('a:b')}`, `Bearer ${own}`]) {
      const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' })
      if (authorization !== '') headers.set('authorization', authorization)
      const [there, ...nowhere] = await Promise.all(
        [domain, 'no-such-account', '%00'].map(async (of) => {
          const answer = await fetch(`${service.baseUrl}${route.path.replace(':account_domain', of)}`, {
            method: route.method,
            headers,
            body: route.method === 'GET' ? null : parameters.toString(),
          })
          const requestId = answer.headers.get('x-request-id') ?? ''
          return [answer.status, (await answer.text()).replaceAll(requestId, '')]
        }),
      )
      expect([authorization, ...nowhere]).toEqual([authorization, there, there])
    }
  })
})
