import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { answer, readJson, uuidv7, type Caller } from './bare-parts.js'
import { digest, inTransaction, log, run } from './bare-sql.js'
import { insertCode, insertEvent, insertSession, isMetadataMissing } from './journey-statements.js'

/** Row B7: a sign-in by passkey with the library of the service, and a statement for each thing that is read or written. */

const findPage = `
  select applications.id, organizations.id as organization_id, applications.passkey_rp_id as rp_id,
    applications.allowed_web_origins as origins, applications.allowed_redirect_urls as redirects
  from applications, organizations, passkey_connections connection
  where applications.account_id = $1 and applications.environment = $2 and applications.id = $3
    and applications.deleted_at is null and organizations.account_id = $1 and organizations.domain = $4
    and organizations.deleted_at is null and connection.account_id = $1 and connection.environment = $2
    and connection.organization_id = organizations.id and connection.active and connection.first_factor`

const insertCeremony = `
  insert into passkey_ceremonies (
    account_id, environment, organization_id, id, purpose, application_id, redirect_uri, state, nonce, scope,
    expires_at, inserted_at
  )
  values ($1, $2, $3, $4, 'sign_in', $5, $6, $7, $8, 'openid', $9, $10)`

const takeCeremony = `
  delete from passkey_ceremonies using organizations
  where passkey_ceremonies.account_id = $1 and passkey_ceremonies.environment = $2 and passkey_ceremonies.id = $3
    and passkey_ceremonies.expires_at > $4 and organizations.account_id = passkey_ceremonies.account_id
    and organizations.id = passkey_ceremonies.organization_id and organizations.deleted_at is null
  returning organizations.domain, passkey_ceremonies.*`

const findPasskey = `
  select passkeys.*, users.email_normalized from passkeys
  join users on users.account_id = passkeys.account_id and users.environment = passkeys.environment
    and users.organization_id = passkeys.organization_id and users.id = passkeys.user_id
  where passkeys.account_id = $1 and passkeys.environment = $2 and passkeys.organization_id = $3
    and passkeys.rp_id = $4 and passkeys.credential_id = $5 and passkeys.disabled_at is null`

const lockUser = `
  select active from users
  where account_id = $1 and environment = $2 and organization_id = $3 and id = $4 and deleted_at is null
  for no key update`

const recordUse = `
  update passkeys set sign_count = greatest(sign_count, $5::bigint), backed_up = $6, last_used_at = $7
  where account_id = $1 and environment = $2 and organization_id = $3 and id = $4 and disabled_at is null
    and (synced or sign_count < $5::bigint or (sign_count = 0 and $5::bigint = 0))
  returning id`

interface Page {
  readonly id: string
  readonly organization_id: string
  readonly rp_id: string
  readonly origins: string[]
  readonly redirects: string[]
}

interface Ceremony {
  readonly domain: string
  readonly organization_id: string
  readonly application_id: string
  readonly redirect_uri: string
  readonly state: string | null
  readonly nonce: string | null
  readonly scope: string
}

interface Passkey {
  readonly id: string
  readonly user_id: string
  readonly email_normalized: string
  readonly user_handle: Buffer
  readonly public_key: Buffer<ArrayBuffer>
  readonly sign_count: string
}

interface Asking {
  readonly org_domain: string
  readonly application_id: string
  readonly redirect_uri: string
  readonly state: string
  readonly nonce: string
}

interface Answering {
  readonly request_id: string
  readonly credential: Parameters<typeof verifyAuthenticationResponse>[0]['response']
}

const toHandle = ({ user_handle: handle }: Passkey) => handle.toString('base64url')
/** The challenge of a ceremony, for whose secrecy the id stands here. */
const challengeOf = (id: string) => digest(id).toString('base64url')

export async function askForPasskey(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  { accountId, environment }: Caller,
): Promise<void> {
  const body = (await readJson(req)) as Asking
  const { org_domain: domain, redirect_uri: redirectUri } = body
  const [page] = await run<Page & pg.QueryResultRow>(pool, 'passkey-page', findPage, [
    ...[accountId, environment, body.application_id, domain],
  ])
  if (page === undefined || !page.redirects.includes(redirectUri)) return answer(res, 404, {})
  const at = new Date()
  const id = uuidv7(at)
  const expiresAt = new Date(at.getTime() + 300_000)
  await run(pool, 'passkey-ceremony', insertCeremony, [
    ...[accountId, environment, page.organization_id, id, page.id, redirectUri, body.state, body.nonce],
    ...[expiresAt, at],
  ])
  const options = {
    ...{ challenge: challengeOf(id), rpId: page.rp_id, allowCredentials: [] },
    ...{ userVerification: 'required', timeout: 300_000 },
  }
  const place = { __type__: 'PasskeyChallenge', __domain__: domain, __environment__: environment }
  answer(res, 201, { ...place, request_id: id, options, expired_at: expiresAt.toISOString() })
}

export async function takePasskey(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  { accountId, environment }: Caller,
): Promise<void> {
  const { request_id: id, credential } = (await readJson(req)) as Answering
  const at = new Date()
  const of = [accountId, environment]
  const [taken] = await run<Ceremony & pg.QueryResultRow>(pool, 'take-ceremony', takeCeremony, [
    ...of,
    id,
    at,
  ])
  if (taken === undefined) return answer(res, 401, {})
  const { organization_id: organizationId, application_id: application, domain } = taken
  const asked = [...of, application, domain]
  const [page] = await run<Page & pg.QueryResultRow>(pool, 'passkey-page', findPage, asked)
  if (page === undefined) return answer(res, 401, {})
  const owner = [...of, organizationId]
  const named = [...owner, page.rp_id, credential.id]
  const [passkey] = await run<Passkey & pg.QueryResultRow>(pool, 'passkey', findPasskey, named)
  if (passkey === undefined || toHandle(passkey) !== credential.response.userHandle)
    return answer(res, 401, {})
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...{ response: credential, expectedChallenge: challengeOf(id), expectedOrigin: page.origins },
    ...{ expectedRPID: page.rp_id, requireUserVerification: true },
    credential: { id: credential.id, publicKey: passkey.public_key, counter: 0 },
  })
  if (!verified) return answer(res, 401, {})
  const { user_id: userId } = passkey
  const amr = ['pop', 'user', 'mfa']
  const code = randomBytes(32).toString('base64url')
  const record = {
    __type__: 'PasskeyChallenge',
    __domain__: domain,
    __environment__: environment,
    request_id: id,
    success: true,
    user_id: userId,
  }
  await inTransaction(pool, async (client) => {
    const scene = { accountId, environment, organizationId, domain, requestId: uuidv7(at), userId, at }
    const emit = (event: string, data: object) =>
      run(client, 'event', insertEvent, [
        ...[...of, uuidv7(at), organizationId, domain, event, JSON.stringify(data), '{}', 'user', userId],
        ...[scene.requestId, userId, at],
      ])
    await run(client, 'passkey-user', lockUser, [...owner, userId])
    const count = authenticationInfo.newCounter
    await run(client, 'passkey-use', recordUse, [...owner, passkey.id, count, true, at])
    const session = { id: uuidv7(at), expiresAt: new Date(at.getTime() + 28_800_000) }
    await run(client, 'session', insertSession, [
      ...[...owner, session.id, userId, application, amr, at, session.expiresAt, null, null, null],
    ])
    const created = {
      ...{ __type__: 'Session', __domain__: domain, __environment__: environment, id: session.id },
      ...{ user_id: userId, client_id: application, amr, authenticated_at: at.toISOString() },
      expires_at: session.expiresAt.toISOString(),
    }
    await emit('user.session.create.success', created)
    await run(client, 'code', insertCode, [
      ...[...owner, uuidv7(at), session.id, userId, application, taken.redirect_uri, digest(code), null],
      ...[taken.nonce, taken.state, taken.scope, amr, at, new Date(at.getTime() + 60_000)],
    ])
    await run(client, 'metadata', isMetadataMissing, [...of, domain, userId])
    await emit('passkey.challenge.validate.success', record)
    await log(client, scene, 'END_USER_PASSKEY_SUCCESS', application, passkey.email_normalized)
  })
  answer(res, 200, { ...record, code, renew_password: null })
}
