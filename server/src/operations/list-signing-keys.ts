import { environments } from '@portico/contract/fields'
import { nilId } from '@portico/contract/fields'
import { sql } from 'kysely'
import { getAccount } from './accounts/list-accounts.js'
import type { Algorithm } from '../platform/crypto/jwt.js'
import type { Deps } from '../delivery/deps.js'
import type { KeyOwner } from '../tokens/signing-keys/signing-keys.js'
import { isOrganizationOf } from '../platform/db/tenant-predicate.js'

/** Narrows the keys to those of an account, an organization or an environment. */
interface OwnerFilter {
  readonly account?: string
  readonly organization?: string
  readonly environment?: string
}

/** What a key signs: tokens of an organization, an account's API tokens, or what an account issues to applications. */
type KeyPurpose = 'organization' | 'api' | 'account'

interface ListedSigningKey {
  readonly account: string
  readonly purpose: KeyPurpose
  /** Null for the keys of an account. */
  readonly organization: string | null
  readonly environment: string
  readonly algorithm: Algorithm
  readonly state: string
  /** When it got into this state. */
  readonly since: string
  readonly kid: string
}

/**
 * Signing keys with their states, at most 10,000.
 *
 * @throws Error a sentence when the account or the organization is not there.
 */
export async function listSigningKeys(
  { db }: Pick<Deps, 'db'>,
  filter: OwnerFilter,
): Promise<ListedSigningKey[]> {
  await checkOwner({ db }, filter)
  const rows = await db
    .selectFrom('signing_keys as key')
    .innerJoin('accounts', 'accounts.id', 'key.account_id')
    .leftJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'key')))
    .where('organizations.deleted_at', 'is', null)
    .$if(filter.account !== undefined, (query) => query.where('accounts.domain', '=', filter.account ?? ''))
    .$if(filter.organization !== undefined, (query) =>
      query.where('organizations.domain', '=', filter.organization ?? ''),
    )
    .$if(filter.environment !== undefined, (query) =>
      query.where('key.environment', '=', filter.environment ?? ''),
    )
    .select([
      'accounts.domain as account',
      sql<KeyPurpose>`case key.organization_id
        when ${nilId}::uuid then 'api' when key.account_id then 'account' else 'organization'
      end`.as('purpose'),
      'organizations.domain as organization',
      'key.environment',
      sql<Algorithm>`key.algorithm`.as('algorithm'),
      'key.state',
      sql<Date>`coalesce(key.retired_at, key.activated_at, key.inserted_at)`.as('since'),
      'key.kid',
    ])
    .orderBy('accounts.domain')
    .orderBy('organizations.domain', (order) => order.asc().nullsFirst())
    .orderBy('purpose', 'desc')
    .orderBy('key.environment')
    .orderBy('key.inserted_at', 'desc')
    .limit(10_000)
    .execute()
  return rows.map(({ since, ...row }) => ({ ...row, since: since.toISOString() }))
}

/**
 * The owners of a rotation's keys, with each algorithm that they have a key for, and always ES256, the initial one, so
 * that an owner without an active key gets one. With an organization its own keys, otherwise those of the account: of its
 * API tokens, or as an issuer.
 *
 * @throws Error a sentence when the account or the organization is not there.
 */
export async function signingKeyOwners(
  { db }: Pick<Deps, 'db'>,
  filter: OwnerFilter & { readonly issuer?: boolean },
): Promise<{ owner: KeyOwner; algorithm: Algorithm }[]> {
  const checked = await checkOwner({ db }, filter)
  const accountId = checked.accountId ?? nilId
  const organizationId = checked.organizationId ?? (filter.issuer === true ? accountId : nilId)
  const chosen = filter.environment === undefined ? environments : [filter.environment]
  const { rows } = await sql<{ environment: string; algorithm: Algorithm }>`
    select environment, 'ES256' as algorithm from unnest(${[...chosen]}::text[]) environment
    union
    select environment, algorithm from signing_keys
    where account_id = ${accountId}
      and organization_id = ${organizationId}
      and environment = any(${[...chosen]}::text[])
      and state in ('next', 'active', 'retired')
    order by environment, algorithm`.execute(db)
  return rows.map(({ environment, algorithm }) => ({
    owner: { accountId, environment, organizationId },
    algorithm,
  }))
}

async function checkOwner(
  deps: Pick<Deps, 'db'>,
  { account, organization }: OwnerFilter,
): Promise<{ accountId?: string; organizationId?: string }> {
  const accountId = account === undefined ? undefined : (await getAccount(deps, account)).id
  if (organization === undefined) return { accountId }
  const row = await deps.db
    .selectFrom('organizations')
    .where('domain', '=', organization)
    .where('deleted_at', 'is', null)
    .$if(accountId !== undefined, (query) => query.where('account_id', '=', accountId ?? nilId))
    .select(['account_id', 'id'])
    .executeTakeFirst()
  if (row === undefined) throw new Error(`There is no organization ${organization}: check its domain.`)
  return { accountId: row.account_id, organizationId: row.id }
}
