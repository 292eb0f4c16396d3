import type { Passkey } from '@portico/contract/passkeys'
import { providerOf } from '@portico/contract/passkey-providers'
import { maxPasskeyName, maxPasskeys } from '@portico/contract/passkey-credentials'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { enqueueNotice } from '../../delivery/mail/notices.js'
import { newId } from '../../platform/crypto/random.js'
import { displayName } from '../../platform/display-name.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment, ofOwner, ownerColumns } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { userHandleOf } from './ceremony.js'
import type { PasskeyOffer } from './offer.js'
import { passkeyColumns, toPasskey } from './record.js'
import { passkeysOf } from './rows.js'
import type { MadeKey } from './webauthn.js'

/** A key that an authenticator has made, and that was verified. */
export interface VerifiedKey {
  readonly key: MadeKey
  readonly rpId: string
  readonly transports: readonly string[]
  readonly name: NameOfKey
}

/**
 * What a passkey is called at first: as it was chosen, or by its provider, else as given, with a number where its user has one of that
 * name.
 */
type NameOfKey = { readonly chosen: string } | { readonly unlessOfProvider: string }

/**
 * Why a verified key was not added. `not_allowed`: its provider copies it, which the organization does not want; `taken`: the service
 * has it already; `full`: the user has as many as somebody may have.
 */
export type RefusedKey = 'not_allowed' | 'taken' | 'full'

/**
 * Adds a passkey to a user, whom the transaction has locked, with its event and its mail. One of our own pages ends a recovery that is open.
 *
 * @param offer What the organization offers the user now.
 */
export async function insertPasskey(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { userId, organizationId, email, isSyncedAllowed }: PasskeyOffer,
  { key, rpId, transports, name }: VerifiedKey,
): Promise<Changed<Passkey> | RefusedKey> {
  if (key.isSynced && !isSyncedAllowed) return 'not_allowed'
  const at = deps.now()
  const { accountId, environment } = tenant
  const owner = { accountId, environment, organizationId, userId }
  const row = {
    ...ownerColumns(owner),
    id: newId(),
    user_id: userId,
    name:
      'chosen' in name
        ? displayName(name.chosen, maxPasskeyName)
        : numbered(providerOf(key.aaguid) ?? name.unlessOfProvider, await findNames(trx, tenant, userId)),
    rp_id: rpId,
    credential_id: key.credentialId,
    public_key: key.publicKey,
    user_handle: userHandleOf(owner),
    aaguid: key.aaguid,
    transports: transports.filter((transport) => /^[a-z-]+$/.test(transport)),
    synced: key.isSynced,
    backed_up: key.isBackedUp,
    sign_count: key.signCount,
    version: 1,
    inserted_at: at,
    updated_at: at,
  }
  const hasRoom = sql<boolean>`(
    select count(*) from passkeys where ${ofOwner(owner, 'passkeys')} and passkeys.user_id = ${userId}
  ) < ${maxPasskeys}`
  const inserted = await insertWhere(trx, 'passkeys', row, hasRoom)
    .onConflict((conflict) => conflict.constraint('passkeys_credential_key').doNothing())
    .returning(passkeyColumns)
    .executeTakeFirst()
  if (inserted === undefined) return (await isTaken(trx, tenant, row)) ? 'taken' : 'full'
  if (rpId === deps.config.passkeyRpId)
    await trx.deleteFrom('passkey_recoveries').where(ofOwner(owner)).where('user_id', '=', userId).execute()
  await enqueueNotice(deps, trx, { ...owner, notice: 'passkey_added', cause: tenant.cause })
  const added = await emit(deps, trx, tenant, {
    code: 'passkey.passkey.create.success',
    record: toPasskey(inserted, tenant),
    version: inserted.version,
    organizationId,
    subjectId: userId,
  })
  await logEvent(deps, trx, {
    ...{ ...tenant, organizationId, email, userId },
    code: 'END_USER_PASSKEY_REGISTERED',
  })
  return added
}

async function findNames(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<readonly string[]> {
  const rows = await passkeysOf(trx, tenant, userId).select('passkeys.name').limit(maxPasskeys).execute()
  return rows.map(({ name }) => name)
}

/** The name, or with the first number from two on that tells it from the others. */
function numbered(name: string, others: readonly string[]): string {
  const first = displayName(name, maxPasskeyName)
  const next = others.map((_, place) => withNumber(name, place + 2))
  return [first, ...next].find((one) => !others.includes(one)) ?? first
}

function withNumber(name: string, number: number): string {
  const end = ` ${number}`
  return `${displayName(name, maxPasskeyName - end.length)}${end}`
}

/** Whether the service has a credential, of whatever user. */
async function isTaken(
  db: Kysely<DB>,
  environment: Pick<Tenant, 'accountId' | 'environment'>,
  { rp_id: rpId, credential_id: credentialId }: { readonly rp_id: string; readonly credential_id: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('passkeys')
    .where(ofEnvironment(environment))
    .where('rp_id', '=', rpId)
    .where('credential_id', '=', credentialId)
    .select('id')
    .executeTakeFirst()
  return row !== undefined
}
