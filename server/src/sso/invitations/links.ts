import type { Environment } from '@portico/contract/fields'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { ofOrganization, sameOrganization } from '../../platform/db/tenant-predicate.js'

/** The lifetime of an invitation. */
const linkLifetimeMs = 30 * 24 * 60 * 60 * 1000

interface NewAdminLink {
  readonly accountId: string
  readonly organizationId: string
  readonly adminId: string
  /**
   * Of the connection, or of the key that invites to the whole organization: it decides whether the mail is sent out, and
   * whether connections of production are reached.
   */
  readonly environment: Environment
  /** The one connection that it is for; null: all of the organization. */
  readonly connectionId: string | null
}

/**
 * Makes the link of an invitation, and the job that mails it. Earlier links end with their sessions: for a connection those
 * of everybody, because one administrator sets it up; for the organization those of the same administrator and environment.
 */
export async function insertAdminLink(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  link: NewAdminLink,
): Promise<void> {
  const at = deps.now()
  const { accountId, organizationId } = link
  if (link.connectionId === null) await endAdminLinks(deps, trx, link)
  else await endConnectionLinks(deps, trx, { ...link, connectionId: link.connectionId })
  const id = newId()
  await trx
    .insertInto('sso_admin_links')
    .values({
      account_id: accountId,
      organization_id: organizationId,
      id,
      admin_id: link.adminId,
      environment: link.environment,
      connection_id: link.connectionId,
      expires_at: new Date(at.getTime() + linkLifetimeMs),
      inserted_at: at,
    })
    .execute()
  await enqueue(deps, trx, {
    name: 'send_admin_invitation',
    payload: { accountId, organizationId, linkId: id },
    accountId,
  })
}

/** The link of a mail to an administrator, beside that of their invitation. */
interface NoticeLink extends Omit<NewAdminLink, 'connectionId'> {
  /** The same in each attempt, which replaces the token of the one before. */
  readonly id: string
  readonly tokenHash: Buffer
}

/**
 * Makes another link to what an administrator has been invited to: it reaches no more, and ends with the invitation to the
 * organization. The administrator stays locked until it is there, so that a refusal or another invitation of the same moment ends it, too.
 *
 * @returns Undefined where the administrator has no open invitation to the organization, from this environment.
 */
export function insertNoticeLink(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { accountId, organizationId, environment, adminId, id, tokenHash }: NoticeLink,
): Promise<{ readonly expires_at: Date } | undefined> {
  const at = now()
  return db
    .insertInto('sso_admin_links')
    .columns([
      ...(['account_id', 'organization_id', 'id', 'admin_id', 'environment'] as const),
      ...(['token_hash', 'expires_at', 'inserted_at'] as const),
    ])
    .expression(
      db
        .selectFrom('sso_admins as admin')
        .innerJoin('sso_admin_links as invitation', (join) =>
          join.on(sameOrganization('invitation', 'admin')).onRef('invitation.admin_id', '=', 'admin.id'),
        )
        .where(ofOrganization({ accountId, organizationId }, 'admin'))
        .where('admin.id', '=', adminId)
        .where('invitation.environment', '=', environment)
        .where('invitation.connection_id', 'is', null)
        .where('invitation.ended_at', 'is', null)
        .where('invitation.expires_at', '>', at)
        .select([
          'admin.account_id',
          'admin.organization_id',
          sql<string>`${id}::uuid`.as('id'),
          'admin.id as admin_id',
          'invitation.environment',
          sql<Buffer>`${tokenHash}::bytea`.as('token_hash'),
          'invitation.expires_at',
          sql<Date>`${at}::timestamptz`.as('inserted_at'),
        ])
        .orderBy('invitation.expires_at', 'desc')
        .limit(1)
        .forUpdate(['admin', 'invitation']),
    )
    .onConflict((conflict) =>
      conflict
        .constraint('sso_admin_links_pkey')
        .doUpdateSet({ token_hash: tokenHash })
        .where('sso_admin_links.ended_at', 'is', null),
    )
    .returning('expires_at')
    .executeTakeFirst()
}

interface LinkedConnection {
  readonly accountId: string
  readonly organizationId: string
  readonly environment: Environment
  readonly connectionId: string
}

/** The columns of an ended session, without its code and upload. */
export function endedSession(at: Date) {
  return { ended_at: at, code_sealed: null, ...withoutUpload }
}

/** The columns of a session without an upload. */
export const withoutUpload = {
  upload_id: null,
  upload_connection_id: null,
  upload_xml: null,
  upload_client_sealed: null,
}

/** Ends the links to a connection, and the sessions that they have opened. */
export async function endConnectionLinks(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  connection: LinkedConnection,
): Promise<void> {
  await endSessionsOf(trx, connection, isOfLinkedConnection(connection), now())
  await endLinks(trx, connection, isOfLinkedConnection(connection), now())
}

/**
 * Ends the sessions that links to a connection have opened; the links can open others. Sessions of the whole organization
 * stay, and lose their upload for the connection.
 */
export async function endConnectionSessions(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  connection: LinkedConnection,
): Promise<void> {
  await endSessionsOf(trx, connection, isOfLinkedConnection(connection), now())
  await trx
    .updateTable('sso_admin_sessions')
    .set(withoutUpload)
    .where(ofOrganization(connection))
    .where('upload_connection_id', '=', connection.connectionId)
    .execute()
}

/** Ends the links of an administrator to the organization from one environment, with their sessions. */
export async function endAdminLinks(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  link: Omit<NewAdminLink, 'connectionId'>,
): Promise<void> {
  const isOfAdmin = sql<boolean>`links.admin_id = ${link.adminId}
    and links.environment = ${link.environment}
    and links.connection_id is null`
  await endSessionsOf(trx, link, isOfAdmin, now())
  await endLinks(trx, link, isOfAdmin, now())
}

type Owner = Pick<NewAdminLink, 'accountId' | 'organizationId'>

function isOfLinkedConnection({ environment, connectionId }: LinkedConnection): RawBuilder<boolean> {
  return sql<boolean>`links.environment = ${environment} and links.connection_id = ${connectionId}`
}

async function endSessionsOf(
  trx: Transaction<DB>,
  { accountId, organizationId }: Owner,
  areMeant: RawBuilder<boolean>,
  at: Date,
): Promise<void> {
  await trx
    .updateTable('sso_admin_sessions as sessions')
    .from('sso_admin_links as links')
    .set(endedSession(at))
    .where(ofOrganization({ accountId, organizationId }, 'sessions'))
    .where('sessions.ended_at', 'is', null)
    .where(sameOrganization('links', 'sessions'))
    .whereRef('links.id', '=', 'sessions.link_id')
    .where(areMeant)
    .execute()
}

async function endLinks(
  trx: Transaction<DB>,
  { accountId, organizationId }: Owner,
  areMeant: RawBuilder<boolean>,
  at: Date,
): Promise<void> {
  await trx
    .updateTable('sso_admin_links as links')
    .set({ ended_at: at })
    .where(ofOrganization({ accountId, organizationId }, 'links'))
    .where('links.ended_at', 'is', null)
    .where(areMeant)
    .execute()
}
