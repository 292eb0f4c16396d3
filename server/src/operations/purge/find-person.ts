import type { Environment } from '@portico/contract/fields'
import type { Deps } from '../../delivery/deps.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Persons } from './traces.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

/** One user, by the domains of account and organization, and by id or address. */
export type PersonQuery = {
  readonly account: string
  readonly environment: Environment
  readonly organization: string
} & ({ readonly id: string; readonly email?: never } | { readonly email: string; readonly id?: never })

interface FoundPerson {
  readonly persons: Persons
  readonly id: string
  /** Null when neither the user nor the organization is deleted. */
  readonly deletedAt: Date | null
}

/**
 * The user that a query names, deleted or not, in an organization that is deleted or not.
 *
 * @throws Error a sentence when there is none, or when several have had the address.
 */
export async function findPerson({ db }: Pick<Deps, 'db'>, query: PersonQuery): Promise<FoundPerson> {
  const found = await db
    .selectFrom('users')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .innerJoin('accounts', 'accounts.id', 'users.account_id')
    .where('accounts.domain', '=', query.account)
    .where('organizations.domain', '=', query.organization)
    .where('users.environment', '=', query.environment)
    .$if(query.id !== undefined, (users) => users.where('users.id', '=', query.id ?? ''))
    .$if(query.email !== undefined, (users) =>
      users.where('users.email_normalized', '=', normalizeEmail(query.email ?? '')),
    )
    .select([
      'users.account_id',
      'users.environment',
      'users.organization_id',
      'users.id',
      'users.deleted_at',
      'organizations.deleted_at as organization_deleted_at',
    ])
    .orderBy('users.inserted_at')
    .orderBy('users.id')
    .limit(20)
    .execute()
  const [user, ...others] = found
  if (user === undefined)
    throw new Error(
      `${query.organization} of ${query.account} has no such user in ${query.environment}, or has erased them: check the options.`,
    )
  if (others.length > 0) {
    const ids = found.map(({ id, deleted_at: at }) =>
      at === null ? id : `${id} (deleted ${at.toISOString()})`,
    )
    throw new Error(`Several users have had this address: name one by --id, of ${ids.join(', ')}.`)
  }
  const { id, deleted_at, organization_deleted_at, ...scope } = user
  return { persons: { ...scope, ids: [id] }, id, deletedAt: deleted_at ?? organization_deleted_at }
}
