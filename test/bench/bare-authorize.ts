import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { answer, uuidv7 } from './bare-parts.js'
import { digest, run } from './bare-sql.js'
import { sessionCookieName } from './sign-in-sample.js'
import { findClient, findSession, insertSessionCode } from './token-statements.js'

interface Client {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly domain: string
  readonly id: string
  readonly allowed_redirect_urls: string[]
}

const idleMs = 3_600_000
const codeLifetimeMs = 60_000

/** Row B4: a browser with a live session gets a code, with the service's three statements. */
export async function authorize(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  issuer: string,
): Promise<void> {
  const [path = '', query = ''] = (req.url ?? '').split('?')
  const parameters = new URLSearchParams(query)
  const [, , domain] = path.split('/')
  const redirectUri = parameters.get('redirect_uri') ?? ''
  const [client] = await run<Client>(pool, 'client', findClient, [domain, parameters.get('client_id')])
  if (client === undefined || !client.allowed_redirect_urls.includes(redirectUri)) return answer(res, 400, {})
  const at = new Date()
  const idleSince = new Date(at.getTime() - idleMs)
  const secretHash = digest(secretOf(req, client))
  const owner = [client.account_id, client.environment, client.organization_id]
  const [session] = await run<{ id: string; email: string }>(pool, 'session-of', findSession, [
    ...[...owner, secretHash, at, idleSince],
  ])
  if (session === undefined) return answer(res, 400, {})
  const code = randomBytes(32).toString('base64url')
  const state = parameters.get('state')
  const [used] = await run(pool, 'session-code', insertSessionCode, [
    ...[...owner, client.domain, session.id, secretHash, at, idleSince, uuidv7(at), client.id, redirectUri],
    ...[digest(code), parameters.get('code_challenge'), parameters.get('nonce'), state],
    ...[parameters.get('scope'), new Date(at.getTime() + codeLifetimeMs), session.email, uuidv7(at)],
  ])
  if (used === undefined) return answer(res, 400, {})
  const answered = new URLSearchParams({ code, state: state ?? '', iss: `${issuer}/t/${client.domain}` })
  res.writeHead(303, { Location: `${redirectUri}?${answered.toString()}`, 'Content-Length': 0 }).end()
}

function secretOf(req: IncomingMessage, { organization_id: organizationId, environment }: Client): string {
  const prefix = `${sessionCookieName(organizationId, environment)}=`
  const cookie = (req.headers.cookie ?? '').split(/; */).find((pair) => pair.startsWith(prefix))
  return cookie?.slice(prefix.length) ?? ''
}
