import type { FoundKind, FoundRecords } from '@portico/contract/found-records'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { lookup } from '../../platform/db/statement.js'
import { isOrganizationOf, ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Caller } from '../../platform/tenant.js'

interface Sought {
  readonly accountId: string
  readonly environment: string
  readonly id: string
}

/** What has the id in the caller's account and environment; users only for those who may read them. */
export async function findRecords(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, scopes }: Caller,
  id: string,
): Promise<FoundRecords> {
  const sought = { accountId, environment, id }
  const found = await Promise.all([
    toFound('organization', selectOrganization(db, sought)),
    toFound('application', selectApplication(db, sought)),
    toFound('user', scopes.includes('read:users') ? selectUser(db, sought) : Promise.resolve([])),
  ])
  return {
    __type__: 'List',
    data: found.flat().map(({ kind, domain }) => ({ __type__: 'FoundRecord', kind, id, org_domain: domain })),
  }
}

async function toFound(kind: FoundKind, rows: Promise<readonly { readonly domain: string | null }[]>) {
  return (await rows).flatMap(({ domain }) => (domain === null ? [] : [{ kind, domain }]))
}

const selectOrganization = lookup((db, sought: Sought) =>
  db
    .selectFrom('organizations')
    .where('organizations.account_id', '=', sought.accountId)
    .where('organizations.id', '=', sought.id)
    .where('organizations.deleted_at', 'is', null)
    .select('organizations.domain'),
)

/** One of the whole account is reached by any organization: by none where there is none. */
const selectApplication = lookup((db, sought: Sought) =>
  db
    .selectFrom('applications')
    .leftJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'applications')))
    .where(ofEnvironment(sought, 'applications'))
    .where('applications.id', '=', sought.id)
    .where('applications.deleted_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
    .select((eb) =>
      eb.fn
        .coalesce(
          'organizations.domain',
          sql<string | null>`(
            select newest.domain from organizations as newest
            where newest.account_id = ${sought.accountId} and newest.deleted_at is null
            order by newest.inserted_at desc, newest.id desc limit 1
          )`,
        )
        .as('domain'),
    ),
)

const selectUser = lookup((db, sought: Sought) =>
  db
    .selectFrom('users')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .where(ofEnvironment(sought, 'users'))
    .where('users.id', '=', sought.id)
    .where('users.deleted_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
    .select('organizations.domain'),
)
