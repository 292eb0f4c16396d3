import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { mailNetworkKey, mailsOfNetwork } from '../../delivery/mail/mail-limits.js'
import type { Cause } from '../../platform/tenant.js'
import { adminSessionMs } from '../admins/admin-session.js'
import { codeLifetimeMs, makeAdminCode, sealAdminCode } from './code.js'
import { countAdminCode } from './code-limits.js'
import { isOrganizationOf, sameOrganization, sameTenant } from '../../platform/db/tenant-predicate.js'

/** The link of an invitation, as its address has it. */
export interface InvitationAddress {
  /** Of the one connection that it is for; null where the address names no connection. */
  readonly idpId: string | null
  readonly token: string
}

/** An invitation that can be opened. */
export interface OpenInvitation {
  readonly accountId: string
  readonly organizationId: string
  /** Domain of the organization. */
  readonly domain: string
  readonly environment: Environment
  readonly linkId: string
  /** Of the one connection that it is for; null: all of the organization. */
  readonly connectionId: string | null
  readonly adminId: string
  readonly email: string
}

/** The invitation of a link; undefined when it is unknown, over, or of another address. Looking changes nothing. */
export async function findOpenInvitation(
  deps: Pick<Deps, 'db' | 'now'>,
  address: InvitationAddress,
): Promise<OpenInvitation | undefined> {
  const row = await openLinks(deps.db, address, deps.now())
    .select([
      'link.account_id',
      'link.organization_id',
      'organizations.domain',
      sql<Environment>`link.environment`.as('environment'),
      'link.id',
      'link.connection_id',
      'admin.id as admin_id',
      'admin.email',
    ])
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    accountId: row.account_id,
    organizationId: row.organization_id,
    domain: row.domain,
    environment: row.environment,
    linkId: row.id,
    connectionId: row.connection_id,
    adminId: row.admin_id,
    email: row.email,
  }
}

/** The cause of actions on these pages before the administrator is known. */
export function arrivalCause(requestId: string): Cause {
  return { requestId, actor: { type: 'system', id: 'onboarding_page' }, params: () => ({}) }
}

/**
 * Begins the session of a browser that opens an invitation, and mails a code to its administrator: a link is valid for long
 * and may have been forwarded, so that it does not authorize a browser by itself.
 *
 * @returns The secret of the session; undefined when the invitation is over.
 * @throws ApiError `rate_limited` when too many codes were sent.
 */
export async function beginAdminSession(
  deps: Deps,
  address: InvitationAddress,
  { ip, requestId }: { readonly ip: string; readonly requestId: string },
): Promise<string | undefined> {
  const invitation = await findOpenInvitation(deps, address)
  if (invitation === undefined) return undefined
  await deps.limits.take(mailsOfNetwork, mailNetworkKey(deps.config, ip, invitation.environment))
  await countAdminCode(deps, { ...invitation, ip })
  const secret = randomSecret()
  const { record } = await change(deps, arrivalCause(requestId), async (trx) => ({
    record: (await insertSession(deps, trx, address, invitation, secret)) ? secret : undefined,
  }))
  return record
}

/** @returns Whether the invitation was still open at this moment. */
async function insertSession(
  deps: Pick<Deps, 'db' | 'keys' | 'now'>,
  trx: Parameters<typeof enqueue>[1],
  address: InvitationAddress,
  { accountId, organizationId }: OpenInvitation,
  secret: string,
): Promise<boolean> {
  const at = deps.now()
  const sessionId = newId()
  const sealed = sealAdminCode(deps.keys.master, { accountId, organizationId, sessionId }, makeAdminCode())
  const inserted = await trx
    .insertInto('sso_admin_sessions')
    .columns([
      'account_id',
      'organization_id',
      'id',
      'link_id',
      'secret_hash',
      'code_sealed',
      'code_expires_at',
      'expires_at',
      'inserted_at',
    ])
    .expression(
      openLinks(trx, address, at).select([
        'link.account_id',
        'link.organization_id',
        sql<string>`${sessionId}::uuid`.as('id'),
        'link.id as link_id',
        sql<Buffer>`${hashSecret(secret)}::bytea`.as('secret_hash'),
        sql<Buffer>`${sealed}::bytea`.as('code_sealed'),
        sql<Date>`${new Date(at.getTime() + codeLifetimeMs)}::timestamptz`.as('code_expires_at'),
        sql<Date>`${new Date(at.getTime() + adminSessionMs)}::timestamptz`.as('expires_at'),
        sql<Date>`${at}::timestamptz`.as('inserted_at'),
      ]),
    )
    .returning('id')
    .executeTakeFirst()
  if (inserted === undefined) return false
  await enqueue(deps, trx, {
    name: 'send_admin_code',
    payload: { accountId, organizationId, sessionId },
    accountId,
  })
  return true
}

function openLinks(db: Kysely<DB>, { idpId, token }: InvitationAddress, at: Date) {
  return db
    .selectFrom('sso_admin_links as link')
    .innerJoin('sso_admins as admin', (join) =>
      join.on(sameOrganization('admin', 'link')).onRef('admin.id', '=', 'link.admin_id'),
    )
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'link')))
    .leftJoin('sso_connections as connection', (join) =>
      join.on(sameTenant('connection', 'link')).onRef('connection.id', '=', 'link.connection_id'),
    )
    .where('link.token_hash', '=', hashSecret(token))
    .where('link.ended_at', 'is', null)
    .where('link.expires_at', '>', at)
    .where('organizations.deleted_at', 'is', null)
    .where(sql<boolean>`connection.idp_id is not distinct from ${idpId}::text`)
}
