import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { flowSecretOf } from './bare-invitation-page.js'
import { emit } from './bare-journey.js'
import { answer, uuidv7 } from './bare-parts.js'
import { digest, inTransaction, log, run } from './bare-sql.js'
import { consumeFlow, findFlow, isPasskeyOffered, lockSigningIn } from './invitation-statements.js'
import { insertCode, insertSession, isMetadataMissing } from './journey-statements.js'
import { sessionCookieName } from './sign-in-sample.js'

/** Row B8: a flow that is passed ends with a session and a code, with a statement for each thing that is read or written. */

interface Flow {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly is_passkey_capable: boolean
}

interface ConsumedFlow extends Flow {
  readonly domain: string
  readonly application_id: string
  readonly redirect_uri: string
  readonly scope: string
  readonly user_id: string
  readonly amr: string[]
  readonly authenticated_at: Date
}

/** What the browser of a finished flow gets. */
interface Ended {
  readonly code: string
  readonly secret: string
  readonly flow: ConsumedFlow
}

export async function endFlow(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  { domain, flowId, issuer }: { readonly domain: string; readonly flowId: string; readonly issuer: string },
): Promise<void> {
  const at = new Date()
  const key = [flowId, digest(flowSecretOf(req)), at, domain]
  const [flow] = await run<Flow & pg.QueryResultRow>(pool, 'find-flow', findFlow, key)
  if (flow === undefined || (flow.is_passkey_capable && (await isOffered(pool, flow))))
    return answer(res, 404, {})
  const ended = await inTransaction(pool, async (client) => {
    const [consumed] = await run<ConsumedFlow & pg.QueryResultRow>(client, 'consume-flow', consumeFlow, key)
    return consumed && signIn(client, consumed, at)
  })
  if (ended === undefined) return answer(res, 404, {})
  const { code, secret, flow: consumed } = ended
  const query = new URLSearchParams({ code, iss: `${issuer}/t/${domain}` })
  const name = sessionCookieName(consumed.organization_id, consumed.environment)
  res.writeHead(303, {
    Location: `${consumed.redirect_uri}?${query.toString()}`,
    'Set-Cookie': `${name}=${secret}; Path=/; Max-Age=28800; HttpOnly; SameSite=Lax`,
    'Content-Length': 0,
  })
  res.end()
}

async function isOffered(pool: pg.Pool, flow: Flow): Promise<boolean> {
  const [offer] = await run<{ is_offered: boolean }>(pool, 'offer', isPasskeyOffered, ownerOf(flow))
  return offer?.is_offered === true
}

function ownerOf({ account_id: accountId, environment, organization_id: organizationId }: Flow) {
  return [accountId, environment, organizationId]
}

async function signIn(client: pg.PoolClient, flow: ConsumedFlow, at: Date): Promise<Ended | undefined> {
  const { account_id: accountId, environment, organization_id: organizationId, domain, amr } = flow
  const { user_id: userId, application_id: application } = flow
  const owner = ownerOf(flow)
  const [user] = await run<{ email: string }>(client, 'signing-in', lockSigningIn, [...owner, userId])
  if (user === undefined) return undefined
  const scene = { accountId, environment, organizationId, domain, requestId: uuidv7(at), userId, at }
  const secret = randomBytes(32).toString('base64url')
  const session = { id: uuidv7(at), expiresAt: new Date(at.getTime() + 28_800_000) }
  await run(client, 'session', insertSession, [
    ...[...owner, session.id, userId, application, amr, flow.authenticated_at, session.expiresAt, null],
    ...[digest(secret), null],
  ])
  const created = {
    ...{ __type__: 'Session', __domain__: domain, __environment__: environment, id: session.id },
    ...{
      user_id: userId,
      client_id: application,
      amr,
      authenticated_at: flow.authenticated_at.toISOString(),
    },
    ...{ last_used_at: at.toISOString(), expires_at: session.expiresAt.toISOString(), user_agent: null },
  }
  await emit(client, scene, 'user.session.create.success', created, ['user', userId])
  const code = randomBytes(32).toString('base64url')
  await run(client, 'code', insertCode, [
    ...[
      ...owner,
      uuidv7(at),
      session.id,
      userId,
      application,
      flow.redirect_uri,
      digest(code),
      null,
      null,
      null,
    ],
    ...[flow.scope, amr, flow.authenticated_at, new Date(at.getTime() + 60_000)],
  ])
  await log(client, scene, 'END_USER_SIGN_IN_SUCCESS', application, user.email)
  await run(client, 'metadata', isMetadataMissing, [accountId, environment, domain, userId])
  return { code, secret, flow }
}
