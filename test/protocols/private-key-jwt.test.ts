import { createHmac, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'
import type { Client } from '@portico/sdk'
import { describe, expect, test, vi } from 'vitest'
import { startService } from '../given/harness.js'
import { atFileEnd } from '../file-end.js'
import { exchange, type Scene } from './code-given.js'
import { confidentialGivenOf } from './confidential-given.js'

const service = await startService()
const client = await service.client()
const given = confidentialGivenOf(service, client)

type NewApplication = Parameters<Client['applications']['create']>[0]
type Key = NonNullable<NewApplication['jwks']>['keys'][number]

async function keyOf(kid: string, alg: 'ES256' | 'RS256' = 'ES256') {
  const { privateKey, publicKey } = await generateKeyPair(alg)
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid } as Key }
}
const one = await keyOf('one')
const two = await keyOf('two', 'RS256')

const refusedClient = { error: 'invalid_client', error_description: expect.any(String) }

function asserting(members: Partial<NewApplication> = { jwks: { keys: [one.jwk, two.jwk] } }) {
  return given.scene({ client_authentication: 'private_key_jwt', ...members } as Parameters<
    typeof given.scene
  >[0])
}

function nowSeconds(): number {
  return Math.floor(service.clock.now().getTime() / 1000)
}

/** An assertion of a scene's application, for the service's own token endpoint unless other claims say so. */
function assertionOf(
  { application }: Scene,
  claims: JWTPayload = {},
  { key = one, header = {} }: { key?: typeof one; header?: object } = {},
): Promise<string> {
  const { client_id } = application
  const usual = {
    iss: client_id,
    sub: client_id,
    aud: service.baseUrl,
    jti: randomUUID(),
    exp: nowSeconds() + 60,
  }
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: key.alg, kid: key.kid, ...header })
    .sign(key.privateKey)
}

const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const sent = (client_assertion: string) => ({ client_assertion, client_assertion_type })

describe('an application with a key of its own (RFC 7523)', () => {
  test('200: exchanges, refreshes and revokes, with ES256 and RS256, without client_id', async () => {
    const of = await asserting()
    const own = `${service.baseUrl}/t/${of.org_domain}`

    const { body, status } = await exchange(service, {
      code: await given.code(of),
      ...sent(await assertionOf(of)),
    })
    const refreshed = await exchange(
      service,
      {
        grant_type: 'refresh_token',
        refresh_token: String(body['refresh_token']),
        client_id: of.application.client_id,
        ...sent(await assertionOf(of, { aud: own }, { key: two })),
      },
      { path: `/t/${of.org_domain}/oauth/token` },
    )
    const revoked = await exchange(
      service,
      {
        token: String(refreshed.body['refresh_token']),
        ...sent(
          await assertionOf(of, { aud: [`${own}/oauth/token`] }, { key: two, header: { kid: undefined } }),
        ),
      },
      { path: `/t/${of.org_domain}/oauth/revoke` },
    )

    expect([status, refreshed.status, revoked.status]).toEqual([200, 200, 200])
  })

  test('401: an assertion is good once, also of twenty at once', async () => {
    const of = await asserting()
    const assertion = await assertionOf(of)

    const answers = await Promise.all(
      Array.from({ length: 20 }, () => exchange(service, { code: 'unknown', ...sent(assertion) })),
    )

    expect(answers.map(({ status }) => status).toSorted()).toEqual([
      400,
      ...Array.from({ length: 19 }, () => 401),
    ])
    expect((await exchange(service, { code: 'unknown', ...sent(assertion) })).body).toEqual(refusedClient)
  })

  const badClaims: [string, (of: Scene) => JWTPayload][] = [
    ['the audience of another service', () => ({ aud: 'https://other.example' })],
    ['the audience of an organization’s issuer', (of) => ({ aud: `${service.baseUrl}/t/${of.org_domain}` })],
    ['two audiences', () => ({ aud: [service.baseUrl, 'https://other.example'] })],
    ['no audience', () => ({ aud: undefined })],
    ['another subject', () => ({ sub: randomUUID() })],
    ['another issuer', () => ({ iss: randomUUID() })],
    ['a client that is none', () => ({ iss: 'x', sub: 'x' })],
    ['no jti', () => ({ jti: undefined })],
    ['an empty jti', () => ({ jti: '' })],
    ['an expiry that is over', () => ({ exp: nowSeconds() - 31 })],
    ['an expiry that is far', () => ({ exp: nowSeconds() + 332 })],
    ['no expiry', () => ({ exp: undefined })],
    ['a beginning to come', () => ({ nbf: nowSeconds() + 60 })],
    ['more than 4 kB', () => ({ filler: 'x'.repeat(4096) })],
  ]

  test('401: with wrong claims, and the code is not spent', async () => {
    const of = await asserting()
    const code = await given.code(of)

    for (const [what, claims] of badClaims) {
      const answer = await exchange(service, { code, ...sent(await assertionOf(of, claims(of))) })
      expect([what, answer.status, answer.body]).toEqual([what, 401, refusedClient])
    }
    expect((await exchange(service, { code, ...sent(await assertionOf(of)) })).status).toBe(200)
  })

  test('401: signed by anybody else, or not at all', async () => {
    const of = await asserting()
    const other = await asserting({ jwks: { keys: [(await keyOf('other')).jwk] } })
    const stranger = await keyOf('one')
    const [header = '', payload = ''] = (await assertionOf(of)).split('.')
    const withHeader = (fields: object) => Buffer.from(JSON.stringify(fields)).toString('base64url')
    const hmac = `${withHeader({ alg: 'HS256', kid: 'one' })}.${payload}`
    const secret = JSON.stringify(of.application.jwks?.keys[0])
    const good = await assertionOf(of)
    const forgeries: [string, string][] = [
      ['alg none', `${withHeader({ alg: 'none' })}.${payload}.`],
      ['alg none with a signature', `${withHeader({ alg: 'none' })}.${payload}.AAAA`],
      [
        'HS256 with the public key',
        `${hmac}.${createHmac('sha256', secret).update(hmac).digest('base64url')}`,
      ],
      ['another key under this kid', await assertionOf(of, {}, { key: stranger })],
      [
        'the kid of another application',
        await assertionOf(of, {}, { key: stranger, header: { kid: 'other' } }),
      ],
      ['the key of the other application', await assertionOf(other, {}, { key: one })],
      ['a kid of another key', await assertionOf(of, {}, { header: { kid: 'two' } })],
      [
        'another algorithm in the header',
        `${withHeader({ alg: 'RS256', kid: 'one' })}.${payload}.${good.split('.')[2]}`,
      ],
      ['other claims', `${header}.${(await assertionOf(of)).split('.')[1]}.${good.split('.')[2]}`],
      ['no JWT', 'x'],
    ]

    for (const [what, assertion] of forgeries) {
      const answer = await exchange(service, { code: 'unknown', ...sent(assertion) })
      expect([what, answer.status, answer.body]).toEqual([what, 401, refusedClient])
    }
  })

  test('401: another type of assertion, another client_id, a secret, and no authentication', async () => {
    const of = await asserting()
    const code = await given.code(of)
    const client_secret = await given.secretOf(of)
    const { client_id } = of.application

    const attempts: Record<string, string>[] = [
      {
        client_assertion: await assertionOf(of),
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      },
      { client_assertion: await assertionOf(of) },
      { client_assertion_type },
      { ...sent(await assertionOf(of)), client_id: randomUUID() },
      { client_id, client_secret },
      { client_id },
    ]
    for (const parameters of attempts)
      expect((await exchange(service, { code, ...parameters })).body).toEqual(refusedClient)
    const both = await exchange(service, { code, client_id, client_secret, ...sent(await assertionOf(of)) })
    expect([both.status, both.body.error]).toEqual([400, 'invalid_request'])
    expect((await exchange(service, { code, ...sent(await assertionOf(of)) })).status).toBe(200)
  })

  test('401: of an application that authenticates by a secret', async () => {
    const of = await given.scene({ jwks: { keys: [one.jwk] } } as Parameters<typeof given.scene>[0])

    expect((await exchange(service, { code: 'x', ...sent(await assertionOf(of)) })).body).toEqual(
      refusedClient,
    )
  })
})

describe('keys at an address of the application', () => {
  /** A server of an application, which ends with the test file. */
  async function startServer(answer: (res: ServerResponse) => void): Promise<string> {
    const server = createServer((_req, res) => answer(res))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    atFileEnd(() => {
      server.closeAllConnections()
      server.close()
    })
    // A listening TCP server has an address with a port.
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`
  }

  /** One of an application's keys, and how often it was asked. */
  async function keyServer(keys: unknown[]) {
    let asked = 0
    const set = { keys }
    const state: { isDown: boolean; held?: ServerResponse[] } = { isDown: false }
    const url = await startServer((res) => {
      asked += 1
      if (state.held !== undefined) {
        state.held.push(res)
        return
      }
      res.statusCode = state.isDown ? 500 : 200
      res.setHeader('content-type', 'application/json').end(JSON.stringify(set))
    })
    return { url, set, state, asked: () => asked }
  }

  async function statusOf(of: Scene, key = one): Promise<number> {
    return (await exchange(service, { code: 'unknown', ...sent(await assertionOf(of, {}, { key })) })).status
  }

  test('are read, kept a quarter of an hour, and read again for an unknown one once a minute at most', async () => {
    const server = await keyServer([{ kty: 'OKP' }, 'nonsense', one.jwk])
    const of = await asserting({ jwks_uri: server.url })

    expect([await statusOf(of), await statusOf(of), server.asked()]).toEqual([400, 400, 1])
    server.set.keys = [two.jwk]
    expect([await statusOf(of, two), server.asked()]).toEqual([401, 1])
    await service.clock.advance(61)
    expect([await statusOf(of, two), server.asked()]).toEqual([400, 2])
    expect([await statusOf(of), server.asked()]).toEqual([401, 2])
    server.set.keys = [one.jwk]
    await service.clock.advance(15 * 60)
    expect([await statusOf(of, two), server.asked()]).toEqual([401, 3])
  })

  test('are read again for an assertion without a kid that none of them has signed, once a minute at most', async () => {
    const next = await keyOf('next')
    const server = await keyServer([{ ...one.jwk, kid: undefined }])
    const of = await asserting({ jwks_uri: server.url })
    const without = async (key: typeof one) => {
      const assertion = await assertionOf(of, {}, { key, header: { kid: undefined } })
      return (await exchange(service, { code: 'unknown', ...sent(assertion) })).status
    }
    expect([await without(one), server.asked()]).toEqual([400, 1])

    server.set.keys = [{ ...next.jwk, kid: undefined }]
    expect([await without(next), server.asked()]).toEqual([401, 1])
    await service.clock.advance(61)
    expect([await without(next), server.asked()]).toEqual([400, 2])
    expect([await without(one), server.asked()]).toEqual([401, 2])
  })

  test('stay where reading them again fails, which anybody can ask for, until their time is over', async () => {
    const server = await keyServer([one.jwk])
    const of = await asserting({ jwks_uri: server.url })
    expect([await statusOf(of), server.asked()]).toEqual([400, 1])

    server.state.isDown = true
    await service.clock.advance(61)
    expect([await statusOf(of, two), server.asked()]).toEqual([401, 2])
    expect([await statusOf(of), await statusOf(of, two), server.asked()]).toEqual([400, 401, 2])
    await service.clock.advance(15 * 60)
    expect([await statusOf(of), server.asked()]).toEqual([401, 3])
  })

  test('do not wait while they are read again for one that they lack, which anybody can ask for', async () => {
    const server = await keyServer([one.jwk])
    const of = await asserting({ jwks_uri: server.url })
    expect(await statusOf(of)).toBe(400)
    await service.clock.advance(61)
    const held: ServerResponse[] = []
    server.state.held = held

    const stranger = statusOf(of, two)
    await vi.waitFor(() => expect(held).toHaveLength(1))
    const first = await Promise.race([statusOf(of), stranger])
    for (const res of held) res.end(JSON.stringify({ keys: [two.jwk] }))

    expect([first, await stranger, await statusOf(of), server.asked()]).toEqual([400, 400, 401, 2])
  })

  test('are asked for once by those who come at the same time', async () => {
    const server = await keyServer([one.jwk])
    const of = await asserting({ jwks_uri: server.url })

    const statuses = await Promise.all(Array.from({ length: 10 }, () => statusOf(of)))

    expect([new Set(statuses), server.asked()]).toEqual([new Set([400]), 1])
  })

  test.each<[string, (res: ServerResponse) => void]>([
    ['a redirect', (res) => res.writeHead(302, { location: 'https://other.example' }).end()],
    ['an error', (res) => res.writeHead(500).end()],
    ['no JSON', (res) => res.end('x')],
    ['more than 64 kB', (res) => res.end(JSON.stringify({ keys: [one.jwk], filler: 'x'.repeat(65_536) }))],
  ])('401: with %s nobody is authenticated', async (_, behaviour) => {
    const of = await asserting({ jwks_uri: await startServer(behaviour) })

    expect(await statusOf(of)).toBe(401)
  })
})

test('assertions are forgotten once they have expired', async () => {
  const of = await asserting()
  await exchange(service, { code: 'unknown', ...sent(await assertionOf(of)) })
  await service.clock.advance(24 * 3600)
  await service.runJobs()

  expect(await service.query('select from client_assertions')).toEqual([])
})
