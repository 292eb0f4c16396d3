import { createHash } from 'node:crypto'
import { createSessions, type Sessions } from '@portico/sdk/session'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { milliseconds, type Figure } from './figures.js'
import { median, sized, type Settings } from './measure.js'

const baseUrl = 'https://auth.example'
const issuer = `${baseUrl}/a/acme`
const clientId = '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4'
const appUrl = 'https://app.example'

/** A10: the SDK's session layer reads who a request is from, beside AES-GCM on as many bytes. */
export async function readSessions(settings: Settings): Promise<Figure[]> {
  const { sessions, cookie } = await signedIn()
  const request = new Request(`${appUrl}/invoices`, { headers: { cookie } })
  const { user } = await sessions.read(request)
  if (user === null) throw new Error('the cookie has no session')
  const read = () => sessions.read(request)
  const open = await bareOpening(cookie.length)

  const count = sized(settings, 20_000, 2_000)
  await cpuMsOf(read, count)
  await cpuMsOf(open, count)
  const rounds: { ours: number; beside: number }[] = []
  for (let round = 0; round < settings.rounds; round += 1)
    rounds.push({ ours: await cpuMsOf(read, count), beside: await cpuMsOf(open, count) })
  return [
    {
      row: 'A10',
      what: 'read the session of a request: CPU',
      ours: milliseconds(median(rounds.map(({ ours }) => ours))),
      beside: `AES-GCM alone ${milliseconds(median(rounds.map(({ beside }) => beside)))}`,
      ratio: median(rounds.map(({ ours, beside }) => beside / ours)),
    },
  ]
}

/** The CPU of one call, of calls one after another. */
async function cpuMsOf(act: () => Promise<unknown>, count: number): Promise<number> {
  const before = process.cpuUsage()
  for (let call = 0; call < count; call += 1) await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / count
}

/** A session layer, and the cookie of a user who has signed in at an issuer that only this file has. */
async function signedIn(): Promise<{ sessions: Sessions; cookie: string }> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }]
  let nonce = ''
  async function answer(input: string | URL | Request): Promise<Response> {
    if (input === `${issuer}/.well-known/jwks.json`) return Response.json({ keys })
    const accessToken = 'an-access-token'
    const idToken = await new SignJWT(claimsOf(nonce, accessToken))
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', typ: 'JWT' })
      .sign(privateKey)
    const refreshToken = `rt_${'r'.repeat(43)}`
    const tokens = { id_token: idToken, access_token: accessToken, refresh_token: refreshToken }
    return Response.json({ ...tokens, token_type: 'Bearer', expires_in: 3_600 })
  }
  const sessions = createSessions({
    ...{ baseUrl, clientId, clientSecret: 'a-secret', account: 'acme', environment: 'sandbox', appUrl },
    ...{ secret: 'a-secret-of-32-characters-or-more', fetch: answer },
  })
  const begun = await sessions.handle(new Request(`${appUrl}/auth/sign-in`))
  const asked = new URL(begun?.headers.get('location') ?? '').searchParams
  nonce = asked.get('nonce') ?? ''
  const query = new URLSearchParams({ code: 'c', iss: issuer, state: asked.get('state') ?? '' })
  const completed = await sessions.handle(
    new Request(`${appUrl}/auth/callback?${query.toString()}`, { headers: { cookie: cookiesIn(begun) } }),
  )
  return { sessions, cookie: cookiesIn(completed) }
}

function claimsOf(nonce: string, accessToken: string) {
  const seconds = Math.floor(Date.now() / 1000)
  const times = { iat: seconds, nbf: seconds, exp: seconds + 3_600, auth_time: seconds }
  const hash = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url')
  const place = { iss: issuer, aud: clientId, dbs: 'sandbox', jtt: 'id_token', org: 'acme-1', tnt: 'acme-1' }
  const user = {
    sub: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
    email: 'ada@awesome.example',
    name: 'Ada Lovelace',
  }
  const sid = '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a47'
  return {
    ...place,
    ...user,
    ...times,
    sid,
    nonce,
    at_hash: hash,
    acr: 'urn:portico:acr:1fa',
    amr: ['email'],
  }
}

/** The Cookie header of a browser that has got this answer. */
function cookiesIn(response: Response | undefined): string {
  const pairs = response?.headers.getSetCookie().map((line) => line.split(';')[0] ?? '') ?? []
  return pairs.filter((pair) => !pair.endsWith('=')).join('; ')
}

/** Opens a value of as many bytes, and reads its JSON, which no session can do without. */
async function bareOpening(length: number): Promise<() => Promise<unknown>> {
  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  if (!('algorithm' in key)) throw new Error('expected one key')
  const iv = crypto.getRandomValues(new Uint8Array(12))
  const plain = new TextEncoder().encode(JSON.stringify({ value: 'x'.repeat(Math.floor((length * 3) / 4)) }))
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, plain)
  return async () =>
    JSON.parse(
      new TextDecoder().decode(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, sealed)),
    ) as unknown
}
