import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createVerifier, type AccountVerifierOptions, type Verifier } from '@portico/sdk'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createExpressApp } from '../../docs/examples/protected-route/express.js'
import { createFastifyApp } from '../../docs/examples/protected-route/fastify.js'
import { createMe } from '../../docs/examples/protected-route/next.js'
import { startService } from '../given/harness.js'
import { codeGivenOf, exchange } from '../protocols/code-given.js'

const service = await startService()
const given = codeGivenOf(service, await service.client())
const scene = await given.scene()
const { body } = await exchange(service, { code: await given.code(scene) })
const token = body.access_token ?? ''
const idToken = body.id_token ?? ''

type Ask = (verifier: Verifier, headers: Record<string, string>) => Promise<Response>

/** Sends a request to the protected route of each example. */
const examples: Record<string, Ask> = {
  Express: async (verifier, headers) => {
    const server = createServer(createExpressApp(verifier)).listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    return fetch(`http://127.0.0.1:${port}/me`, { headers })
  },
  Fastify: async (verifier, headers) => {
    const app = createFastifyApp(verifier)
    onTestFinished(() => app.close())
    return fetch(`${await app.listen({ port: 0, host: '127.0.0.1' })}/me`, { headers })
  },
  // Next.js calls a route handler with a web request.
  'Next.js': (verifier, headers) =>
    createMe(verifier)(new Request('https://app.example/me', { headers }), {}),
}

function verifierWith(options: Partial<AccountVerifierOptions> = {}): Verifier {
  return createVerifier({
    baseUrl: service.baseUrl,
    account: service.account.domain,
    audience: scene.application.client_id,
    environment: 'sandbox',
    ...options,
  })
}

function bearer(credential: string): Record<string, string> {
  return { authorization: `Bearer ${credential}` }
}

describe.each(Object.entries(examples))('the protected route of the example for %s', (_framework, ask) => {
  test('200 with a user’s access token', async () => {
    const answer = await ask(verifierWith(), bearer(token))

    expect([answer.status, await answer.json()]).toEqual([200, { user: scene.user.id }])
  })

  test('401 without a token, with nothing but the way to send one (RFC 6750 section 3.1)', async () => {
    for (const authorization of ['', 'Basic YTpi', 'Bearer']) {
      const answer = await ask(verifierWith(), { authorization })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
  })

  test.each([
    ['audience_mismatch', () => verifierWith({ audience: 'another' })],
    ['environment_mismatch', () => verifierWith({ environment: 'production' })],
    ['token_expired', () => verifierWith({ now: () => Date.now() + 2 * 3_600_000 })],
  ])('401 %s', async (code, verifier) => {
    const answer = await ask(verifier(), bearer(token))

    const challenge = `Bearer error="invalid_token", error_description="${code}"`
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, challenge])
    expect(await answer.text()).not.toContain(scene.user.id)
  })

  test('401 with an ID token, or a changed access token', async () => {
    const changed = token.replace(/.{8}$/, 'AAAAAAAA')
    for (const [credential, code] of [
      [idToken, 'type_rejected'],
      [changed, 'signature_invalid'],
    ] as const) {
      const answer = await ask(verifierWith(), bearer(credential))
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
        401,
        `Bearer error="invalid_token", error_description="${code}"`,
      ])
    }
  })

  test('503 while the keys cannot be read: nobody can say that the token is bad', async () => {
    const unreachable = verifierWith({ fetch: () => Promise.reject(new Error('down')) })
    const answer = await ask(unreachable, bearer(token))

    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([503, null])
    expect(answer.headers.get('retry-after')).toBe('5')
  })
})
