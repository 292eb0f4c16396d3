import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { answer, readJson, selectUser, signToken, uuidv7, type Caller, type UserRow } from './bare-parts.js'
import {
  findAddressee,
  findApplication,
  findOpenLink,
  findPageOrganization,
  findSigningKey,
  findUser,
  insertChallenge,
  insertEvent,
  insertLog,
  insertSession,
  isMetadataMissing,
  lockLink,
  lockLinks,
  spendCode,
  spendLink,
  voidOlder,
  voidSiblings,
} from './journey-statements.js'

/** Row A5: a sign-in by magic link, with the service's own statements, one by one, in the same transactions. */

/** A statement by the name it is prepared under. */
function run<Row extends pg.QueryResultRow>(
  db: pg.Pool | pg.PoolClient,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return db.query<Row>({ name, text, values }).then(({ rows }) => rows)
}

/** As the service's: `begin` travels with the first statement. */
async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const begun = client.query('begin')
    const result = await work(client)
    await begun
    await client.query({ name: 'commit', text: 'commit' })
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

interface Scene {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly domain: string
  readonly requestId: string
  readonly userId: string
  readonly at: Date
}

function emit(client: pg.PoolClient, scene: Scene, code: string, data: object, actor: [string, string]) {
  const { accountId, environment, domain, requestId, userId, at } = scene
  const content = [scene.organizationId, domain, code, JSON.stringify(data), '{}']
  const values = [accountId, environment, uuidv7(at), ...content, ...actor, requestId, userId, at]
  return run(client, 'event', insertEvent, values)
}

function log(client: pg.PoolClient, scene: Scene, code: string, application: string, email: string) {
  const { accountId, environment, domain, requestId, userId, at } = scene
  const values = [accountId, environment, scene.organizationId, domain, code, application, email]
  return run(client, 'log', insertLog, [...values, userId, requestId, at])
}

function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

interface NewChallenge {
  readonly user_email: string
  readonly org_domain: string
  readonly redirect_uri: string
}

export async function makeChallenge(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  { caller, issuer }: { caller: Caller; issuer: string },
): Promise<void> {
  const body = (await readJson(req)) as NewChallenge
  const { accountId, environment } = caller
  const { user_email: email, org_domain: domain, redirect_uri: redirectUri } = body
  const place = [accountId, environment, domain]
  const [addressee] = await run<{ user_id: string }>(pool, 'addressee', findAddressee, [...place, email])
  const [application] = await run<{ id: string }>(pool, 'application', findApplication, [
    ...place,
    redirectUri,
  ])
  if (addressee === undefined || application === undefined) return answer(res, 404, {})
  const token = randomBytes(32).toString('base64url')
  const at = new Date()
  const id = uuidv7(at)
  const expiresAt = new Date(at.getTime() + 900_000)
  const record = {
    __type__: 'MagicLinkChallenge',
    __domain__: domain,
    __environment__: environment,
    code: null,
    email_address: email,
    find_or_create_user: false,
    magic_link: `${issuer}/t/${domain}/magic-link?token=${token}`,
    request_id: id,
    expired_at: expiresAt.toISOString(),
  }
  await inTransaction(pool, async (client) => {
    await run(client, 'lock', lockLinks, [...place, email])
    const [row] = await run<{ organization_id: string }>(client, 'challenge', insertChallenge, [
      ...place,
      ...[id, application.id, email, redirectUri, digest(token), expiresAt, at],
    ])
    await run(client, 'void', voidOlder, [...place, email, application.id, id, at])
    const scene = {
      ...{ accountId, environment, domain, at },
      organizationId: row?.organization_id ?? '',
      requestId: uuidv7(at),
      userId: addressee.user_id,
    }
    const { magic_link: _, ...data } = record
    await emit(client, scene, 'magic_link.challenge.create.success', data, ['api_key', caller.apiKeyId])
    await log(client, scene, 'END_USER_MAGIC_LINK_STARTED', application.id, email)
  })
  answer(res, 201, record)
}

interface SpentLink {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly id: string
  readonly application_id: string
  readonly email: string
  readonly email_normalized: string
  readonly redirect_uri: string
  readonly scope: string
  readonly expires_at: Date
  readonly domain: string
}

/** @param link The organization's domain, and the last segment of the path with its query. */
export async function openLink(
  pool: pg.Pool,
  res: ServerResponse,
  link: { domain: string; query: string },
): Promise<void> {
  const { domain } = link
  const hash = digest(link.query.slice(link.query.indexOf('=') + 1))
  const at = new Date()
  const [[open]] = await Promise.all([
    run(pool, 'open-link', findOpenLink, [hash, at, domain]),
    run(pool, 'page', findPageOrganization, [domain]),
  ])
  if (open === undefined) return answer(res, 404, {})
  const location = await inTransaction(pool, async (client) => {
    await run(client, 'lock-link', lockLink, [hash])
    const [spent] = await run<SpentLink>(client, 'spend-link', spendLink, [at, hash, domain])
    return spent === undefined ? undefined : signIn(client, spent, at)
  })
  if (location === undefined) return answer(res, 404, {})
  res.writeHead(303, { Location: location, 'Content-Length': 0 }).end()
}

async function signIn(client: pg.PoolClient, spent: SpentLink, at: Date): Promise<string | undefined> {
  const { account_id: accountId, environment, organization_id: organization, domain } = spent
  const { application_id: application, redirect_uri: redirectUri, email } = spent
  const [user] = await run<{ id: string }>(client, 'user-by-email', findUser, [
    ...[accountId, environment, domain, spent.email_normalized],
  ])
  if (user === undefined) return undefined
  await run(client, 'siblings', voidSiblings, [
    ...[at, accountId, environment, organization, spent.email_normalized, application],
  ])
  const scene = {
    ...{ accountId, environment, domain, at },
    organizationId: organization,
    requestId: uuidv7(at),
    userId: user.id,
  }
  const actor: [string, string] = ['user', user.id]
  const challenge = {
    __type__: 'MagicLinkChallenge',
    __domain__: domain,
    __environment__: environment,
    code: null,
    email_address: email,
    find_or_create_user: false,
    request_id: spent.id,
    expired_at: spent.expires_at.toISOString(),
  }
  await emit(client, scene, 'magic_link.challenge.consume.success', challenge, actor)
  const code = randomBytes(32).toString('base64url')
  const session = { id: uuidv7(at), expiresAt: new Date(at.getTime() + 28_800_000) }
  await run(client, 'session', insertSession, [
    ...[
      accountId,
      environment,
      organization,
      session.id,
      user.id,
      application,
      ['email'],
      at,
      session.expiresAt,
    ],
    ...[uuidv7(at), redirectUri, digest(code), spent.scope, new Date(at.getTime() + 60_000)],
  ])
  const created = {
    __type__: 'Session',
    __domain__: domain,
    __environment__: environment,
    id: session.id,
    user_id: user.id,
    client_id: application,
    amr: ['email'],
    authenticated_at: at.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  }
  await emit(client, scene, 'user.session.create.success', created, actor)
  await log(client, scene, 'END_USER_MAGIC_LINK_SUCCESS', application, email)
  await run(client, 'metadata', isMetadataMissing, [accountId, environment, domain, user.id])
  return `${redirectUri}?code=${code}`
}

interface SpentCode {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly session_id: string
  readonly user_id: string
  readonly application_id: string
  readonly scope: string
  readonly amr: string[]
  readonly authenticated_at: Date
  readonly name: string
  readonly application_type: string
  readonly access_token_lifetime_in_seconds: number
  readonly domain: string
}

export async function exchangeCode(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  issuer: string,
): Promise<void> {
  const { code } = (await readJson(req)) as { code: string }
  const at = new Date()
  const found = await inTransaction(pool, async (client) => {
    const [spent] = await run<SpentCode>(client, 'spend-code', spendCode, [at, digest(code)])
    if (spent === undefined) return undefined
    const {
      account_id: accountId,
      environment,
      organization_id: organization,
      domain,
      user_id: userId,
    } = spent
    const [user] = await run<UserRow>(client, 'user', selectUser, [accountId, environment, domain, userId])
    if (user === undefined) return undefined
    const scene = {
      accountId,
      environment,
      organizationId: organization,
      domain,
      requestId: uuidv7(at),
      userId,
      at,
    }
    await log(client, scene, 'TOKEN_EXCHANGED', spent.application_id, user.email)
    return { spent, user }
  })
  if (found === undefined) return answer(res, 400, {})
  const { spent, user } = found
  const [key] = await run<{ kid: string }>(pool, 'signing-key', findSigningKey, [
    ...[spent.account_id, spent.environment, spent.organization_id],
  ])
  const kid = key?.kid ?? ''
  const common = commonClaims(spent, user, issuer, at)
  const accessToken = signToken(kid, {
    ...common,
    jti: uuidv7(at),
    jtt: 'access_token',
    client_id: spent.application_id,
    scp: ['magic_link'],
    meta_data: metadataOf(user),
  })
  const idToken = signToken(kid, {
    ...common,
    jti: uuidv7(at),
    jtt: 'id_token',
    email_verified: user.email_verified,
    at_hash: halfHash(accessToken),
    c_hash: halfHash(code),
    auth_time: Math.floor(spent.authenticated_at.getTime() / 1000),
    amr: spent.amr,
    sid: spent.session_id,
    resource_owner_metadata: noAttributes,
    meta_data: metadataOf(user),
  })
  const { scope, access_token_lifetime_in_seconds: lifetime } = spent
  answer(res, 200, {
    ...{ access_token: accessToken, id_token: idToken, token_type: 'Bearer', expires_in: lifetime, scope },
  })
}

function commonClaims(spent: SpentCode, user: UserRow, issuer: string, at: Date) {
  const issuedAt = Math.floor(at.getTime() / 1000)
  return {
    iss: `${issuer}/t/${spent.domain}`,
    sub: user.id,
    uid: user.id,
    aud: spent.application_id,
    cid: spent.application_id,
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + spent.access_token_lifetime_in_seconds,
    ver: 3,
    tnt: spent.domain,
    org: spent.domain,
    dbs: spent.environment,
    env: spent.environment,
    email: user.email,
    application_metadata: { name: spent.name, application_type: spent.application_type },
  }
}

function metadataOf(user: UserRow): object {
  return Object.fromEntries(user.metadata.map(({ name, value }) => [name, value]))
}

function halfHash(text: string): string {
  return digest(text).subarray(0, 16).toString('base64url')
}

/** As many as the ID token of a user without an identity provider has. */
const noAttributes = Object.fromEntries(
  Array.from({ length: 22 }, (_, index) => [`attribute_${index}`, null]),
)
