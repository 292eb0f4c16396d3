import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { answer, readJson, uuidv7, type Caller } from './bare-parts.js'
import { digest, inTransaction, log, run, type Scene } from './bare-sql.js'
import {
  findAddressee,
  findApplication,
  findOpenLink,
  findPageOrganization,
  findUser,
  insertChallenge,
  insertCode,
  insertEvent,
  insertSession,
  isMetadataMissing,
  lockLink,
  lockLinks,
  spendLink,
  voidOlder,
  voidSiblings,
} from './journey-statements.js'

/** Row A5: a sign-in by magic link, with the service's own statements, one by one, in the same transactions. */

export function emit(
  client: pg.PoolClient,
  scene: Scene,
  code: string,
  data: object,
  actor: [string, string],
) {
  const { accountId, environment, domain, requestId, userId, at } = scene
  const content = [scene.organizationId, domain, code, JSON.stringify(data), '{}']
  const values = [accountId, environment, uuidv7(at), ...content, ...actor, requestId, userId, at]
  return run(client, 'event', insertEvent, values)
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
  const place = [accountId, environment, organization]
  await run(client, 'session', insertSession, [
    ...[...place, session.id, user.id, application, ['email'], at, session.expiresAt, null, null, null],
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
  await run(client, 'code', insertCode, [
    ...[...place, uuidv7(at), session.id, user.id, application, redirectUri, digest(code), null, null, null],
    ...[spent.scope, ['email'], at, new Date(at.getTime() + 60_000)],
  ])
  await log(client, scene, 'END_USER_MAGIC_LINK_SUCCESS', application, email)
  await run(client, 'metadata', isMetadataMissing, [accountId, environment, domain, user.id])
  return `${redirectUri}?code=${code}`
}
