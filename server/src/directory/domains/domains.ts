import {
  maxDomains,
  type Domain,
  type DomainChanges,
  type DomainQuery,
  type NewDomain,
} from '@portico/contract/domains'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { randomBase32 } from '../../platform/crypto/secret.js'
import { normalizeEmail } from '../../platform/email.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import { organizationIdOf, whyNotFound } from '../../platform/db/organization-id.js'
import { emptyPage, newestFirst, readPage, type Page } from '../../platform/db/page.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner, ofTenant, ownerColumns } from '../../platform/db/tenant-predicate.js'
import { isUniqueViolation } from '../../platform/db/violations.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { tokenLength } from './declare.js'
import { endSessionsWithoutSso } from './end-without-sso.js'
import { isProvedAtOnce, readDomainName } from './domain-name.js'
import { toDomain, type DomainRow } from './record.js'
import {
  domainsOf,
  getRow,
  lockDomain,
  toChanged,
  wholeDomain,
  type DomainPlace,
  type TenantKey,
} from './rows.js'
import { newStanding, waiting } from './states.js'

/**
 * Adds a domain to an organization. One that was not proved in time can be added again, with another token.
 *
 * @throws ApiError `organization_not_found`, `domain_taken`, `domains_exhausted`, and `invalid_parameters` with the code of
 *   readDomainName().
 */
export function createDomain(deps: Deps, tenant: Tenant, input: NewDomain): Promise<Changed<Domain>> {
  const { environment } = tenant
  const { declared: isDeclared = false, sso_exempt_emails: exempt = [] } = input
  const name = readDomainName(input.domain, { environment, isDeclared })
  const isProved = isProvedAtOnce(name, environment)
  const scope = withoutExemptions(tenant)
  return change(deps, tenant.cause, async (trx) => {
    const at = deps.now()
    const place = await lockOrganization(trx, tenant)
    await trx
      .deleteFrom('domains')
      .where(ofOwner(place))
      .where('domain', '=', name)
      .where(sql<boolean>`(state = 'expired' or (state = 'pending' and expires_at <= ${at}))`)
      .execute()
    const id = newId()
    const row = {
      ...ownerColumns(place),
      ...{ id, domain: name, token: randomBase32(tokenLength) },
      include_subdomains: input.include_subdomains ?? false,
      sso_required: input.sso_required ?? false,
      ...newStanding(at, { isDeclared, isProved }),
      ...{ version: 1, inserted_at: at, updated_at: at },
    }
    const inserted = await insertWhere(trx, 'domains', row, mayHaveMore(place))
      .returning('id')
      .executeTakeFirst()
      .catch(asDomainTaken)
    if (inserted === undefined) throw new ApiError('domains_exhausted')
    await replaceExemptions(deps, trx, place, id, exempt)
    const created = await getRow(trx, place, id)
    const changed = toChanged(deps, created, place)
    await emit(deps, trx, scope, { code: 'domain.domain.create.success', ...changed })
    if (created.sso_required) await endSessionsWithoutSso(deps, trx, place)
    return changed
  })
}

/**
 * The domains of an organization, newest first.
 *
 * @throws ApiError `organization_not_found`
 */
export async function listDomains(
  { readDb, config }: Pick<Deps, 'readDb' | 'config'>,
  tenant: Tenant,
  query: DomainQuery,
): Promise<Page<Domain>> {
  const { domain: name } = query
  const total = await countDomains(readDb, tenant, name)
  if (name === null) return emptyPage(query)
  const all = domainsOf(readDb, tenant).$if(name !== undefined, (some) =>
    some.where('domains.domain', '=', (name ?? '').toLowerCase()),
  )
  const place = { ...tenant, label: config.domainChallengeLabel }
  return readPage(
    {
      db: readDb,
      query,
      environment: tenant.environment,
      order: newestFirst,
      keys: all,
      table: 'domains',
      rows: domainsOf(readDb, tenant).select(wholeDomain()),
      total: () => Promise.resolve(total),
    },
    (row) => toDomain(row, place),
  )
}

/** @throws ApiError `organization_not_found`, `domain_not_found` */
export async function getDomain(
  deps: Pick<Deps, 'db' | 'config'>,
  tenant: Tenant,
  id: string,
): Promise<Changed<Domain>> {
  const row = await domainsOf(deps.db, tenant)
    .where('domains.id', '=', id)
    .select(wholeDomain())
    .executeTakeFirst()
  if (row === undefined) throw await whyNotFound(deps.db, tenant, 'domain_not_found')
  return toChanged(deps, row, tenant)
}

/**
 * Changes a domain. What the account declares counts at once; what it no longer does waits for a proof again.
 *
 * @throws ApiError `organization_not_found`, `domain_not_found`, `precondition_failed`
 */
export function updateDomain(
  deps: Deps,
  tenant: Tenant,
  { id, input }: { readonly id: string; readonly input: DomainChanges },
  versions: readonly number[] | undefined,
): Promise<Changed<Domain>> {
  const { include_subdomains, sso_required, declared, sso_exempt_emails: exempt } = input
  return change(deps, tenant.cause, async (trx) => {
    const at = deps.now()
    const before = await lockDomain(trx, tenant, id, versions)
    const place = { ...tenant, organizationId: before.organization_id }
    if (exempt !== undefined) await replaceExemptions(deps, trx, place, id, exempt)
    await trx
      .updateTable('domains')
      .set({
        ...(include_subdomains !== undefined && { include_subdomains }),
        ...(sso_required !== undefined && { sso_required }),
        ...(declared !== undefined && declaration(before, declared, at)),
        updated_at: at,
        version: sql`version + 1`,
      })
      .where(ofOwner(place))
      .where('id', '=', id)
      .execute()
    const after = await getRow(trx, place, id)
    if (after.sso_required) await endSessionsWithoutSso(deps, trx, place)
    const changed = toChanged(deps, after, place)
    return emit(deps, trx, withoutExemptions(tenant), { code: 'domain.domain.update.success', ...changed })
  })
}

/** The columns that a declaration changes. A proof is kept; a void token is not used again. */
function declaration(before: DomainRow, isDeclared: boolean, at: Date) {
  const isWaiting = isDeclared ? before.state !== 'verified' : before.state === 'declared'
  if (!isWaiting || before.declared === isDeclared) return { declared: isDeclared }
  const token = before.state === 'expired' ? { token: randomBase32(tokenLength) } : {}
  return { declared: isDeclared, ...token, ...waiting(at, isDeclared) }
}

/**
 * Deletes a domain: nothing is authoritative for its addresses any more.
 *
 * @throws ApiError `organization_not_found`, `domain_not_found`, `precondition_failed`
 */
export function deleteDomain(
  deps: Deps,
  tenant: Tenant,
  id: string,
  versions: readonly number[] | undefined,
): Promise<Changed<Domain>> {
  return change(deps, tenant.cause, async (trx) => {
    const row = await lockDomain(trx, tenant, id, versions)
    await trx.deleteFrom('domains').where(ofTenant(tenant)).where('id', '=', id).execute()
    const changed = toChanged(deps, row, tenant)
    return emit(deps, trx, tenant, { code: 'domain.domain.delete.success', ...changed })
  })
}

/** Concurrent creations of one organization wait for each other, so that the count still holds at the insert. */
async function lockOrganization(trx: Transaction<DB>, tenant: Tenant): Promise<DomainPlace> {
  const { accountId, environment, domain } = tenant
  const row = await trx
    .selectFrom('organizations')
    .where('account_id', '=', accountId)
    .where('id', '=', organizationIdOf(tenant))
    .select('id')
    .forNoKeyUpdate()
    .executeTakeFirst()
  if (row === undefined) throw new ApiError('organization_not_found')
  return { accountId, environment, domain, organizationId: row.id }
}

function mayHaveMore(place: DomainPlace) {
  return sql<boolean>`(select count(*) from domains where ${ofOwner(place)}) < ${maxDomains}`
}

function asDomainTaken(error: unknown): never {
  if (isUniqueViolation(error, 'domains_domain_key')) throw new ApiError('domain_taken', { cause: error })
  throw error
}

async function replaceExemptions(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, organizationId }: DomainPlace,
  domainId: string,
  emails: readonly string[],
): Promise<void> {
  const owner = { accountId, environment, organizationId }
  await trx.deleteFrom('domain_exemptions').where(ofOwner(owner)).where('domain_id', '=', domainId).execute()
  const byAddress = new Map(emails.map((email) => [normalizeEmail(email), email]))
  if (byAddress.size === 0) return
  const rows = [...byAddress].map(([normalized, email]) => ({
    ...ownerColumns(owner),
    ...{ domain_id: domainId, email, email_normalized: normalized, inserted_at: now() },
  }))
  await trx.insertInto('domain_exemptions').values(rows).execute()
}

/** The tenant with a cause that does not echo the addresses of persons. */
function withoutExemptions(tenant: Tenant): Tenant {
  const { cause } = tenant
  const params = () => {
    const { sso_exempt_emails: _, ...told } = cause.params()
    return told
  }
  return { ...tenant, cause: { ...cause, params } }
}

/** @throws ApiError `organization_not_found` */
async function countDomains(
  db: Kysely<DB>,
  tenant: TenantKey,
  name: string | null | undefined,
): Promise<number> {
  const { rows } = await sql<{ organization_id: string | null; total: string }>`
    select ${organizationIdOf(tenant)} as organization_id, (
      select count(*) from domains
      where ${ofTenant(tenant, 'domains')}
        and (${name ?? null}::text is null or domains.domain = lower(${name ?? null}::text))
    ) as total`.execute(db)
  const [row] = rows
  if (row === undefined || row.organization_id === null) throw new ApiError('organization_not_found')
  return Number(row.total)
}
