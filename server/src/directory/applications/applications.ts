import {
  applicationOrders,
  type Application,
  type ApplicationChanges,
  type ApplicationQuery,
  type DeletedApplication,
  type NewApplication,
} from '@portico/contract/applications'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { organizationExists, organizationIdOf, whyNotFound } from '../../platform/db/organization-id.js'
import { orderOf, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { totalInAccount, totalInOrganization } from '../../platform/db/totals.js'
import { isOfVersion } from '../../platform/db/versions.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { create, createIn, creation } from '../../delivery/events/create.js'
import { emit } from '../../delivery/events/emit.js'
import { endUnusableSessions } from '../end-sessions.js'
import type { Tenant } from '../../platform/tenant.js'
import {
  insertApplicationIf,
  knownColumns,
  type ApplicationInsertion,
  type Place,
} from './insert-application.js'
import { areWantedElsewhere, enqueueKeys, keysOf, prepareKeys } from './application-keys.js'
import { checkClientSettings, initialAlgorithmOf, settleClientSettings } from './client-settings.js'
import { mergeChanges } from './merge-changes.js'
import { applicationColumns, toApplication, toDeletedApplication, type ApplicationRow } from './record.js'
import { checkLogoutUri } from './logout-uri.js'
import { checkApplicationUrls, chooseRedirect, settleDefaults } from './redirects.js'
import { isForOrganization } from '../usable.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'

const defaultTokenLifetimeSeconds = 3600

/**
 * Registers an application, for the whole account or for one organization.
 *
 * @throws ApiError `organization_not_found`, `invalid_parameters`, and `key_limited_to_organizations` when such a key
 *   would register it for the whole account.
 */
export async function createApplication(
  deps: Deps,
  tenant: Tenant,
  input: NewApplication,
): Promise<Changed<Application>> {
  const { organization_domain_scope: scope = null, allowed_web_origins = [], ...members } = input
  const lists = { ...members, allowed_web_origins }
  const settled = {
    ...lists,
    ...settleDefaults(lists, input),
    ...settleClientSettings(input),
    code_exchange: input.code_exchange ?? 'open',
    permission_prefixes: input.permission_prefixes ?? null,
    initiate_login_uri: input.initiate_login_uri ?? null,
    passkey_rp_id: input.passkey_rp_id ?? null,
  }
  checkApplicationUrls(settled, tenant.environment)
  checkLogoutUri(deps, input)
  checkClientSettings(settled, input, deps.config.outbound)
  const algorithm = initialAlgorithmOf(input)
  const keys = { scope, algorithm }
  await prepareKeys(deps, tenant, keys)
  const { accountId, environment, domain, organizationIds } = tenant
  const parameters = {
    ...{ accountId, environment, domain, organizationIds },
    ...settled,
    id: newId(),
    description: input.description ?? null,
    organization_domain_scope: scope,
    access_token_lifetime_in_seconds: input.access_token_lifetime_in_seconds ?? defaultTokenLifetimeSeconds,
    token_signing_alg: algorithm,
    backchannel_logout_uri: input.backchannel_logout_uri ?? null,
    backchannel_logout_session_required: input.backchannel_logout_session_required ?? true,
    at: deps.now(),
  }
  const row = { ...knownColumns(parameters), organization_domain_scope: scope }
  const { place, emission } = eventOf(tenant, 'application.application.create.success', row)
  const insert = scope === null ? insertForAccount : insertForOrganization
  const application = { insert, parameters, emission }
  if (!areWantedElsewhere(keys))
    return create(deps, place, application, (db) => whyNotScoped(db, tenant, scope))
  return change(deps, tenant.cause, async (trx) => {
    const created = await createIn(deps, trx, place, application)
    if (created === undefined) throw await whyNotScoped(trx, tenant, scope)
    await enqueueKeys(deps, trx, tenant, keys)
    return created
  })
}

const insertForAccount = creation((db, application: ApplicationInsertion) =>
  insertApplicationIf(db, application, scopeIdOf(application, null), mayScope(application, null)),
)

const insertForOrganization = creation((db, application: ApplicationInsertion) => {
  const { organization_domain_scope: scope } = application
  return insertApplicationIf(db, application, scopeIdOf(application, scope), mayScope(application, scope))
})

/**
 * The applications that the organization can use: those of the whole account, and its own.
 *
 * @throws ApiError `organization_not_found`
 */
export async function listApplications(
  { readDb }: Pick<Deps, 'readDb'>,
  tenant: Tenant,
  query: ApplicationQuery,
): Promise<Page<Application>> {
  return readPage(
    {
      db: readDb,
      query,
      environment: tenant.environment,
      order: orderOf(query.sort, applicationOrders),
      keys: applicationsOf(readDb, tenant),
      table: 'applications',
      rows: applicationsOf(readDb, tenant).select(wholeApplication()),
      total: async () => {
        const [own, shared] = await Promise.all([
          totalInOrganization(readDb, 'applications', tenant),
          totalInAccount(readDb, 'applications', tenant),
        ])
        return own + shared
      },
    },
    (row) => toApplication(row, tenant),
  )
}

/**
 * An application that the organization can use, or the remaining record of a deleted one.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`
 */
export async function getApplication(
  { db }: Pick<Deps, 'db'>,
  tenant: Tenant,
  id: string,
): Promise<Changed<Application | DeletedApplication>> {
  const row = await everyApplicationOf(db, tenant)
    .where('applications.id', '=', id)
    .select(wholeApplication())
    .executeTakeFirst()
  if (row === undefined) throw await whyNotFound(db, tenant, 'application_not_found')
  if (row.deleted_at !== null) return { record: toDeletedApplication(row) }
  return { record: toApplication(row, tenant), version: row.version }
}

/**
 * Changes the given members of an application. The result is checked as a whole: a new type can make an allowed URL a
 * fault. Where the scope narrows, sessions in other organizations end.
 *
 * @param versions The versions the change may happen to; undefined: any.
 * @throws ApiError `organization_not_found`, `application_not_found`, `invalid_parameters`, `precondition_failed`, and
 *   `key_limited_to_organizations` when it is of the whole account, or would be, and the key is not.
 */
export async function updateApplication(
  deps: Deps,
  tenant: Tenant,
  id: string,
  input: ApplicationChanges,
  versions: readonly number[] | undefined,
): Promise<Changed<Application>> {
  checkLogoutUri(deps, input)
  const { token_signing_alg, organization_domain_scope } = input
  if (token_signing_alg !== undefined || organization_domain_scope !== undefined) {
    const before = await applicationsOf(deps.db, tenant)
      .where('applications.id', '=', id)
      .select(wholeApplication())
      .executeTakeFirst()
    if (before !== undefined) await prepareKeys(deps, tenant, keysOf(mergeChanges(before, input)))
  }
  return change(deps, tenant.cause, async (trx) => {
    const current = await lockApplication(trx, tenant, id, versions)
    const { organization_domain_scope: scope, ...members } = mergeChanges(current, input)
    checkApplicationUrls(members, tenant.environment)
    checkClientSettings(members, input, deps.config.outbound)

    const row = await updateApplicationRow(trx, tenant, id)
      .set({ ...members, organization_id: scopeIdOf(tenant, scope), updated_at: deps.now() })
      .where(mayScope(tenant, scope))
      .returning(wholeApplication())
      .executeTakeFirst()
    if (row === undefined) throw await whyNotScoped(trx, tenant, scope)
    if (!areWantedElsewhere(keysOf(current))) await enqueueKeys(deps, trx, tenant, keysOf(row))
    if (row.organization_id !== current.organization_id) await endUnusableSessions(deps, trx, tenant, id)
    return emitApplication(deps, trx, tenant, 'application.application.update.success', row)
  })
}

/**
 * Deletes an application; its sessions end, and codes of an ended session are never exchanged.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`, `precondition_failed`, and
 *   `key_limited_to_organizations` when it is of the whole account and the key is not.
 */
export function deleteApplication(
  deps: Deps,
  tenant: Tenant,
  id: string,
  versions: readonly number[] | undefined,
): Promise<Changed<Application>> {
  return change(deps, tenant.cause, async (trx) => {
    await lockApplication(trx, tenant, id, versions)
    const row = await updateApplicationRow(trx, tenant, id)
      .set({ deleted_at: deps.now() })
      .returning(wholeApplication())
      .executeTakeFirstOrThrow()
    await endUnusableSessions(deps, trx, tenant, id)
    return emitApplication(deps, trx, tenant, 'application.application.delete.success', row)
  })
}

interface RequestedApplication {
  readonly applicationId?: string | undefined
  readonly redirectUri?: string | undefined
}

/** The application of a code, and its redirect URI. */
interface ApplicationForSignIn {
  readonly application: ApplicationRow
  readonly redirectUri: string
}

/**
 * The application of a sign-in to the organization: the named one, else the oldest that allows the redirect URI, else
 * the oldest with a default redirect. A redirect URI that it does not allow is replaced by its default.
 *
 * @throws ApiError `organization_not_found`, `application_not_found` when the one named is not usable here, and
 *   `no_application` when none can receive a code.
 */
export async function findApplicationForSignIn(
  db: Kysely<DB>,
  tenant: Place,
  { applicationId, redirectUri }: RequestedApplication,
): Promise<ApplicationForSignIn> {
  // The first row is the one that chooseRedirect() would take of all; it need not see the others.
  const candidates = await applicationsOf(db, tenant)
    .$if(applicationId !== undefined, (query) => query.where('applications.id', '=', applicationId ?? ''))
    .select(wholeApplication())
    .orderBy(
      sql`coalesce(${redirectUri ?? null}::text = any(applications.allowed_redirect_urls), false)`,
      'desc',
    )
    .orderBy(sql`applications.default_redirect_uri_after_login is null`)
    .orderBy('applications.inserted_at')
    .orderBy('applications.id')
    .limit(1)
    .execute()
  const chosen = chooseRedirect(candidates, redirectUri)
  if (chosen !== undefined) return chosen
  const isMissing = applicationId !== undefined && candidates.length === 0
  throw await whyNotFound(db, tenant, isMissing ? 'application_not_found' : 'no_application')
}

/**
 * Refuses an application that the organization cannot use.
 *
 * @throws ApiError `application_not_found`, `organization_not_found`
 */
export async function checkUsable(db: Kysely<DB>, tenant: Place, id: string): Promise<void> {
  const row = await applicationsOf(db, tenant)
    .where('applications.id', '=', id)
    .select('applications.id')
    .executeTakeFirst()
  if (row === undefined) throw await whyNotFound(db, tenant, 'application_not_found')
}

/** Every read of applications starts here: those usable by the organization, and no row for an unknown organization. */
function applicationsOf(db: Kysely<DB>, tenant: Place) {
  return everyApplicationOf(db, tenant).where('applications.deleted_at', 'is', null)
}

/** The same with deleted ones, but for the client of the account page (account-page-client.ts). */
function everyApplicationOf(db: Kysely<DB>, tenant: Place) {
  return db
    .selectFrom('applications')
    .where(ofEnvironment(tenant, 'applications'))
    .where(isInReach(tenant))
    .where(sql<boolean>`applications.deleted_at is distinct from 'infinity'`)
}

/** Whether the organization exists, and the row's application is offered to it. */
function isInReach(tenant: Place) {
  const organizationId = organizationIdOf(tenant)
  return sql<boolean>`(${organizationId} is not null and ${isForOrganization(organizationId)})`
}

/**
 * Locks an application for a change, if it has the version and the caller may change its scope.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`, `key_limited_to_organizations`, `precondition_failed`
 */
export async function lockApplication(
  trx: Transaction<DB>,
  tenant: Tenant,
  id: string,
  versions: readonly number[] | undefined,
): Promise<ApplicationRow> {
  const row = await applicationsOf(trx, tenant)
    .where('applications.id', '=', id)
    .$if(tenant.organizationIds !== null, (query) =>
      query.where('applications.organization_id', 'is not', null),
    )
    .where(isOfVersion(versions))
    .select(wholeApplication())
    .forUpdate()
    .executeTakeFirst()
  if (row === undefined) throw await whyApplicationUnchanged(trx, tenant, id)
  return row
}

function updateApplicationRow(trx: Transaction<DB>, tenant: Tenant, id: string) {
  return trx
    .updateTable('applications')
    .set({ version: sql`version + 1` })
    .where(ofEnvironment(tenant))
    .where(isInReach(tenant))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
}

/** The id of the organization that an application is restricted to; null for the whole account. */
function scopeIdOf({ accountId, organizationIds }: Place, scope: string | null): RawBuilder<string> {
  return scope === null
    ? sql<string>`null::uuid`
    : organizationIdOf({ accountId, organizationIds, domain: scope })
}

/** The columns of an application, with the domain of the organization that it is restricted to. */
export function wholeApplication() {
  const scopeDomain = sql<string | null>`(
    select scope.domain from organizations scope
    where scope.account_id = applications.account_id and scope.id = applications.organization_id
  )`
  return [...applicationColumns, scopeDomain.as('organization_domain_scope')] as const
}

/** Whether the tenant's organization exists, and the key may give an application this scope. */
function mayScope(tenant: Place, scope: string | null): RawBuilder<boolean> {
  const isOpen =
    scope === null
      ? sql`${tenant.organizationIds}::uuid[] is null`
      : sql`${scopeIdOf(tenant, scope)} is not null`
  return sql<boolean>`(${organizationIdOf(tenant)} is not null and ${isOpen})`
}

async function whyNotScoped(db: Kysely<DB>, tenant: Tenant, scope: string | null): Promise<ApiError> {
  if (!(await organizationExists(db, tenant))) return new ApiError('organization_not_found')
  if (scope === null) return new ApiError('key_limited_to_organizations')
  return invalid(
    'organization_domain_scope',
    'unknown',
    'must be the domain of an organization of the account',
  )
}

async function whyApplicationUnchanged(db: Kysely<DB>, tenant: Tenant, id: string): Promise<ApiError> {
  const row = await applicationsOf(db, tenant)
    .where('applications.id', '=', id)
    .select('applications.organization_id')
    .executeTakeFirst()
  if (row === undefined) return whyNotFound(db, tenant, 'application_not_found')
  const isOutOfReach = tenant.organizationIds !== null && row.organization_id === null
  return new ApiError(isOutOfReach ? 'key_limited_to_organizations' : 'precondition_failed')
}

function emitApplication(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  code: ApplicationCode,
  row: ApplicationRow,
): Promise<Changed<Application>> {
  const { place, emission } = eventOf(tenant, code, row)
  return emit(deps, trx, place, { ...emission, organizationId: row.organization_id ?? undefined })
}

type ApplicationCode = `application.application.${'create' | 'update' | 'delete'}.success`

/** An event of an application for the whole account belongs to the account, and to no organization. */
function eventOf<Code extends ApplicationCode>(
  tenant: Tenant,
  code: Code,
  row: Omit<ApplicationRow, 'organization_id' | 'deleted_at'>,
) {
  const record = toApplication(row, tenant)
  return {
    place: { ...tenant, domain: record.__domain__ },
    emission: { code, record, version: row.version },
  }
}
