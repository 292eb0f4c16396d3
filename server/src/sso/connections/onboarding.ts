import type {
  NewSsoAdminOnboarding,
  ProviderType,
  SsoAdminOnboarding,
  SsoAdminOnboardingChanges,
} from '@portico/contract/sso-onboarding'
import { sql, type Transaction } from 'kysely'
import { upsertInvitedAdmin } from '../invitations/invited-admin.js'
import { endConnectionLinks, endConnectionSessions, insertAdminLink } from '../invitations/links.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { mails } from '../../delivery/mail/mail-limits.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import type { Caller, Cause } from '../../platform/tenant.js'
import { removeTestIdp } from './provision-test-idp.js'
import { normalizeEmail } from '../../platform/email.js'
import { connectionKeyColumns, isConnection, isOfConnection, type ConnectionKey } from './connection-key.js'
import { setConnectionProvider, prepareProvider } from './provider.js'
import { toOnboarding, type OnboardingRow } from './record.js'
import { connectionsOf, emitConnection, lockConnection, type LockedConnection } from './whole-connection.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

const onboardingColumns = [
  'id',
  'sso_admin_email',
  'provider_type',
  'state',
  'tutorial_step',
  'version',
  'inserted_at',
  'updated_at',
] as const

type VersionedOnboarding = OnboardingRow & { readonly version: number }

/**
 * Begins the onboarding of a connection for its administrator, with the kind of identity provider where it is known.
 *
 * @throws ApiError `sso_connection_not_found`, `onboarding_taken`
 */
export async function createOnboarding(
  deps: Deps,
  caller: Caller,
  idpId: string,
  { sso_admin_email: email, provider_type: providerType }: NewSsoAdminOnboarding,
): Promise<Changed<SsoAdminOnboarding>> {
  const chosen = await prepareProvider(deps, caller.environment, idpId, providerType)
  return change(deps, caller.cause, async (trx) => {
    const connection = await lockConnection(trx, caller, idpId)
    if ((await lockOnboarding(trx, connection)) !== undefined) throw new ApiError('onboarding_taken')
    await insertOnboarding(deps, trx, connection, { email, providerType: providerType ?? null })
    if (chosen !== undefined) await setConnectionProvider(deps, trx, connection, chosen)
    await emitConnection(deps, trx, caller.cause, connection, 'sso.connection.update.success')
    return emitOnboarding(deps, trx, caller.cause, connection, 'sso.onboarding.create.success')
  })
}

/**
 * Changes the administrator of an onboarding, and the kind of identity provider. Another address ends earlier links.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `sso_connection_not_found`, `onboarding_not_found`, `precondition_failed`
 */
export async function updateOnboarding(
  deps: Deps,
  caller: Caller,
  idpId: string,
  { sso_admin_email: email, provider_type: providerType }: SsoAdminOnboardingChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<SsoAdminOnboarding>> {
  const chosen = await prepareProvider(deps, caller.environment, idpId, providerType)
  return change(deps, caller.cause, async (trx) => {
    const connection = await lockConnection(trx, caller, idpId)
    const current = await checkedOnboarding(trx, connection, versions)
    if (email !== undefined && !isSameAddress(email, current.sso_admin_email))
      await endConnectionLinks(deps, trx, connection)
    if (chosen !== undefined) await setConnectionProvider(deps, trx, connection, chosen)
    await trx
      .updateTable('sso_onboardings')
      .set({
        ...(email !== undefined && { sso_admin_email: email }),
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(isOfConnection('sso_onboardings', connection))
      .execute()
    await emitConnection(deps, trx, caller.cause, connection, 'sso.connection.update.success')
    return emitOnboarding(deps, trx, caller.cause, connection, 'sso.onboarding.update.success')
  })
}

/**
 * Restarts an onboarding, without a kind of identity provider and for the same address. Open sessions end, with uploads
 * that were not confirmed.
 *
 * The metadata stay in use, even those of a wrong administrator: users continue to sign in by them, and the next upload
 * waits beside them. `disable` ends that at once, as do other metadata by the API.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `sso_connection_not_found`, `onboarding_not_found`, `precondition_failed`
 */
export function resetOnboarding(
  deps: Deps,
  caller: Caller,
  idpId: string,
  versions: readonly number[] | undefined,
): Promise<Changed<SsoAdminOnboarding>> {
  return change(deps, caller.cause, async (trx) => {
    const connection = await lockConnection(trx, caller, idpId)
    await checkedOnboarding(trx, connection, versions)
    const at = deps.now()
    await trx
      .updateTable('sso_onboardings')
      .set({
        provider_type: null,
        state: 'not_initialized',
        tutorial_step: 0,
        metadata_version: null,
        client_version: null,
        updated_at: at,
        version: sql`version + 1`,
      })
      .where(isOfConnection('sso_onboardings', connection))
      .execute()
    await trx
      .updateTable('sso_connections')
      .set({ provider_type: 'unset', updated_at: at, version: sql`version + 1` })
      .where(isConnection(connection))
      .execute()
    if (connection.providerType === 'test') await removeTestIdp(deps, trx, connection)
    await endConnectionSessions(deps, trx, connection)
    await emitConnection(deps, trx, caller.cause, connection, 'sso.connection.update.success')
    return emitOnboarding(deps, trx, caller.cause, connection, 'sso.onboarding.reset.success')
  })
}

/**
 * Mails the link of an onboarding to its administrator; earlier links end.
 *
 * @throws ApiError `sso_connection_not_found`, `sso_admin_email_missing`, and `rate_limited` when the address has been sent
 *   enough mails.
 */
export async function inviteToOnboarding(
  deps: Deps,
  caller: Caller,
  idpId: string,
): Promise<Changed<SsoAdminOnboarding>> {
  const { domain, email } = await findInvitee(deps, caller, idpId)
  const limit = await deps.limits.take(mails, { ...caller, domain, address: normalizeEmail(email) })
  return change(deps, caller.cause, async (trx) => {
    const connection = await lockConnection(trx, caller, idpId)
    return { ...(await inviteToLocked(deps, trx, caller.cause, connection)), limit }
  })
}

/**
 * The same in the transaction of another change, for a locked connection and a mail that has been counted.
 *
 * @throws ApiError `sso_admin_email_missing`
 */
export async function inviteToLocked(
  deps: Deps,
  trx: Transaction<DB>,
  cause: Cause,
  connection: LockedConnection,
): Promise<Changed<SsoAdminOnboarding>> {
  const onboarding = await lockOnboarding(trx, connection)
  const email = onboarding?.sso_admin_email
  if (email == null) throw new ApiError('sso_admin_email_missing')
  const adminId = await upsertInvitedAdmin(deps, trx, connection, email)
  await insertAdminLink(deps, trx, { ...connection, adminId })
  await logEvent(deps, trx, { ...connection, cause, code: 'ADMIN_ONBOARDING_INVITED', email })
  return emitOnboarding(deps, trx, cause, connection, 'sso.onboarding.invite.success')
}

/** @throws ApiError `sso_connection_not_found`, `sso_admin_email_missing` */
async function findInvitee(
  { db }: Pick<Deps, 'db'>,
  caller: Caller,
  idpId: string,
): Promise<{ domain: string; email: string }> {
  const row = await connectionsOf(db, caller)
    .leftJoin('sso_onboardings as onboarding', (join) =>
      join
        .on(sameTenant('onboarding', 'sso_connections'))
        .onRef('onboarding.connection_id', '=', 'sso_connections.id'),
    )
    .where('sso_connections.idp_id', '=', idpId)
    .select(['organizations.domain', 'onboarding.sso_admin_email as email'])
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('sso_connection_not_found')
  if (row.email === null) throw new ApiError('sso_admin_email_missing')
  return { domain: row.domain, email: row.email }
}

/** Begins the onboarding of a locked connection that has none yet. */
export async function insertOnboarding(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  key: ConnectionKey,
  { email, providerType }: { readonly email: string; readonly providerType: ProviderType | null },
): Promise<void> {
  const at = now()
  await trx
    .insertInto('sso_onboardings')
    .values({
      ...connectionKeyColumns(key),
      id: newId(),
      sso_admin_email: email,
      provider_type: providerType,
      state: providerType === null ? 'not_initialized' : 'provider_type_chosen',
      tutorial_step: 0,
      inserted_at: at,
      updated_at: at,
    })
    .execute()
}

/** @throws ApiError `onboarding_not_found`, `precondition_failed` */
async function checkedOnboarding(
  trx: Transaction<DB>,
  connection: ConnectionKey,
  versions: readonly number[] | undefined,
): Promise<VersionedOnboarding> {
  const row = await lockOnboarding(trx, connection)
  if (row === undefined) throw new ApiError('onboarding_not_found')
  if (versions?.includes(row.version) === false) throw new ApiError('precondition_failed')
  return row
}

function lockOnboarding(trx: Transaction<DB>, key: ConnectionKey): Promise<VersionedOnboarding | undefined> {
  return trx
    .selectFrom('sso_onboardings')
    .where(isOfConnection('sso_onboardings', key))
    .select(onboardingColumns)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

function isSameAddress(email: string, current: string | null): boolean {
  return current !== null && normalizeEmail(email) === normalizeEmail(current)
}

type OnboardingEvent = `sso.onboarding.${'create' | 'update' | 'invite' | 'reset'}.success`

/** Emits an event with the onboarding as the change leaves it. */
export async function emitOnboarding(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  cause: Cause,
  { domain, ...key }: ConnectionKey & { readonly domain: string },
  code: OnboardingEvent,
): Promise<Changed<SsoAdminOnboarding>> {
  const row = await trx
    .selectFrom('sso_onboardings')
    .where(isOfConnection('sso_onboardings', key))
    .select(onboardingColumns)
    .executeTakeFirstOrThrow()
  const record = toOnboarding(row)
  const { organizationId } = key
  const emission = { code, record, version: row.version, organizationId, email: record.sso_admin_email }
  return emit(deps, trx, { ...key, domain, cause }, emission)
}
