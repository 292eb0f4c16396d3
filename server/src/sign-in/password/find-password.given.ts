import type { Kysely } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import type { PasswordOwner } from './pepper.js'
import { openPassword, type StoredPassword } from './stored-password.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

/** The unwrapped password of a user; undefined when it is missing or does not open. */
export async function findPassword(
  deps: Pick<Deps, 'keys' | 'log'>,
  db: Kysely<DB>,
  owner: PasswordOwner,
): Promise<StoredPassword | undefined> {
  const row = await db
    .selectFrom('passwords')
    .innerJoin('password_peppers as pepper', (join) =>
      join.on(sameTenant('pepper', 'passwords')).onRef('pepper.version', '=', 'passwords.pepper_version'),
    )
    .where(ofOwner(owner, 'passwords'))
    .where('passwords.user_id', '=', owner.userId)
    .select([
      'passwords.id',
      'passwords.hash_wrapped',
      'passwords.set_at',
      'pepper.version',
      'pepper.key_sealed',
    ])
    .executeTakeFirst()
  return row === undefined ? undefined : openPassword(deps, owner, row)
}
