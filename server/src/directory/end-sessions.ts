import { environments, nilId } from '@portico/contract/fields'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import { isUsableBy } from './usable.js'
import { organizationIdOf } from '../platform/db/organization-id.js'
import type { DB } from '../platform/db/schema.js'
import { companion } from '../platform/db/statement.js'
import type { Deps } from '../delivery/deps.js'
import { announceJobs } from '../delivery/jobs/enqueue.js'
import type { JobPayloads } from '../delivery/jobs/job-names.js'
import type { Tenant } from '../platform/tenant.js'
import {
  ofEnvironment,
  ofOwner,
  ofTenant,
  sameEnvironment,
  sameTenant,
} from '../platform/db/tenant-predicate.js'

type Ending = Pick<Deps, 'db' | 'now'>

/** Sessions that one transaction ends after the deletion of their organization. */
const batchSize = 500

/** The key of a session. */
interface SessionPlace {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly sessionId: string
}

/**
 * Ends sessions of one environment, and tells their applications: the same statement adds a job for each application that
 * has had tokens of one and takes logout tokens, and one for each impersonation whose session it was. Every end of sessions
 * is made here, so that no cause can forget the tenant or the applications. An ended session keeps its time.
 *
 * @param areMeant On `sessions`; names the organization where it is about one.
 */
export async function endSessions(
  deps: Ending,
  trx: Transaction<DB>,
  environment: Pick<SessionPlace, 'accountId' | 'environment'>,
  areMeant: RawBuilder<unknown>,
): Promise<void> {
  const at = deps.now()
  const areOpen = sql`${ofEnvironment(environment, 'sessions')} and sessions.ended_at is null and ${areMeant}`
  // Locked by a statement before, because one that waits for an exchange does not see the application that it records.
  await sql`
    select count(*) from (select from sessions where ${areOpen} for no key update) locked`.execute(trx)
  const { rows } = await sql<{ readonly is_anybody_told: boolean }>`
    with ended as (
      update sessions set ended_at = ${at}
      where ${areOpen}
      returning account_id, environment, organization_id, id, user_id, email_session_id, impersonation_id
    ), proofs as (
      update email_sessions as proof set ended_at = ${at}
      from ended
      where ${sameEnvironment('proof', 'ended')} and proof.id = ended.email_session_id
        and proof.ended_at is null
    ), over as (
      insert into jobs (name, account_id, payload, run_at, inserted_at)
      select 'end_impersonation', account_id, ${endOfImpersonation()}, ${at}::timestamptz, ${at}::timestamptz
      from ended where impersonation_id is not null
      returning id
    ), queued as (
      insert into jobs (name, key, lane, account_id, payload, run_at, inserted_at)
      select 'send_logout_token', client.session_id || ':' || client.application_id, client.application_id,
        client.account_id, ${logoutToken()}, ${at}::timestamptz, ${at}::timestamptz
      from ended
      join session_clients as client on ${sameTenant('client', 'ended')} and client.session_id = ended.id
      join applications on ${sameEnvironment('applications', 'client')}
        and applications.id = client.application_id
        and applications.deleted_at is null
        and applications.backchannel_logout_uri is not null
      on conflict (name, key) where key is not null do nothing
      returning id
    )
    select exists (select id from queued) or exists (select id from over) as is_anybody_told`.execute(trx)
  if (rows.some((row) => row.is_anybody_told)) announceJobs(deps.db)
}

/** The payload of the job for a client of an ended session. */
function logoutToken(): RawBuilder<unknown> {
  const payload = {
    accountId: sql`client.account_id`,
    environment: sql`client.environment`,
    organizationId: sql`client.organization_id`,
    sessionId: sql`client.session_id`,
    applicationId: sql`client.application_id`,
    userId: sql`ended.user_id`,
    issuer: sql`client.issuer`,
  } satisfies Record<keyof JobPayloads['send_logout_token'], RawBuilder<unknown>>
  return toPayload(payload)
}

/** The payload of the job for the impersonation of an ended session. */
function endOfImpersonation(): RawBuilder<unknown> {
  const payload = {
    accountId: sql`ended.account_id`,
    environment: sql`ended.environment`,
    organizationId: sql`ended.organization_id`,
    impersonationId: sql`ended.impersonation_id`,
  } satisfies Record<keyof JobPayloads['end_impersonation'], RawBuilder<unknown>>
  return toPayload(payload)
}

function toPayload(payload: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  const members = Object.entries(payload).map(([name, value]) => sql`${sql.lit(name)}, ${value}`)
  return sql`jsonb_build_object(${sql.join(members)})`
}

/** Ends a session; codes of an ended session are never exchanged. */
export async function endSession(deps: Ending, trx: Transaction<DB>, session: SessionPlace): Promise<void> {
  const isMeant = sql`${ofOwner(session, 'sessions')} and sessions.id = ${session.sessionId}`
  await endSessions(deps, trx, session, isMeant)
}

/** The sign-in that causes an end of the others, and continues. */
export interface KeptSignIn {
  readonly flowId?: string | undefined
  readonly sessionId?: string | undefined
}

/**
 * Ends the sessions and unfinished sign-ins of a user, and what browsers have proved of their mailbox: a stolen one would come
 * back in by it without a mail.
 */
export async function endSessionsOf(
  deps: Ending,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  kept: KeptSignIn = {},
): Promise<void> {
  await endEmailSessionsOf(trx, { ...tenant, userId, at: deps.now() })
  await endDiscoveriesOf(trx, { ...tenant, userId })
  await endSignInsOf(deps, trx, tenant, userId, kept)
}

type UserKey = Pick<Tenant, 'accountId' | 'environment' | 'domain' | 'organizationIds'> & {
  readonly userId: string
}

const endEmailSessionsOf = companion((db, user: UserKey & { readonly at: Date }) =>
  db
    .updateTable('email_sessions')
    .set({ ended_at: user.at })
    .where(ofEnvironment(user))
    .where('ended_at', 'is', null)
    .where(isAddressOf(user)),
)

/** Of a discovery that waits for its link, nothing is proved yet. */
const endDiscoveriesOf = companion((db, user: UserKey) =>
  db
    .updateTable('discoveries')
    .set({ step: 'over', secret_hash: null })
    .where(ofEnvironment(user))
    .where('step', 'in', ['code', 'token', 'continue'])
    .where(isAddressOf(user)),
)

function isAddressOf(user: UserKey) {
  return sql<boolean>`email_normalized in (
    select users.email_normalized from users
    where ${ofTenant(user, 'users')} and users.id = ${user.userId}
  )`
}

/**
 * Ends the sessions of a user, and their unfinished sign-ins: those that wait for a second factor, and flows, which
 * have a user once a factor has passed.
 */
export async function endSignInsOf(
  deps: Ending,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  { flowId, sessionId = nilId }: KeptSignIn = {},
): Promise<void> {
  const areMeant = sql`sessions.organization_id = ${organizationIdOf(tenant)} and sessions.user_id = ${userId}
    and sessions.id <> ${sessionId}`
  await endSessions(deps, trx, tenant, areMeant)
  await voidPendingSignIns(deps, trx, tenant, userId)
  await endFlowsOf(deps, trx, tenant, userId, flowId)
}

/** Ends the open flows of a user, but one. */
export async function endFlowsOf(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
  keptFlowId: string | undefined,
): Promise<void> {
  await trx
    .updateTable('sign_in_flows')
    .set({ used_at: now() })
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .$if(keptFlowId !== undefined, (query) => query.where('id', '!=', keptFlowId ?? ''))
    .execute()
}

async function voidPendingSignIns(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  userId: string,
): Promise<void> {
  await trx
    .updateTable('pending_sign_ins')
    .set({ used_at: now() })
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .execute()
}

/** Ends the sessions of an application in the organizations that cannot use it; in all of them once it is deleted. */
export async function endUnusableSessions(
  deps: Ending,
  trx: Transaction<DB>,
  tenant: Tenant,
  applicationId: string,
): Promise<void> {
  const isUnusable = sql`sessions.application_id = ${applicationId} and not exists (
    select from applications
    where ${sameEnvironment('applications', 'sessions')}
      and applications.id = sessions.application_id
      and ${isUsableBy(sql.ref('sessions.organization_id'))}
  )`
  await endSessions(deps, trx, tenant, isUnusable)
}

/** Ends the sessions of staff who are signed in as users of an organization, in both environments. */
export async function endImpersonatedSessions(
  deps: Ending,
  trx: Transaction<DB>,
  { accountId, organizationId }: Pick<SessionPlace, 'accountId' | 'organizationId'>,
): Promise<void> {
  for (const environment of environments) {
    const owner = { accountId, environment, organizationId }
    await endSessions(
      deps,
      trx,
      owner,
      sql`${ofOwner(owner, 'sessions')} and sessions.impersonation_id is not null`,
    )
  }
}

/** Ends every session of a deleted organization, in batches, so that no transaction locks many rows for long. */
export async function endSessionsOfOrganization(
  deps: Ending,
  { accountId, organizationId }: JobPayloads['end_organization_sessions'],
): Promise<void> {
  for (const environment of environments) {
    const owner = { accountId, environment, organizationId }
    let after: string | undefined = nilId
    while (after !== undefined) after = await endNextSessions(deps, owner, after)
  }
}

/** @returns The id of the last one; undefined when there are no more. */
async function endNextSessions(
  deps: Ending,
  owner: Omit<SessionPlace, 'sessionId'>,
  after: string,
): Promise<string | undefined> {
  return deps.db.transaction().execute(async (trx) => {
    const found = await trx
      .selectFrom('sessions')
      .where(ofOwner(owner))
      .where('id', '>', after)
      .where('ended_at', 'is', null)
      .select('id')
      .orderBy('id')
      .limit(batchSize)
      .forNoKeyUpdate()
      .execute()
    const ids = found.map(({ id }) => id)
    const areMeant = sql`${ofOwner(owner, 'sessions')} and sessions.id = any(${ids}::uuid[])`
    await endSessions(deps, trx, owner, areMeant)
    return found.length < batchSize ? undefined : ids.at(-1)
  })
}
