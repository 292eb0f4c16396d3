import type { Environment } from '@portico/contract/fields'
import type { SocialProviderType } from '@portico/contract/social-providers'
import { sql, type Kysely } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { open } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup, statement } from '../../platform/db/statement.js'
import { ofOwner, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { socialSecretContext } from './client-secret.js'
import { isProviderOpen } from '../../directory/provider-ready.js'

interface Owner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
}

/** A provider by which users of an organization sign in now. */
export interface OpenProvider {
  readonly providerId: string
  readonly name: string
  readonly displayName: string
  readonly allowSignUp: boolean
}

/** The providers of an organization, in the order of their buttons. */
export async function findOpenProviders(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, organizationId }: Owner,
): Promise<OpenProvider[]> {
  const rows = await selectOpen(db, { accountId, environment, organizationId })
  return rows.map(toOpenProvider)
}

/** The same provider in a transaction that decides; undefined where nobody signs in by it any more. */
export async function findOpenProvider(
  db: Kysely<DB>,
  { accountId, environment, organizationId }: Owner,
  providerId: string,
): Promise<OpenProvider | undefined> {
  const [row] = await selectOne(db, { accountId, environment, organizationId, providerId })
  return row && toOpenProvider(row)
}

function openOf(db: Kysely<DB>, key: Owner) {
  return db
    .selectFrom('social_connections as connection')
    .innerJoin('social_providers', (join) => join.on(sameEnvironment('social_providers', 'connection')))
    .where(ofOwner(key, 'connection'))
    .where(isProviderOpen())
    .select([
      'social_providers.id',
      'social_providers.name',
      'social_providers.display_name',
      'connection.allow_sign_up',
    ])
}

const selectOpen = lookup((db, key: Owner) =>
  openOf(db, key)
    .orderBy(sql`array_position(connection.providers, social_providers.name)`)
    .orderBy('social_providers.inserted_at')
    .orderBy('social_providers.id'),
)

const selectOne = statement((db, key: Owner & { readonly providerId: string }) =>
  openOf(db, key).where('social_providers.id', '=', key.providerId),
)

function toOpenProvider(row: Awaited<ReturnType<typeof selectOpen>>[number]): OpenProvider {
  return {
    providerId: row.id,
    name: row.name,
    displayName: row.display_name,
    allowSignUp: row.allow_sign_up,
  }
}

/** A provider with our client there. */
export interface ProviderClient {
  readonly accountId: string
  readonly environment: Environment
  readonly providerId: string
  readonly provider: SocialProviderType
  readonly name: string
  readonly displayName: string
  readonly tenant: string | null
  /** Of Apple. */
  readonly teamId: string | null
  readonly keyId: string | null
  readonly issuer: string
  readonly clientId: string
  /** Of Apple, the key that secrets are made of. */
  readonly clientSecret: string
}

/** The client at the provider of a callback, whichever account it is of; undefined without one. */
export async function findProviderClient(
  { db, keys }: Pick<Deps, 'db' | 'keys'>,
  providerId: string,
): Promise<ProviderClient | undefined> {
  const [row] = await selectClient(db, { providerId })
  if (row === undefined || row.issuer === null) return undefined
  const { account_id: accountId, environment, client_id: clientId, client_secret_sealed: sealed } = row
  const isTest = row.provider === 'test'
  if (!isTest && (clientId === null || sealed === null)) return undefined
  const key = { accountId, environment, providerId }
  return {
    ...key,
    provider: row.provider,
    name: row.name,
    displayName: row.display_name,
    tenant: row.tenant,
    teamId: row.team_id,
    keyId: row.key_id,
    issuer: row.issuer,
    clientId: clientId ?? 'portico',
    // The built-in provider compares none.
    clientSecret: sealed === null ? 'none' : open(keys.master, socialSecretContext(key), sealed).toString(),
  }
}

const selectClient = lookup((db, key: { readonly providerId: string }) =>
  db
    .selectFrom('social_providers')
    .innerJoin('accounts', (join) => join.onRef('social_providers.account_id', '=', 'accounts.id'))
    .where('social_providers.id', '=', key.providerId)
    .select([
      'social_providers.account_id',
      // Checks of the table, and inputs, allow nothing else.
      sql<Environment>`social_providers.environment`.as('environment'),
      sql<SocialProviderType>`social_providers.provider`.as('provider'),
      'social_providers.name',
      'social_providers.display_name',
      'social_providers.tenant',
      'social_providers.team_id',
      'social_providers.key_id',
      'social_providers.issuer',
      'social_providers.client_id',
      'social_providers.client_secret_sealed',
    ]),
)
