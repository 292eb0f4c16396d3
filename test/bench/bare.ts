import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { authorize } from './bare-authorize.js'
import { readEvents } from './bare-events.js'
import { endFlow } from './bare-flow-end.js'
import { openInvitation, takeInvitation } from './bare-invitations.js'
import { makeChallenge, openLink } from './bare-journey.js'
import { askForPasskey, takePasskey } from './bare-passkeys.js'
import {
  answer,
  openPool,
  readJson,
  selectUser,
  signToken,
  toUser,
  uuidv7,
  type Caller,
  type UserRow,
} from './bare-parts.js'
import { issueTokens } from './bare-tokens.js'

/**
 * The upper bound of the rows A1, A2, A4, A5, B3, B4, B7, B8 and D3 in the service's process model: node:http, the service's pool
 * and named statements, one statement a request, the token verified through the same kind of cache, and JSON.stringify. The same
 * rows are read and written and the same answers given; there is no framework, no validation and no contract.
 */

const [databaseUrl = '', port = '0', issuer = ''] = process.argv.slice(2)
const nil = '00000000-0000-0000-0000-000000000000'

const pool = openPool(databaseUrl)

interface VerifiedToken {
  readonly apiKeyId: string
  readonly expiresAt: number
}

const tokens = new Map<string, VerifiedToken>()
const callers = new Map<string, { at: number; caller: Promise<Caller | undefined> }>()
const callerMaxAgeMs = 4_000

async function authenticate(req: IncomingMessage): Promise<Caller | undefined> {
  const token = req.headers.authorization?.slice('Bearer '.length) ?? ''
  const at = Date.now()
  const verified = tokens.get(token) ?? (await verifyToken(token))
  if (verified === undefined || verified.expiresAt <= at) return undefined
  const known = callers.get(verified.apiKeyId)
  if (known !== undefined && at - known.at < callerMaxAgeMs) return known.caller
  const caller = findCaller(verified.apiKeyId)
  callers.set(verified.apiKeyId, { at, caller })
  return caller
}

async function verifyToken(token: string): Promise<VerifiedToken | undefined> {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const { kid } = parsePart(header)
  const { sub, exp, iss } = parsePart(claims)
  const { rows } = await pool.query<{ public_jwk: Record<string, string> }>({
    name: 'key',
    text: 'select public_jwk from signing_keys where kid = $1 and organization_id = $2',
    values: [kid, nil],
  })
  const [row] = rows
  if (row === undefined || iss !== issuer) return undefined
  const key = {
    key: createPublicKey({ key: row.public_jwk, format: 'jwk' }),
    dsaEncoding: 'ieee-p1363' as const,
  }
  const isValid = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    key,
    Buffer.from(signature, 'base64url'),
  )
  if (!isValid) return undefined
  const verified = { apiKeyId: String(sub), expiresAt: Number(exp) * 1000 }
  tokens.set(token, verified)
  return verified
}

function parsePart(part: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>
}

async function findCaller(apiKeyId: string): Promise<Caller | undefined> {
  const { rows } = await pool.query<Caller>({
    name: 'caller',
    text: `select account_id as "accountId", environment, id as "apiKeyId" from api_keys
      where id = $1 and revoked_at is null`,
    values: [apiKeyId],
  })
  return rows[0]
}

async function getUser(caller: Caller, res: ServerResponse, domain: string, id: string): Promise<void> {
  const { rows } = await pool.query<UserRow>({
    name: 'user',
    text: selectUser,
    values: [caller.accountId, caller.environment, domain, id],
  })
  const [row] = rows
  if (row === undefined) answer(res, 404, {})
  else answer(res, 200, toUser(row, domain, caller.environment))
}

/** The user and its event, in one statement and so in one transaction. */
const insertUser = `
  with created as (
    insert into users (
      account_id, environment, organization_id, id, active, email, email_normalized, phone_numbers, profile, address,
      avatar_hexa_color, inserted_at, updated_at
    )
    values ($1, $2, (select id from organizations where account_id = $1 and domain = $3 and deleted_at is null),
      $4, true, $5, $6, $7, $8, $9, $10, $11, $11)
    returning account_id, environment, organization_id, id
  )
  insert into events (
    account_id, environment, id, organization_id, domain, code, data, params, actor_type, actor_id, request_id,
    subject_id, issued_at
  )
  select account_id, environment, $12, organization_id, $3, 'user.user.create.success', $13, $14, 'api_key', $15, $16,
    id, $11
  from created`

interface NewUser {
  readonly email: string
  readonly phone_number: string
  readonly profile: Record<string, string>
  readonly address: Record<string, string>
}

async function createUser(
  caller: Caller,
  req: IncomingMessage,
  res: ServerResponse,
  domain: string,
): Promise<void> {
  const body = (await readJson(req)) as NewUser
  const at = new Date()
  const row: UserRow = {
    id: uuidv7(at),
    organization_id: nil,
    active: true,
    email: body.email,
    email_verified: false,
    phone_number_verified: false,
    phone_numbers: [phoneNumber(body.phone_number)],
    profile: body.profile,
    address: body.address,
    avatar_hexa_color: `#${randomBytes(3).toString('hex')}`,
    version: 1,
    inserted_at: at,
    updated_at: at,
    deleted_at: null,
    metadata: [],
  }
  const user = toUser(row, domain, caller.environment)
  await pool.query({
    name: 'create',
    text: insertUser,
    values: [
      ...[caller.accountId, caller.environment, domain, row.id, row.email, row.email.toLowerCase()],
      ...[JSON.stringify(row.phone_numbers), JSON.stringify(row.profile), JSON.stringify(row.address)],
      ...[row.avatar_hexa_color, at, uuidv7(at), JSON.stringify(user)],
      ...[JSON.stringify({ org_domain: domain, ...body }), caller.apiKeyId, uuidv7(at)],
    ],
  })
  answer(res, 201, user)
}

function phoneNumber(value: string) {
  const national = value.slice(3)
  return {
    default: true,
    phone_country_code: 33,
    phone_national_number: national,
    primary: true,
    type: 'mobile',
    value,
  }
}

/** The key, when its secret is right, and the line of the log, in one statement. */
const findKey = `
  with key as (
    select api_keys.account_id, api_keys.environment, api_keys.id, api_keys.scopes, accounts.domain, signing_keys.kid
    from api_keys
    join accounts on accounts.id = api_keys.account_id
    join signing_keys on signing_keys.account_id = api_keys.account_id
      and signing_keys.environment = api_keys.environment and signing_keys.organization_id = $4
      and signing_keys.algorithm = 'ES256' and signing_keys.state = 'active'
    where api_keys.id = $1 and api_keys.secret_hash = $2 and accounts.domain = $3 and api_keys.revoked_at is null
  ), logged as (
    insert into log_events (account_id, environment, domain, event_code, client_id, request_id, inserted_at)
    select account_id, environment, domain, 'API_KEY_TOKEN_ISSUED', id, $5, $6 from key
  )
  select * from key`

interface KeyRow {
  readonly account_id: string
  readonly environment: string
  readonly id: string
  readonly domain: string
  readonly kid: string
}

interface Grant {
  readonly client_id: string
  readonly client_secret: string
  readonly domain: string
}

const lifetimeSeconds = 3600
const scope =
  'read:organizations write:organizations read:users write:users read:applications write:applications ' +
  'read:token_customization write:token_customization read:magic_links write:magic_links'

async function grantToken(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = (await readJson(req)) as Grant
  const at = new Date()
  const secretHash = createHash('sha256').update(body.client_secret).digest()
  const { rows } = await pool.query<KeyRow>({
    name: 'grant',
    text: findKey,
    values: [body.client_id, secretHash, body.domain, nil, uuidv7(at), at],
  })
  const [key] = rows
  if (key === undefined) {
    answer(res, 401, {})
    return
  }
  const issuedAt = Math.floor(at.getTime() / 1000)
  const token = signToken(key.kid, {
    iss: issuer,
    aud: `${issuer}/api/v2`,
    sub: key.id,
    client_id: key.id,
    account_id: key.account_id,
    tnt: key.domain,
    dbs: key.environment,
    env: key.environment,
    jtt: 'api_key',
    ver: 3,
    scope,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + lifetimeSeconds,
    jti: uuidv7(at),
  })
  answer(res, 200, { access_token: token, token_type: 'Bearer', expires_in: lifetimeSeconds, scope })
}

async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [, ...segments] = (req.url ?? '').split('/')
  if (segments[0] === 'readyz') return answer(res, 200, {})
  if (segments[0] === 'oauth') return issueTokens(pool, req, res, { domain: '', issuer })
  if (segments[0] === 't') return handleOrganization(req, res, segments)
  if (segments[3] === 'token') return grantToken(req, res)
  const caller = await authenticate(req)
  if (caller === undefined) return answer(res, 401, {})
  if (segments[2] === 'magic-link-challenge') return makeChallenge(pool, req, res, { caller, issuer })
  if (segments[2] === 'passkey-challenge')
    return (req.method === 'POST' ? askForPasskey : takePasskey)(pool, req, res, caller)
  if (segments[2]?.startsWith('events'))
    return readEvents(pool, caller, res, new URL(req.url ?? '', 'http://bare').searchParams)
  const [, , , domain = '', , id] = segments
  return id === undefined ? createUser(caller, req, res, domain) : getUser(caller, res, domain, id)
}

function handleOrganization(
  req: IncomingMessage,
  res: ServerResponse,
  [, domain = '', endpoint = '', last = '']: readonly string[],
): Promise<void> {
  if (endpoint === 'invitations')
    return (req.method === 'POST' ? takeInvitation : openInvitation)(pool, req, res, { domain, token: last })
  if (endpoint === 'sign-in') return endFlow(pool, req, res, { domain, flowId: last, issuer })
  if (endpoint === 'oauth') return issueTokens(pool, req, res, { domain, issuer })
  if (endpoint.startsWith('authorize')) return authorize(pool, req, res, issuer)
  return openLink(pool, res, { domain, query: endpoint })
}

const server = createServer((req, res) => {
  handle(req, res).catch((error: unknown) => {
    process.stderr.write(`bare: ${String(error)}\n`)
    answer(res, 500, {})
  })
})
server.listen(Number(port), '127.0.0.1')
process.once('SIGTERM', () => process.exit(0))
