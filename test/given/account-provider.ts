import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

/** The user that a sign-in ends with. */
export interface ProvidedUser {
  readonly id: string
  readonly email: string
  readonly name?: string
  /** Further claims of the ID token. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** Claims of the access token; undefined: it is no JWT. */
  readonly accessClaims?: Readonly<Record<string, unknown>>
}

/** What the user does on the pages of the provider. */
export interface ProvidedSignIn {
  readonly user?: ProvidedUser
  readonly organization?: string
  readonly acr?: string
  /** The session; another one by default. */
  readonly sid?: string
}

interface Grant {
  readonly user: ProvidedUser
  readonly organization: string
  readonly acr: string
  readonly sid: string
  readonly authTime: number
  readonly nonce: string
  readonly isOffline: boolean
}

interface Family extends Grant {
  /** Ordinal of the good refresh token. */
  current: number
}

export const account = {
  baseUrl: 'https://auth.example',
  issuer: 'https://auth.example/a/acme',
  clientId: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
  clientSecret: 'appsandbox_a-secret-of-the-application',
}
export const ada = {
  id: '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46',
  email: 'ada@awesome.example',
  name: 'Ada Lovelace',
}

/** Seconds of an access token. */
export const lifetime = 3_600
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

/**
 * The issuer of an account as an application sees it, without a service: its answers by `fetch`, its time, and its faults are
 * the test's.
 */
export async function startAccountProvider(baseUrl = account.baseUrl) {
  const issuer = `${baseUrl}/a/acme`
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  if (!('privateKey' in keys)) throw new Error('expected a pair of keys')
  const jwk = await crypto.subtle.exportKey('jwk', keys.publicKey)
  const codes = new Map<string, Grant & { challenge: string; redirectUri: string }>()
  const families = new Map<string, Family>()
  const endedSessions = new Set<string>()
  const state = {
    seconds: Date.parse('2026-03-14T09:00:00Z') / 1000,
    /** Answers nothing. */
    isDown: false,
    /** Answers with this status. */
    status: undefined as number | undefined,
    /** How many answers of the token endpoint are lost on their way. */
    lost: 0,
    /** Claims that replace those of the next ID tokens. */
    claims: {} as Record<string, unknown>,
    /** Paths of requests. */
    asked: [] as string[],
    revoked: [] as { token: string; endSession: boolean }[],
  }

  async function fetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const path = request.url.replace(issuer, '')
    state.asked.push(path)
    if (state.isDown) throw new TypeError('fetch failed')
    if (state.status !== undefined)
      return Response.json({ error: 'temporarily_unavailable' }, { status: state.status })
    if (path === '/.well-known/jwks.json')
      return Response.json({ keys: [{ ...jwk, kid: 'k1', alg: 'ES256', use: 'sig' }] })
    const form = new URLSearchParams(await request.text())
    const basic = `Basic ${btoa(`${account.clientId}:${account.clientSecret}`)}`
    if (request.headers.get('authorization') !== basic)
      return Response.json({ error: 'invalid_client' }, { status: 401 })
    if (path === '/oauth/revoke') return revoke(form)
    if (path !== '/oauth/token') return new Response(null, { status: 404 })
    const answer = await token(form)
    if (state.lost === 0) return answer
    state.lost -= 1
    throw new TypeError('fetch failed')
  }

  async function token(form: URLSearchParams): Promise<Response> {
    const refused = Response.json({ error: 'invalid_grant', error_description: 'No.' }, { status: 400 })
    if (form.get('grant_type') === 'refresh_token') return refresh(form.get('refresh_token') ?? '', refused)
    const code = form.get('code') ?? ''
    const grant = codes.get(code)
    codes.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (grant?.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) return refused
    if (!grant.isOffline) return issue(grant)
    const id = randomUUID()
    families.set(id, { ...grant, current: 0 })
    return issue(grant, `${id}.0`)
  }

  /** The one before is repeatable until its successor is used; any other ends the family. */
  function refresh(text: string, refused: Response): Response | Promise<Response> {
    const [id = '', ordinal] = text.split('.')
    const family = families.get(id)
    if (family === undefined || endedSessions.has(family.sid)) return refused
    const sent = Number(ordinal)
    if (sent !== family.current && sent !== family.current - 1) {
      families.delete(id)
      return refused
    }
    family.current = sent + 1
    return issue({ ...family, nonce: '' }, `${id}.${family.current}`)
  }

  function revoke(form: URLSearchParams): Response {
    const revoked = form.get('token') ?? ''
    const family = families.get(revoked.split('.')[0] ?? '')
    const endSession = form.get('end_session') === 'true'
    state.revoked.push({ token: revoked, endSession })
    if (family && endSession) endedSessions.add(family.sid)
    families.delete(revoked.split('.')[0] ?? '')
    return Response.json({})
  }

  async function issue(grant: Grant, refreshToken?: string): Promise<Response> {
    const { user, organization, acr, sid, authTime, nonce } = grant
    const { accessClaims } = user
    const accessToken =
      accessClaims === undefined
        ? `access-${randomUUID()}`
        : await sign({ ...accessClaims, jti: randomUUID() })
    const claims = {
      ...{ iss: issuer, aud: account.clientId, sub: user.id, jtt: 'id_token', dbs: 'sandbox' },
      ...{ org: organization, tnt: organization, sid, acr, amr: ['email'], auth_time: authTime },
      ...{ iat: state.seconds, nbf: state.seconds, exp: state.seconds + lifetime, jti: randomUUID() },
      ...{ email: user.email, email_verified: true, name: user.name, ...user.claims },
      ...(nonce !== '' && { nonce }),
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
      ...state.claims,
    }
    return Response.json({
      ...{ access_token: accessToken, id_token: await sign(claims), refresh_token: refreshToken },
      ...{ token_type: 'Bearer', expires_in: lifetime, scope: 'openid' },
    })
  }

  async function sign(claims: object): Promise<string> {
    const signed = [{ alg: 'ES256', kid: 'k1', typ: 'JWT' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    const signature = await crypto.subtle.sign(algorithm, keys.privateKey, Buffer.from(signed))
    return `${signed}.${Buffer.from(signature).toString('base64url')}`
  }

  /** Answers a request for a sign-in as the pages do in the end: the address to which the browser is sent. */
  function signIn(location: string, by: ProvidedSignIn = {}): string {
    const url = new URL(location)
    const sent = Object.fromEntries(url.searchParams)
    if (url.origin + url.pathname !== `${issuer}/authorize`) throw new Error(`no sign-in: ${location}`)
    const code = randomUUID()
    codes.set(code, {
      user: by.user ?? ada,
      organization: by.organization ?? sent['organization'] ?? 'awesome-company',
      acr: by.acr ?? sent['acr_values'] ?? 'urn:portico:acr:1fa',
      sid: by.sid ?? randomUUID(),
      authTime: state.seconds,
      nonce: sent['nonce'] ?? '',
      challenge: sent['code_challenge'] ?? '',
      redirectUri: sent['redirect_uri'] ?? '',
      isOffline: (sent['scope'] ?? '').includes('offline_access'),
    })
    return answerOf(location, { code })
  }

  /** The address of an answer with these parameters. */
  function answerOf(location: string, parameters: Readonly<Record<string, string>>): string {
    const sent = new URL(location).searchParams
    const query = new URLSearchParams({ state: sent.get('state') ?? '', iss: issuer, ...parameters })
    return `${sent.get('redirect_uri') ?? ''}?${query.toString()}`
  }

  return {
    issuer,
    state,
    fetch,
    signIn,
    answerOf,
    endSession: (sid: string) => void endedSessions.add(sid),
    /** Requests of the token endpoint. */
    exchanges: () => state.asked.filter((path) => path === '/oauth/token').length,
  }
}

/** The same at an address of its own, for programs of which a test gives only the environment. */
export async function serveAccountProvider() {
  const server = createServer((request, response) => void pass(request, response)).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://127.0.0.1:${port}`
  const provider = await startAccountProvider(baseUrl)
  provider.state.seconds = Math.floor(Date.now() / 1000)

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request
    const body = method === 'GET' ? undefined : await buffer(request)
    const { authorization = '' } = headers
    try {
      const answer = await provider.fetch(baseUrl + url, { method, body, headers: { authorization } })
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
    } catch {
      response.destroy()
    }
  }
  return { ...provider, baseUrl }
}
