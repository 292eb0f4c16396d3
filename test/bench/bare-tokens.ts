import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { answer, readJson, selectUser, signToken, uuidv7, type UserRow } from './bare-parts.js'
import { digest, inTransaction, log, run } from './bare-sql.js'
import { findSigningKey, recordSessionClient, rotateFamily, spendCode } from './token-statements.js'

/** The token endpoint of the rows A5, B3 and B4: a code or a refresh token becomes tokens of its user. */

interface TokenRequest {
  readonly code?: string
  readonly code_verifier?: string
  readonly refresh_token?: string
  readonly client_id: string
}

interface Grant {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly domain: string
  readonly session_id: string
  readonly user_id: string
  readonly application_id: string
  readonly application_name: string
  readonly application_type: string
  readonly access_token_lifetime_in_seconds: number
  readonly scope: string
  readonly amr: string[]
  readonly authenticated_at: Date
}

interface SpentCode extends Grant {
  readonly code_challenge: string | null
  readonly nonce: string | null
  readonly state: string | null
}

/** @param domain Of the organization whose token endpoint was asked. */
export async function issueTokens(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  { domain, issuer }: { domain: string; issuer: string },
): Promise<void> {
  const body = (await readJson(req)) as TokenRequest
  const at = new Date()
  const tokens =
    body.refresh_token === undefined
      ? await exchangeCode(pool, body, issuer, at)
      : await refresh(pool, body, body.refresh_token, { domain, issuer, at })
  if (tokens === undefined) answer(res, 400, {})
  else answer(res, 200, tokens)
}

async function exchangeCode(
  pool: pg.Pool,
  { code = '', code_verifier: verifier = '' }: TokenRequest,
  issuer: string,
  at: Date,
) {
  const found = await inTransaction(pool, async (client) => {
    const [spent] = await run<SpentCode>(client, 'spend-code', spendCode, [at, digest(code)])
    if (spent === undefined) return undefined
    const challenge = spent.code_challenge
    if (challenge !== null && digest(verifier).toString('base64url') !== challenge) return undefined
    await run(client, 'session-client', recordSessionClient, [
      ...[spent.account_id, spent.environment, spent.organization_id, spent.session_id, spent.application_id],
      ...[`/t/${spent.domain}`, at],
    ])
    return withUser(client, spent, 'TOKEN_EXCHANGED', at)
  })
  if (found === undefined) return undefined
  const { grant, user } = found
  return signTokens(pool, grant, user, {
    issuer,
    at,
    binding: {
      ...(grant.nonce !== null && { nonce: grant.nonce }),
      c_hash: halfHash(code),
      ...(grant.state !== null && { s_hash: halfHash(grant.state) }),
    },
  })
}

/** The service derives the next secret from its master key; this costs the same hash. */
const successorKey = randomBytes(32)
const repeatableMs = 30_000

async function refresh(
  pool: pg.Pool,
  { client_id: application }: TokenRequest,
  token: string,
  { domain, issuer, at }: { domain: string; issuer: string; at: Date },
) {
  const [handle = '', secret = ''] = token.split('.')
  const next = createHmac('sha256', successorKey).update(handle).update(secret).digest('base64url')
  const found = await inTransaction(pool, async (client) => {
    const [spent] = await run<Grant>(client, 'rotate', rotateFamily, [
      ...[digest(handle), digest(secret), digest(next), new Date(at.getTime() - repeatableMs), at],
      ...[domain, application],
    ])
    return spent && withUser(client, spent, 'TOKEN_REFRESHED', at)
  })
  if (found === undefined) return undefined
  const tokens = await signTokens(pool, found.grant, found.user, { issuer, at, binding: {} })
  return { ...tokens, refresh_token: `${handle}.${next}` }
}

/** The user of a grant, and the line of the log. */
async function withUser<Spent extends Grant>(client: pg.PoolClient, grant: Spent, code: string, at: Date) {
  const { account_id: accountId, environment, domain, user_id: userId } = grant
  const [user] = await run<UserRow>(client, 'user', selectUser, [accountId, environment, domain, userId])
  if (user === undefined) return undefined
  const scene = {
    ...{ accountId, environment, domain, userId, at },
    organizationId: grant.organization_id,
    requestId: uuidv7(at),
  }
  await log(client, scene, code, grant.application_id, user.email)
  return { grant, user }
}

async function signTokens(
  pool: pg.Pool,
  grant: Grant,
  user: UserRow,
  { issuer, at, binding }: { issuer: string; at: Date; binding: object },
) {
  const [key] = await run<{ kid: string }>(pool, 'signing-key', findSigningKey, [
    ...[grant.account_id, grant.environment, grant.organization_id],
  ])
  const kid = key?.kid ?? ''
  const { scope, access_token_lifetime_in_seconds: lifetime } = grant
  const common = commonClaims(grant, user, issuer, at)
  const metaData = Object.fromEntries(user.metadata.map(({ name, value }) => [name, value]))
  const accessToken = signToken(kid, {
    ...common,
    jti: uuidv7(at),
    jtt: 'access_token',
    client_id: grant.application_id,
    scp: scope.split(' ').filter((each) => each !== 'openid'),
    meta_data: metaData,
  })
  const idToken = signToken(kid, {
    ...common,
    jti: uuidv7(at),
    jtt: 'id_token',
    email_verified: user.email_verified,
    at_hash: halfHash(accessToken),
    ...binding,
    resource_owner_metadata: {},
    meta_data: metaData,
  })
  return {
    ...{ access_token: accessToken, id_token: idToken, token_type: 'Bearer', expires_in: lifetime, scope },
  }
}

function commonClaims(grant: Grant, user: UserRow, issuer: string, at: Date) {
  const issuedAt = Math.floor(at.getTime() / 1000)
  return {
    iss: `${issuer}/t/${grant.domain}`,
    sub: user.id,
    uid: user.id,
    aud: grant.application_id,
    cid: grant.application_id,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + grant.access_token_lifetime_in_seconds,
    ver: 3,
    tnt: grant.domain,
    org: grant.domain,
    dbs: grant.environment,
    env: grant.environment,
    email: user.email,
    application_metadata: { name: grant.application_name, application_type: grant.application_type },
    amr: grant.amr,
    acr: 'urn:portico:acr:1fa',
    auth_time: Math.floor(grant.authenticated_at.getTime() / 1000),
    sid: grant.session_id,
  }
}

function halfHash(text: string): string {
  return digest(text).subarray(0, 16).toString('base64url')
}
