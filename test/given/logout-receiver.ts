import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { listenUntilFileEnd } from './loopback.js'

/** A request to a back-channel logout address. */
export interface LogoutRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly token: string
}

interface Answer {
  readonly status: number
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An application's server that logout tokens are posted to; it ends with the test file. */
export async function startLogoutReceiver() {
  const requests: LogoutRequest[] = []
  let current: Answer = { status: 204 }
  const server = createServer((req, res) => {
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const { method = '', url = '', headers } = req
      requests.push({
        method,
        path: url,
        headers,
        body,
        token: new URLSearchParams(body).get('logout_token') ?? '',
      })
      res.writeHead(current.status, { ...current.headers }).end(current.body)
    })
  })
  const port = await listenUntilFileEnd(server)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    requests,
    addressOf: (name: string) => `${url}/${name}`,
    /** The tokens posted to an address, in the order of arrival. */
    tokensAt: (name: string) => requests.filter(({ path }) => path === `/${name}`).map(({ token }) => token),
    /** Sets the answer to later requests; initially 204. */
    answer(answer: Answer) {
      current = answer
    },
  }
}

interface Expected {
  readonly baseUrl: string
  readonly org_domain: string
  readonly client_id: string
  readonly now: Date
}

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Validates a logout token as an application would that knows nothing of Portico: by jose, with the keys of the discovery
 * document, and the steps of OpenID Connect Back-Channel Logout 1.0 section 2.6. No relying-party library that is
 * installed here does it.
 *
 * @throws Error at the first step that fails.
 */
export async function judgeLogoutToken(token: string, { baseUrl, org_domain, client_id, now }: Expected) {
  const issuer = `${baseUrl}/t/${org_domain}`
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`)
  const metadata = (await discovery.json()) as Record<string, unknown>
  if (metadata['issuer'] !== issuer) throw new Error('another issuer')
  if (metadata['backchannel_logout_supported'] !== true) throw new Error('back-channel logout is not told')
  if (metadata['backchannel_logout_session_supported'] !== true) throw new Error('sid is not told')
  const keys = createRemoteJWKSet(new URL(String(metadata['jwks_uri'])))
  const { payload } = await jwtVerify(token, keys, {
    issuer,
    audience: client_id,
    typ: 'logout+jwt',
    algorithms: metadata['id_token_signing_alg_values_supported'] as string[],
    requiredClaims: ['iat', 'exp', 'jti', 'events'],
    maxTokenAge: 120,
    currentDate: now,
  })
  const { events, sub, sid, jti, iat = 0, exp = 0 } = payload as Record<string, unknown> & typeof payload
  if (typeof sub !== 'string' && typeof sid !== 'string') throw new Error('neither sub nor sid')
  if (typeof events !== 'object' || events === null || !(logoutEvent in events)) throw new Error('no event')
  const event: unknown = (events as Record<string, unknown>)[logoutEvent]
  if (typeof event !== 'object' || event === null || Array.isArray(event))
    throw new Error('the event is no object')
  if ('nonce' in payload) throw new Error('a nonce')
  if (typeof jti !== 'string' || jti === '') throw new Error('no jti')
  if (exp - iat > 120) throw new Error('valid for longer than two minutes')
  return { claims: payload, header: decodeProtectedHeader(token) }
}
