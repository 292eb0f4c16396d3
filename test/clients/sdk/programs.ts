/** Programs of users of the package, for compilers and for versions of Node. */

const client = `import { ApiError, createClient, createVerifier, etagOf, isApiError, type Client, type Event, type User } from '@portico/sdk'
export const client: Client = createClient({ baseUrl: 'https://auth.example', domain: 'a', clientId: 'b', clientSecret: 'c' })
export async function create(): Promise<User> {
  const user = await client.users.create({ org_domain: 'awesome-company', email: 'ada@awesome.example' })
  return client.users.update({ org_domain: 'awesome-company', user_id: user.id, active: false }, { ifMatch: etagOf(user) })
}
export async function* all(signal: AbortSignal): AsyncGenerator<User | Event> {
  for await (const user of client.users.list.all({ org_domain: 'awesome-company' }, { signal })) yield user
  for await (const event of client.events.listen({ code: 'user.all', signal })) yield event
}
interface Claims {
  accessToken: import('@portico/sdk').AccessTokenClaims<{ employee_number?: number }>
  idToken: import('@portico/sdk').IdTokenClaims<{ employee_number?: number }>
}
export async function numberOf(token: string): Promise<number | undefined> {
  const verifier = createVerifier<Claims>({ baseUrl: 'https://auth.example', domain: 'a', audience: 'b', environment: 'production' })
  const { meta_data } = await verifier.verifyAccessToken(token)
  return meta_data.employee_number
}
export function isTaken(error: unknown): boolean {
  return error instanceof ApiError && isApiError(error, 'users.create') && error.code === 'email_taken'
}
`

const webhooks = `import { verifyWebhook, WebhookError } from '@portico/sdk/webhooks'
export async function receive(request: Request): Promise<string> {
  try {
    const event = await verifyWebhook(await request.text(), request.headers, 'whsec_')
    return event.code === 'user.user.create.success' && !('truncated' in event.data) ? event.data.email : event.code
  } catch (error) {
    return error instanceof WebhookError ? error.code : ''
  }
}
`

const sessions = `import { portico } from '@portico/sdk/express'
import { portico as hono, type AuthVariables } from '@portico/sdk/hono'
import { portico as next } from '@portico/sdk/next'
import { createSessions, SessionError, type Auth, type SessionStore } from '@portico/sdk/session'
export async function answer(request: Request, store: SessionStore): Promise<Response> {
  const sessions = createSessions({ appUrl: 'https://app.example', store })
  try {
    const auth: Auth = await sessions.read(request)
    if (auth.user === null) return (await sessions.handle(request)) ?? new Response(null, { status: 404 })
    return sessions.guard(request, auth, { acr: 'urn:portico:acr:mfa' }) ?? Response.json({ at: auth.organization.domain })
  } catch (error) {
    if (error instanceof SessionError && error.code === 'service_unavailable') return new Response(null, { status: error.status })
    throw error
  }
}
export const nameOf = ({ auth }: AuthVariables): string | null | undefined => auth.user?.name
export const auth = portico()
export const guards = [auth.requireUser({ organization: ({ params }) => params['organization'] }), hono().requireUser(), next().protect]
`

/** Strict programs, by the way they load the package. */
export const programs = {
  ESM: { 'client.mts': client, 'webhooks.mts': webhooks, 'sessions.mts': sessions },
  CommonJS: { 'client.cts': client, 'webhooks.cts': webhooks, 'sessions.cts': sessions },
  bundled: { 'bundled-client.ts': client, 'bundled-webhooks.ts': webhooks, 'bundled-sessions.ts': sessions },
}

export const wrongProgram = client.replace("email: 'ada@awesome.example'", 'email: 7')

type Ending = 'mjs' | 'cjs'

function loading(ending: Ending, members: string, name: string): string {
  return ending === 'mjs'
    ? `import { ${members} } from '${name}'`
    : `const { ${members} } = require('${name}')`
}

/** Calls an operation, refuses and accepts a token, signs and verifies a delivery, and prints ok. */
export function smokeProgram(ending: Ending): string {
  return `${loading(ending, 'createClient, createVerifier, isApiError', '@portico/sdk')}
${loading(ending, 'signTestEvent, verifyWebhook', '@portico/sdk/webhooks')}
${loading(ending, 'strict: assert', 'node:assert').replace('strict: assert', ending === 'mjs' ? 'strict as assert' : 'strict: assert')}
async function main() {
  const asked = []
  const fetch = async (url, { method, body }) => {
    asked.push(method + ' ' + url)
    if (url.endsWith('/oauth/token')) return Response.json({ access_token: 'token', expires_in: 3600 })
    if (method === 'POST') return Response.json({ error: { code: 'email_taken', message: 'taken' } }, { status: 409 })
    return Response.json({ keys: [jwk] })
  }
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const jwk = { ...(await crypto.subtle.exportKey('jwk', pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const base = { baseUrl: 'https://auth.example', fetch }

  const client = createClient({ ...base, domain: 'a', clientId: 'b', clientSecret: 'c' })
  const refusal = await client.users.create({ org_domain: 'o', email: 'e' }).catch((error) => error)
  assert.equal(isApiError(refusal, 'users.create') && refusal.code, 'email_taken')
  assert.deepEqual(asked, ['POST https://auth.example/api/v2/oauth/token', 'POST https://auth.example/api/v2/org/o/users'])

  const encoded = (part) => Buffer.from(JSON.stringify(part)).toString('base64url')
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: 'https://auth.example/t/o', aud: 'app', dbs: 'sandbox', jtt: 'access_token', sub: 'u', scp: [], iat: now, nbf: now, exp: now + 60 }
  const signed = encoded({ typ: 'at+jwt', alg: 'ES256', kid: 'k1' }) + '.' + encoded(claims)
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, Buffer.from(signed))
  const token = signed + '.' + Buffer.from(signature).toString('base64url')
  const verifierOf = (environment) => createVerifier({ ...base, domain: 'o', audience: 'app', environment })
  assert.equal((await verifierOf('sandbox').verifyAccessToken(token)).sub, 'u')
  await assert.rejects(verifierOf('production').verifyAccessToken(token), { code: 'environment_mismatch' })

  const key = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
  const { body, headers } = await signTestEvent({ code: 'user.user.delete.success', data: { truncated: true } }, key)
  assert.equal((await verifyWebhook(body, headers, key)).code, 'user.user.delete.success')
  await assert.rejects(verifyWebhook(body + ' ', headers, key), { code: 'body_rewritten' })
  console.log('ok')
}
void main()
`
}

/** Calls an operation of the mock, and prints ok. */
export function mockProgram(ending: Ending): string {
  return `${loading(ending, 'createClient', '@portico/sdk')}
${loading(ending, 'createMockHandlers', '@portico/sdk/mock')}
${loading(ending, 'setupServer', 'msw/node')}
async function main() {
  const baseUrl = 'https://auth.example'
  const server = setupServer(...createMockHandlers({ baseUrl }))
  server.listen()
  const client = createClient({ baseUrl, domain: 'a', clientId: 'b', clientSecret: 'c' })
  const user = await client.users.getByEmail({ org_domain: 'o', user_email: 'ada@awesome.example' })
  server.close()
  console.log(user.__type__ === 'User' ? 'ok' : user)
}
void main()
`
}

/** Begins a sign-in by each entry of the session layer, and prints ok. */
export function sessionProgram(ending: Ending): string {
  return `${loading(ending, 'createSessions', '@portico/sdk/session')}
${['express', 'hono', 'next'].map((name) => loadingAs(ending, name)).join('\n')}
async function main() {
  const options = { baseUrl: 'https://auth.example', account: 'acme', clientId: 'c', environment: 'sandbox', secret: 's'.repeat(32), appUrl: 'https://app.example' }
  const request = new Request('https://app.example/auth/sign-in')
  const answers = [await createSessions(options).handle(request), await next(options).handlers.GET(request)]
  const made = [typeof express(options).requireUser(), typeof hono(options).middleware]
  const begun = answers.map(({ headers }) => new URL(headers.get('location')).pathname)
  console.log([...begun, ...made].join() === '/a/acme/authorize,/a/acme/authorize,function,function' ? 'ok' : begun)
}
void main()
`
}

function loadingAs(ending: Ending, name: string): string {
  return ending === 'mjs'
    ? `import { portico as ${name} } from '@portico/sdk/${name}'`
    : `const { portico: ${name} } = require('@portico/sdk/${name}')`
}
