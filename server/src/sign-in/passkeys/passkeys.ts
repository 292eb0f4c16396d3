import type { PageQuery } from '@portico/contract/fields'
import type { Passkey, PasskeyChanges } from '@portico/contract/passkeys'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { endSessionsOf, type KeptSignIn } from '../../directory/end-sessions.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { whyNotFound } from '../../platform/db/organization-id.js'
import { newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { countRows } from '../../platform/db/totals.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import type { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import { passkeyColumns, toPasskey, type PasskeyRow } from './record.js'
import { deletePasskeyOf, passkeysOf, updatePasskeyOf } from './rows.js'

/** The name of a passkey in a path: its user, and its id. */
export interface PasskeyName {
  readonly userId: string
  readonly id: string
}

/**
 * The passkeys of a user, newest first.
 *
 * @throws ApiError `organization_not_found`, `user_not_found`
 */
export async function listPasskeys(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  userId: string,
  query: PageQuery,
): Promise<Page<Passkey>> {
  const all = passkeysOf(db, tenant, userId)
  return readPage(
    {
      db,
      query,
      order: newestFirst,
      keys: all,
      table: 'passkeys',
      rows: all.select(passkeyColumns),
      total: async () => {
        const total = await countRows(all)
        if (total === 0) await checkUser(db, tenant, userId)
        return total
      },
      environment: tenant.environment,
    },
    (row) => toPasskey(row, tenant),
  )
}

async function checkUser(db: Kysely<DB>, tenant: Tenant, userId: string): Promise<void> {
  const user = await usersOf(db, tenant).where('users.id', '=', userId).select('users.id').executeTakeFirst()
  if (user === undefined) throw await whyNotFound(db, tenant, 'user_not_found')
}

/** A passkey as it is kept. */
export type KeptPasskey = Awaited<ReturnType<typeof findPasskeys>>[number]

/** All passkeys of a user, newest first: there are few. */
export function findPasskeys({ db }: Pick<Deps, 'db'>, tenant: Tenant, userId: string) {
  return passkeysOf(db, tenant, userId)
    .select(passkeyColumns)
    .orderBy('passkeys.inserted_at', 'desc')
    .orderBy('passkeys.id', 'desc')
    .execute()
}

/** Those that are accepted at a domain: neither bound to another one nor blocked. */
export function usableAt<Kept extends Pick<KeptPasskey, 'rp_id' | 'disabled_at'>>(
  rpId: string,
  passkeys: readonly Kept[],
): Kept[] {
  return passkeys.filter((passkey) => passkey.rp_id === rpId && passkey.disabled_at === null)
}

/** @throws ApiError `organization_not_found`, `passkey_not_found` */
export async function getPasskey(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  { userId, id }: PasskeyName,
): Promise<Changed<Passkey>> {
  const row = await passkeysOf(db, tenant, userId)
    .where('passkeys.id', '=', id)
    .select(passkeyColumns)
    .executeTakeFirst()
  if (row === undefined) throw await whyNotFound(db, tenant, 'passkey_not_found')
  return toChangedPasskey(row, tenant)
}

function toChangedPasskey(row: PasskeyRow, tenant: Tenant) {
  const { organization_id: organizationId, user_id: subjectId, version } = row
  return { record: toPasskey(row, tenant), version, organizationId, subjectId }
}

/**
 * Renames a passkey.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `passkey_not_found`, `precondition_failed`
 */
export function renamePasskey(
  deps: Deps,
  tenant: Tenant,
  { name: newName, ...passkey }: PasskeyName & PasskeyChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<Passkey>> {
  return change(deps, tenant.cause, async (trx) => {
    const row = await updatePasskeyOf(trx, tenant, passkey.userId, passkey.id)
      .set({ name: newName, updated_at: deps.now(), version: sql`version + 1` })
      .where(isOfVersion(versions))
      .executeTakeFirst()
    if (row === undefined) throw await whyNot(trx, tenant, passkey)
    const changed = toChangedPasskey(row, tenant)
    return emit(deps, trx, tenant, { code: 'passkey.passkey.update.success', ...changed })
  })
}

/** The sign-in that removes a passkey, and goes on. */
interface Removal extends PasskeyName {
  readonly kept?: KeptSignIn
}

/**
 * Removes a passkey. The user's sessions end, since one of them may have been opened with it by somebody else.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `passkey_not_found`, `precondition_failed`
 */
export function removePasskey(
  deps: Deps,
  tenant: Tenant,
  { kept, ...passkey }: Removal,
  versions: readonly number[] | undefined,
): Promise<Changed<Passkey>> {
  const { userId, id } = passkey
  return change(deps, tenant.cause, async (trx) => {
    await usersOf(trx, tenant).where('users.id', '=', userId).select('users.id').forNoKeyUpdate().execute()
    const row = await deletePasskeyOf(trx, tenant, userId, id).where(isOfVersion(versions)).executeTakeFirst()
    if (row === undefined) throw await whyNot(trx, tenant, passkey)
    await endSessionsOf(deps, trx, tenant, userId, kept)
    const changed = toChangedPasskey(row, tenant)
    const { accountId, environment } = tenant
    const { organizationId } = changed
    const owner = { accountId, environment, organizationId, userId }
    await enqueueNotice(deps, trx, { ...owner, notice: 'passkey_removed', cause: tenant.cause })
    return emit(deps, trx, tenant, { code: 'passkey.passkey.delete.success', ...changed })
  })
}

function whyNot(trx: Transaction<DB>, tenant: Tenant, { userId, id }: PasskeyName): Promise<ApiError> {
  const inAnyVersion = passkeysOf(trx, tenant, userId).where('passkeys.id', '=', id).select('passkeys.id')
  return whyUnchanged(inAnyVersion, () => whyNotFound(trx, tenant, 'passkey_not_found'))
}
