import type { Kysely } from 'kysely'
import { open, seal, SealError, type MasterKeys } from '../crypto/seal.js'
import type { DB } from './schema.js'

/** The context under which the canary is sealed; the re-sealing command uses it too. */
export const canaryContext = { purpose: 'canary', scope: 'service', aad: 'master_key_canary' }
const plain = 'portico'

const foreignMasterKeys =
  'MASTER_KEYS are not the keys that this database was sealed with. Set the MASTER_KEYS it was created with ' +
  '(on the embedded default: the file master-keys in DATA_DIR), the newest first'

/**
 * Opens the canary that the first start sealed.
 *
 * @throws Error with a sentence for the operator when the master keys are not those the database was sealed with.
 */
export async function checkMasterKeys(db: Kysely<DB>, keys: MasterKeys): Promise<void> {
  await db
    .insertInto('master_key_canary')
    .values({ id: 1, sealed: seal(keys, canaryContext, plain) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  if ((await isCanaryOpenable(db, keys)) === false) throw new Error(`${foreignMasterKeys}.`)
}

/** Whether a process has sealed the canary, so that the database has master keys already. */
export async function hasCanary(db: Kysely<DB>): Promise<boolean> {
  return (await db.selectFrom('master_key_canary').select('id').executeTakeFirst()) !== undefined
}

/** Whether the master keys open the canary; undefined where no process has sealed one yet. */
export async function isCanaryOpenable(db: Kysely<DB>, keys: MasterKeys): Promise<boolean | undefined> {
  const canary = await db.selectFrom('master_key_canary').select('sealed').executeTakeFirst()
  if (canary === undefined) return undefined
  try {
    open(keys, canaryContext, canary.sealed)
    return true
  } catch (error) {
    if (error instanceof SealError) return false
    throw error
  }
}
