import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type pg from 'pg'
import { flowSecretOf, isCsrf, sendInvitation, toCsrf } from './bare-invitation-page.js'
import { emit } from './bare-journey.js'
import { answer, readText, toUser, uuidv7, type UserRow } from './bare-parts.js'
import { digest, inTransaction, log, run, type Scene } from './bare-sql.js'
import {
  acceptInvitation,
  findDemand,
  findInvitation,
  findInviter,
  findKnownUser,
  findRules,
  findWays,
  giveRoles,
  insertFlow,
  insertInvited,
  lockInvitation,
} from './invitation-statements.js'
import { findApplication, type ApplicationRow } from './journey-statements.js'

/** Row B8: an invitation is opened and accepted, with a statement for each thing that is read or written. */

interface Inviter {
  readonly domain: string
  readonly name: string
}

/** An invitation of an address, and where it is. */
interface Invited {
  readonly account_id: string
  readonly environment: string
  readonly organization_id: string
  readonly email: string
}

interface Invitation extends Invited {
  readonly domain: string
  readonly id: string
  readonly email_normalized: string
  readonly role_ids: string[]
  readonly roles: string[]
  readonly profile: Record<string, string>
  readonly is_url_returned: boolean
  readonly inviter_type: string
  readonly inviter_id: string
  readonly expires_at: Date
  readonly last_sent_at: Date | null
  readonly sends: number
  readonly inserted_at: Date
}

type Locked = Invitation & pg.QueryResultRow

interface Arrival {
  readonly domain: string
  readonly token: string
}

export async function openInvitation(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  { domain, token }: Arrival,
): Promise<void> {
  const [[inviter], [invited]] = await Promise.all([
    run<Inviter & pg.QueryResultRow>(pool, 'inviter', findInviter, [domain]),
    run<Invited & pg.QueryResultRow>(pool, 'invitation', findInvitation, [digest(token), new Date(), domain]),
  ])
  if (inviter === undefined || invited === undefined) return answer(res, 404, {})
  const application = await findEnd(pool, { ...invited, domain })
  const secret = flowSecretOf(req) || randomBytes(32).toString('base64url')
  const csrf = toCsrf(secret, token)
  const formTarget = new URL(application?.default_redirect_uri_after_login ?? '').origin
  const { email } = invited
  sendInvitation(res, { path: req.url ?? '', ...inviter, email, csrf }, { secret, formTarget })
}

async function findEnd(
  db: pg.Pool | pg.PoolClient,
  { account_id: accountId, environment, domain }: Invited & Pick<Invitation, 'domain'>,
): Promise<ApplicationRow | undefined> {
  const [application] = await run<ApplicationRow & pg.QueryResultRow>(db, 'application', findApplication, [
    ...[accountId, environment, domain, null],
  ])
  return application
}

/** The form of the page: makes the user, and a flow that is passed. */
export async function takeInvitation(
  pool: pg.Pool,
  req: IncomingMessage,
  res: ServerResponse,
  { domain, token }: Arrival,
): Promise<void> {
  const form = new URLSearchParams(await readText(req))
  const secret = flowSecretOf(req)
  const isOwn = req.headers['sec-fetch-site'] === 'same-origin'
  if (!isOwn || !isCsrf(form.get('csrf') ?? '', secret, token)) return answer(res, 403, {})
  const canPasskeys = form.get('passkeys') === 'can'
  const flowId = await inTransaction(pool, async (client) => {
    const at = new Date()
    const key = [digest(token), at, domain]
    const [invitation] = await run<Locked>(client, 'lock-invitation', lockInvitation, key)
    return invitation && accept(client, { invitation, at }, { browserHash: digest(secret), canPasskeys })
  })
  if (flowId === undefined) return answer(res, 404, {})
  res.writeHead(303, { Location: `/t/${domain}/sign-in/${flowId}`, 'Content-Length': 0 }).end()
}

/** An invitation that is being accepted. */
interface Accepting {
  readonly invitation: Invitation
  readonly at: Date
}

interface Browser {
  readonly browserHash: Buffer
  readonly canPasskeys: boolean
}

async function accept(
  client: pg.PoolClient,
  { invitation, at }: Accepting,
  browser: Browser,
): Promise<string | undefined> {
  const application = await mayAccept(client, invitation)
  if (application === undefined) return undefined
  const { account_id: accountId, environment, organization_id: organizationId, domain } = invitation
  const scene = {
    accountId,
    environment,
    organizationId,
    domain,
    requestId: uuidv7(at),
    userId: uuidv7(at),
    at,
  }
  await makeUser(client, scene, invitation)
  await endInvitation(client, scene, invitation)
  await giveInvitedRoles(client, scene, invitation)
  const { id: applicationId, default_redirect_uri_after_login: redirectUri } = application
  await log(client, scene, 'END_USER_INVITATION_ACCEPTED', applicationId, invitation.email)
  const flowId = uuidv7(at)
  const owner = ownerOf(invitation)
  await run(client, 'demand', findDemand, [...owner, scene.userId])
  await run(client, 'flow', insertFlow, [
    ...[...owner, flowId, applicationId, browser.browserHash, redirectUri],
    ...[invitation.email, invitation.email_normalized, scene.userId, at, invitation.id, browser.canPasskeys],
    new Date(at.getTime() + 3_600_000),
  ])
  await log(client, scene, 'END_USER_INVITATION_OPENED', applicationId, invitation.email)
  return flowId
}

/** The application to which an invitation leads; undefined where its user may not come in. */
async function mayAccept(client: pg.PoolClient, invitation: Invitation): Promise<ApplicationRow | undefined> {
  const owner = ownerOf(invitation)
  const application = await findEnd(client, invitation)
  const [ways] = await run<Record<string, boolean>>(client, 'ways', findWays, owner)
  const address = [...owner, invitation.email_normalized]
  const [known] = await run(client, 'known-user', findKnownUser, address)
  const [rules] = await run<Record<string, unknown>>(client, 'rules', findRules, address)
  const isRefused =
    rules?.['is_sso_required'] === true ||
    rules?.['allowed_email_domains'] != null ||
    invitation.is_url_returned
  return known === undefined && ways?.['has_link'] === true && !isRefused ? application : undefined
}

function ownerOf({ account_id: accountId, environment, organization_id: organizationId }: Invited) {
  return [accountId, environment, organizationId]
}

async function makeUser(client: pg.PoolClient, scene: Scene, invitation: Invitation): Promise<void> {
  const { at, userId, domain, environment } = scene
  const { email, email_normalized: normalized, profile } = invitation
  const color = `#${randomBytes(3).toString('hex')}`
  await run(client, 'invited-user', insertInvited, [
    ...[...ownerOf(invitation), userId, email, normalized, at, JSON.stringify(profile), color],
  ])
  const row: UserRow = {
    ...{ id: userId, organization_id: scene.organizationId, active: true, email, email_verified: true },
    ...{ phone_number_verified: false, phone_numbers: [], profile, address: {}, avatar_hexa_color: color },
    ...{ version: 1, inserted_at: at, updated_at: at, deleted_at: null, metadata: [] },
  }
  await emit(client, scene, 'user.user.create.success', toUser(row, domain, environment), ['user', userId])
}

async function endInvitation(client: pg.PoolClient, scene: Scene, invitation: Invitation): Promise<void> {
  const { at, userId } = scene
  await run(client, 'accept', acceptInvitation, [...ownerOf(invitation), invitation.id, userId, at])
  const { id, email, roles, profile, sends } = invitation
  const accepted = {
    ...{ __type__: 'Invitation', __domain__: scene.domain, __environment__: scene.environment, id, email },
    ...{ state: 'accepted', roles, application_id: null, redirect_uri: null, locale: null, profile },
    ...{ metadata: [], message: null },
    invited_by: { type: invitation.inviter_type, id: invitation.inviter_id },
    expires_at: invitation.expires_at.toISOString(),
    last_sent_at: invitation.last_sent_at?.toISOString() ?? null,
    ...{ sends, accepted_at: at.toISOString(), user_id: userId },
    ...{ inserted_at: invitation.inserted_at.toISOString(), updated_at: at.toISOString() },
  }
  await emit(client, scene, 'invitation.invitation.accept.success', accepted, ['user', userId])
}

async function giveInvitedRoles(client: pg.PoolClient, scene: Scene, invitation: Invitation): Promise<void> {
  const { at, userId } = scene
  const { role_ids: roleIds, roles } = invitation
  await run(client, 'roles', giveRoles, [...ownerOf(invitation), userId, invitation.id, at, roleIds])
  const assignments = roles.map((role) => ({
    ...{ role, source: 'invitation', source_id: null, source_label: null, effective: true },
    ...{ overridden_by: null, inserted_at: at.toISOString() },
  }))
  const given = {
    ...{ __type__: 'UserRoles', __domain__: scene.domain, __environment__: scene.environment },
    ...{ user_id: userId, roles, permissions: [], assignments },
  }
  await emit(client, scene, 'user.roles.update.success', given, ['user', userId])
}
