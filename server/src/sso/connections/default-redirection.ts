import type { NewDefaultRedirection } from '@portico/contract/sso-connections'
import type { DefaultRedirection } from '@portico/contract/sso-records'
import { sql, type Transaction } from 'kysely'
import { isUsableBy } from '../../directory/usable.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import type { Caller } from '../../platform/tenant.js'
import { connectionKeyColumns, isConnection, isOfConnection, type ConnectionKey } from './connection-key.js'
import { toDefaultRedirection, type DefaultRedirectionRow } from './record.js'
import { connectionsOf, emitConnection, lockConnection } from './whole-connection.js'
import { ofEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

const redirectionColumns = ['id', 'application_id', 'uri', 'inserted_at'] as const

/**
 * Sets the destination of IdP-initiated sign-ins. Earlier ones stay, and can be chosen again.
 *
 * @throws ApiError `sso_connection_not_found` also for an organization that is not the connection's,
 *   `application_not_found`, and `invalid_parameters` for a URI that the application does not allow.
 */
export function createDefaultRedirection(
  deps: Deps,
  caller: Caller,
  idpId: string,
  { organization_id: organizationId, application_id: applicationId, uri }: NewDefaultRedirection,
): Promise<Changed<DefaultRedirection>> {
  return change(deps, caller.cause, async (trx) => {
    const connection = await lockConnection(trx, caller, idpId)
    if (connection.organizationId !== organizationId) throw new ApiError('sso_connection_not_found')
    const record = await insertDefaultRedirection(deps, trx, connection, { applicationId, uri })
    await trx
      .updateTable('sso_connections')
      .set({ updated_at: deps.now(), version: sql`version + 1` })
      .where(isConnection(connection))
      .execute()
    await emitConnection(deps, trx, caller.cause, connection, 'sso.connection.update.success')
    const tenant = { ...caller, domain: connection.domain }
    return emit(deps, trx, tenant, { code: 'sso.default_redirection.create.success', record, organizationId })
  })
}

/**
 * The current destination of IdP-initiated sign-ins.
 *
 * @throws ApiError `sso_connection_not_found`, `default_redirection_not_found`
 */
export async function getDefaultRedirection(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  idpId: string,
): Promise<Changed<DefaultRedirection>> {
  const row = await connectionsOf(db, caller)
    .leftJoin('sso_default_redirections as redirection', (join) =>
      join
        .on(sameTenant('redirection', 'sso_connections'))
        .onRef('redirection.connection_id', '=', 'sso_connections.id')
        .on('redirection.is_current', '=', true),
    )
    .where('sso_connections.idp_id', '=', idpId)
    .select(['redirection.id', 'redirection.application_id', 'redirection.uri', 'redirection.inserted_at'])
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('sso_connection_not_found')
  if (!isThere(row)) throw new ApiError('default_redirection_not_found')
  return { record: toDefaultRedirection(row) }
}

interface RequestedRedirection {
  readonly applicationId: string
  readonly uri?: string | undefined
}

/**
 * Makes a redirection the connection's default, for a connection that is locked.
 *
 * @throws ApiError `application_not_found`, and `invalid_parameters` for a URI that the application does not allow.
 */
export async function insertDefaultRedirection(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  requested: RequestedRedirection,
): Promise<DefaultRedirection> {
  const uri = await allowedUri(trx, key, requested)
  await dropCurrent(trx, key)
  const row = await trx
    .insertInto('sso_default_redirections')
    .values({
      ...connectionKeyColumns(key),
      id: newId(),
      application_id: requested.applicationId,
      uri,
      is_current: true,
      inserted_at: now(),
    })
    .returning(redirectionColumns)
    .executeTakeFirstOrThrow()
  return toDefaultRedirection(row)
}

/**
 * Makes a redirection the default that the connection has or had, for a connection that is locked.
 *
 * @throws ApiError `default_redirection_not_found`
 */
export async function chooseDefaultRedirection(
  trx: Transaction<DB>,
  key: ConnectionKey,
  id: string,
): Promise<void> {
  await dropCurrent(trx, key)
  const { numUpdatedRows } = await trx
    .updateTable('sso_default_redirections')
    .set({ is_current: true })
    .where(isOfConnection('sso_default_redirections', key))
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) throw new ApiError('default_redirection_not_found')
}

async function dropCurrent(trx: Transaction<DB>, key: ConnectionKey): Promise<void> {
  await trx
    .updateTable('sso_default_redirections')
    .set({ is_current: false })
    .where(isOfConnection('sso_default_redirections', key))
    .where('is_current', '=', true)
    .execute()
}

/** The URI that is asked for; without one the application's default redirect, or the first one that it allows. */
async function allowedUri(
  trx: Transaction<DB>,
  key: ConnectionKey,
  { applicationId, uri }: RequestedRedirection,
): Promise<string> {
  const application = await trx
    .selectFrom('applications')
    .where(ofEnvironment(key))
    .where('id', '=', applicationId)
    .where(isUsableBy(sql<string>`${key.organizationId}::uuid`))
    .select(['allowed_redirect_urls', 'default_redirect_uri_after_login'])
    .forShare()
    .executeTakeFirst()
  if (application === undefined) throw new ApiError('application_not_found')
  const { allowed_redirect_urls: allowed, default_redirect_uri_after_login: preset } = application
  if (uri !== undefined && !allowed.includes(uri))
    throw invalid('uri', 'not_in_list', 'must be an allowed redirect URL of the application')
  const chosen = uri ?? preset ?? allowed[0]
  if (chosen === undefined)
    throw invalid('application_id', 'no_redirect_url', 'must be an application that allows a redirect URL')
  return chosen
}

/** A left join finds all of a redirection, or nothing. */
function isThere(row: {
  readonly [Column in keyof DefaultRedirectionRow]: DefaultRedirectionRow[Column] | null
}): row is DefaultRedirectionRow {
  return row.id !== null
}
