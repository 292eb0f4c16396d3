import type { Kysely, Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant, ownerColumns } from '../../platform/db/tenant-predicate.js'
import type { Tenant } from '../../platform/tenant.js'
import { nextFactorOf } from '../flows/pending-sign-in.js'
import { countRecoveryCodes, makeRecoveryCodes, toRecoveryDigests } from '../totp/recovery-codes.js'
import type { TotpOwner } from '../totp/sealed.js'
import { ownerOf, type TotpUser } from '../totp/totp-user.js'

/** The context under which the recovery codes of a user's passkeys are sealed; the re-sealing command uses it too. */
export function passkeyCodesContext({
  accountId,
  environment,
  organizationId,
  userId,
}: TotpOwner): SealContext {
  return {
    purpose: 'passkey_recovery_codes',
    scope: organizationId,
    aad: `passkey_recovery_codes.codes_sealed:${accountId}:${environment}:${userId}`,
  }
}

/** Makes new recovery codes for the passkeys of a user, whom the transaction has locked; the earlier ones become invalid. */
export async function makePasskeyCodes(
  { keys, now }: Pick<Deps, 'keys' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  user: TotpUser,
): Promise<readonly string[]> {
  const codes = makeRecoveryCodes()
  const owner = ownerOf(tenant, user)
  const sealed = seal(keys.master, passkeyCodesContext(owner), toRecoveryDigests(codes))
  const made = { codes_sealed: sealed, failures: 0, locked_until: null, inserted_at: now() }
  await trx
    .insertInto('passkey_recovery_codes')
    .values({ ...ownerColumns(owner), user_id: user.id, ...made })
    .onConflict((conflict) => conflict.constraint('passkey_recovery_codes_pkey').doUpdateSet(made))
    .execute()
  return codes
}

/** How many recovery codes of their passkeys a user has left. */
export async function countPasskeyCodes(
  { keys }: Pick<Deps, 'keys'>,
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<number> {
  const row = await db
    .selectFrom('passkey_recovery_codes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .select(['organization_id', 'codes_sealed'])
    .executeTakeFirst()
  if (row === undefined) return 0
  const { accountId, environment } = tenant
  const context = passkeyCodesContext({
    ...{ accountId, environment, userId },
    organizationId: row.organization_id,
  })
  return countRecoveryCodes(open(keys.master, context, row.codes_sealed))
}

/**
 * How many a user has left who may have some: one whose passkey is demanded, and who is asked for no code of TOTP, which has recovery
 * codes of its own. Undefined for others, unless an application has demanded the passkey and some are left of then.
 */
export async function findPasskeyCodes(
  deps: Pick<Deps, 'config' | 'keys' | 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  userId: string,
): Promise<number | undefined> {
  const next = await nextFactorOf(deps, db, tenant, userId)
  if (next === 'totp') return undefined
  const left = await countPasskeyCodes(deps, db, tenant, userId)
  return next === 'passkey' || left > 0 ? left : undefined
}
