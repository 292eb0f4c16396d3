import type { ForcedDeletion } from '@portico/contract/permissions'
import {
  maxSocialProviders,
  type NewSocialProvider,
  type SocialProvider,
  type SocialProviderChanges,
  type SocialProviderQuery,
} from '@portico/contract/social-providers'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit, scopeOfAccount } from '../../delivery/events/emit.js'
import { newId } from '../../platform/crypto/random.js'
import { seal } from '../../platform/crypto/seal.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { countRows } from '../../platform/db/totals.js'
import { isOfVersion, whyUnchanged } from '../../platform/db/versions.js'
import { isUniqueViolation } from '../../platform/db/violations.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'
import { socialSecretContext } from './client-secret.js'
import { checkCustomIssuer, toChangedSettings, toSettings } from './provider-settings.js'
import { callbackOf } from './provider-types.js'
import { isReady } from '../../directory/provider-ready.js'
import { socialProviderColumns, toSocialProvider, type SocialProviderRow } from './record.js'

/**
 * Adds a social provider, whose client can be entered later.
 *
 * @throws ApiError `social_provider_taken`, `social_providers_exhausted`, and `invalid_parameters` naming what is wrong.
 */
export async function createSocialProvider(
  deps: Deps,
  caller: Caller,
  input: NewSocialProvider,
): Promise<Changed<SocialProvider>> {
  const id = newId()
  const settings = toSettings(input, { environment: caller.environment, baseUrl: deps.config.baseUrl, id })
  await checkCustomIssuer(deps, input.issuer)
  const { accountId, environment } = caller
  return change(deps, caller.cause, async (trx) => {
    await lockAccountOf(trx, caller)
    if ((await countRows(providersOf(trx, caller))) >= maxSocialProviders)
      throw new ApiError('social_providers_exhausted')
    const at = deps.now()
    const secret = secretOf(input)
    await trx
      .insertInto('social_providers')
      .values({
        ...settings,
        account_id: accountId,
        environment,
        client_secret_sealed: secret === undefined ? null : sealSecret(deps, caller, id, secret),
        inserted_at: at,
        updated_at: at,
      })
      .execute()
      .catch(asTaken)
    return emitProvider(deps, trx, caller, 'social.provider.create.success', await getRow(trx, caller, id))
  })
}

/** The social providers of the account, newest first. */
export function listSocialProviders(
  { readDb, config }: Pick<Deps, 'readDb' | 'config'>,
  caller: Caller,
  query: SocialProviderQuery,
): Promise<Page<SocialProvider>> {
  const { name } = query
  if (name === null) return Promise.resolve(emptyPage(query))
  return readPage(
    {
      db: readDb,
      query,
      environment: caller.environment,
      order: newestFirst,
      keys: providersOf(readDb, caller).$if(name !== undefined, (all) =>
        all.where('social_providers.name', '=', name ?? ''),
      ),
      table: 'social_providers',
      rows: providersOf(readDb, caller).select(wholeProvider()),
    },
    (row) => toSocialProvider(row, caller, callbackOf(config.baseUrl, row.id)),
  )
}

/** @throws ApiError `social_provider_not_found` */
export async function getSocialProvider(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  caller: Caller,
  id: string,
): Promise<Changed<SocialProvider>> {
  const row = await providersOf(db, caller)
    .where('social_providers.id', '=', id)
    .select(wholeProvider())
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('social_provider_not_found')
  return { record: toSocialProvider(row, caller, callbackOf(config.baseUrl, row.id)), version: row.version }
}

/**
 * Changes the given settings. A secret is kept only for the client that it was entered for.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `social_provider_not_found`, `precondition_failed`, and `invalid_parameters` naming what is wrong.
 */
export async function updateSocialProvider(
  deps: Deps,
  caller: Caller,
  id: string,
  input: SocialProviderChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<SocialProvider>> {
  await checkCustomIssuer(deps, input.issuer)
  return change(deps, caller.cause, async (trx) => {
    const row = await lockProvider(trx, caller, id, versions)
    const secret = secretOf(input)
    const isOtherClient = (['client_id', 'issuer', 'team_id', 'key_id'] as const).some(
      (name) => input[name] !== undefined && input[name] !== row[name],
    )
    await trx
      .updateTable('social_providers')
      .set({
        ...toChangedSettings(row.provider, input),
        ...(secret === undefined
          ? isOtherClient && { client_secret_sealed: null }
          : { client_secret_sealed: sealSecret(deps, caller, id, secret) }),
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(ofEnvironment(caller))
      .where('id', '=', id)
      .execute()
    return emitProvider(deps, trx, caller, 'social.provider.update.success', await getRow(trx, caller, id))
  })
}

/**
 * Deletes a social provider, and takes it from the organizations that name it where that is forced. What users are known by
 * there stays, for a provider of the same issuer.
 *
 * @throws ApiError `social_provider_not_found`, `social_provider_in_use`, `precondition_failed`
 */
export function deleteSocialProvider(
  deps: Deps,
  caller: Caller,
  { id, force = false }: ForcedDeletion & { readonly id: string },
  versions: readonly number[] | undefined,
): Promise<Changed<SocialProvider>> {
  return change(deps, caller.cause, async (trx) => {
    await lockAccountOf(trx, caller)
    const row = await lockProvider(trx, caller, id, versions)
    const used = await countRows(
      connectionsOf(trx, caller)
        .where('active', '=', true)
        .where(sql<boolean>`(providers is null or ${row.name} = any(providers))`),
    )
    if (used > 0 && !force)
      throw new ApiError('social_provider_in_use', { message: `Organizations use this provider: ${used}.` })
    await trx
      .updateTable('social_connections')
      .set({
        providers: sql`array_remove(providers, ${row.name})`,
        updated_at: deps.now(),
        version: sql`version + 1`,
      })
      .where(ofEnvironment(caller))
      .where(sql<boolean>`${row.name} = any(providers)`)
      .execute()
    await trx.deleteFrom('social_providers').where(ofEnvironment(caller)).where('id', '=', id).execute()
    return emitProvider(deps, trx, caller, 'social.provider.delete.success', row)
  })
}

type Owner = Pick<Caller, 'accountId' | 'environment'>

/** Every read of providers starts here. */
function providersOf(db: Kysely<DB>, { accountId, environment }: Owner) {
  return db
    .selectFrom('social_providers')
    .where(ofEnvironment({ accountId, environment }, 'social_providers'))
}

function connectionsOf(db: Kysely<DB>, { accountId, environment }: Owner) {
  return db.selectFrom('social_connections').where(ofEnvironment({ accountId, environment }))
}

/** Makes changes of the providers of an account wait for each other, so that their number and use stay as they were read. */
export async function lockAccountOf(
  trx: Transaction<DB>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<void> {
  await trx
    .selectFrom('accounts')
    .where('id', '=', accountId)
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow()
}

function wholeProvider() {
  return [...socialProviderColumns, isReady().as('is_ready')] as const
}

function getRow(trx: Transaction<DB>, caller: Caller, id: string): Promise<SocialProviderRow> {
  return providersOf(trx, caller)
    .where('social_providers.id', '=', id)
    .select(wholeProvider())
    .executeTakeFirstOrThrow()
}

/** @throws ApiError `social_provider_not_found`, `precondition_failed` */
async function lockProvider(
  trx: Transaction<DB>,
  caller: Caller,
  id: string,
  versions: readonly number[] | undefined,
): Promise<SocialProviderRow> {
  const rows = providersOf(trx, caller).where('social_providers.id', '=', id)
  const row = await rows
    .where(isOfVersion(versions))
    .select(wholeProvider())
    .forUpdate('social_providers')
    .executeTakeFirst()
  if (row !== undefined) return row
  throw await whyUnchanged(rows.select('social_providers.id'), 'social_provider_not_found')
}

/** Of apple its key, in the place of a secret. */
function secretOf({ client_secret: secret, private_key: key }: SocialProviderChanges): string | undefined {
  return secret ?? key
}

function sealSecret(
  { keys }: Pick<Deps, 'keys'>,
  { accountId, environment }: Owner,
  providerId: string,
  secret: string,
): Buffer {
  return seal(keys.master, socialSecretContext({ accountId, environment, providerId }), secret)
}

function asTaken(error: unknown): never {
  if (isUniqueViolation(error, 'social_providers_name_key'))
    throw new ApiError('social_provider_taken', { cause: error })
  throw error
}

/** Tells of a provider whose secret ends. */
export async function emitExpiry(
  deps: Pick<Deps, 'db' | 'now' | 'config'>,
  trx: Transaction<DB>,
  caller: Caller,
  id: string,
): Promise<Changed<SocialProvider>> {
  return emitProvider(deps, trx, caller, 'social.provider.expire.success', await getRow(trx, caller, id))
}

function emitProvider(
  deps: Pick<Deps, 'db' | 'now' | 'config'>,
  trx: Transaction<DB>,
  caller: Caller,
  code: `social.provider.${'create' | 'update' | 'delete' | 'expire'}.success`,
  row: SocialProviderRow,
): Promise<Changed<SocialProvider>> {
  const record = toSocialProvider(row, caller, callbackOf(deps.config.baseUrl, row.id))
  return emit(deps, trx, scopeOfAccount(caller), { code, record, version: row.version })
}
