import type { Domain, DomainResult } from '@portico/contract/domains'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { causeBy, type Cause, type Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { limit } from '../../delivery/limits/limits.js'
import { isProvedAtOnce } from './domain-name.js'
import { getDomain } from './domains.js'
import { recordName, recordValue, toStanding, tokenOf, type DomainRow } from './record.js'
import { getRow, lockDomain, toChanged, wholeDomain, type DomainPlace } from './rows.js'
import { afterCheck, resultOf, type DomainNews } from './states.js'
import { reportCheck } from './told.js'

/** Checks by hand of one domain. */
const checksAtOnce = limit('domain-check-now', { windowSeconds: 30, most: () => 1 })
const checksPerHour = limit('domain-check', { windowSeconds: 60 * 60, most: () => 10 })

/** How many domains are looked up before the next ones are read. */
const batchSize = 50
/** How long a worker has for the domains it has claimed; a worker that died leaves them to the next. */
const leaseMs = 15 * 60_000

type CheckDeps = Pick<Deps, 'config' | 'db' | 'keys' | 'now' | 'metrics' | 'outbound'>

/**
 * Looks the record of a domain up now.
 *
 * @throws ApiError `organization_not_found`, `domain_not_found`, and `rate_limited`: once in 30 seconds, ten times an hour.
 */
export async function checkDomain(deps: Deps, tenant: Tenant, id: string): Promise<Changed<Domain>> {
  const { record } = await getDomain(deps, tenant, id)
  const { domain: name, state: before } = record
  const key = { ...tenant, address: id }
  await deps.limits.take(checksAtOnce, key)
  const limited = await deps.limits.take(checksPerHour, key)
  const token = tokenOf(record)
  const result = await lookUp(deps, tenant, { name, state: before, token })
  return change(deps, tenant.cause, async (trx) => {
    const row = await lockDomain(trx, tenant, id)
    const place = { ...tenant, organizationId: row.organization_id }
    const told = await settle(deps, trx, place, { row, result })
    const changed = toChanged(deps, told.row, tenant)
    await emit(deps, trx, tenant, { code: 'domain.domain.update.success', ...changed })
    if (told.news !== undefined) await reportCheck(deps, trx, place, { row: told.row, news: told.news })
    return { ...changed, limit: limited }
  })
}

/** Checks the domains that are due, each once, whatever the number of workers. */
export async function checkDueDomains(deps: CheckDeps): Promise<void> {
  const cause = causeBy(newId(), 'system', 'domain_checks')
  for (;;) {
    const due = await claimDue(deps.db, deps.now())
    await Promise.all(due.map((domain) => checkDue(deps, cause, domain)))
    if (due.length < batchSize) return
  }
}

async function checkDue(deps: CheckDeps, cause: Cause, { id, token, ...place }: DueDomain): Promise<void> {
  const result = await lookUp(deps, place, { ...place, token })
  await change(deps, cause, async (trx) => {
    const row = await lockDue(trx, place, { id, token })
    // Deleted, proved or declared meanwhile.
    if (row === undefined) return { record: undefined }
    const told = await settle(deps, trx, place, { row, result })
    if (told.news !== undefined)
      await reportCheck(deps, trx, { ...place, cause }, { row: told.row, news: told.news })
    return { record: undefined }
  })
}

/** What name servers say; undefined of a token that is void. */
async function lookUp(
  { config, outbound }: Pick<Deps, 'config' | 'outbound'>,
  { accountId, environment }: Pick<DomainPlace, 'accountId' | 'environment'>,
  row: { readonly name: string; readonly state: string; readonly token: string },
): Promise<DomainResult | undefined> {
  if (row.state === 'expired') return undefined
  if (isProvedAtOnce(row.name, environment)) return 'matched'
  const asked = recordName({ domain: row.name }, config.domainChallengeLabel)
  return resultOf(await outbound.readTxt(asked, accountId), recordValue(row))
}

interface SettledCheck {
  /** Locked. */
  readonly row: DomainRow
  readonly result: DomainResult | undefined
}

/** Stores what a check has found. */
async function settle(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, environment, organizationId, domain }: DomainPlace,
  { row, result }: SettledCheck,
): Promise<{ readonly row: DomainRow; readonly news?: DomainNews }> {
  if (result === undefined) return { row }
  const { standing, news } = afterCheck(toStanding(row), result, now())
  const place = { accountId, environment, organizationId, domain }
  await trx
    .updateTable('domains')
    .set({ ...standing, version: sql`version + 1` })
    .where(ofOwner(place))
    .where('id', '=', row.id)
    .execute()
  return { row: await getRow(trx, place, row.id), ...(news !== undefined && { news }) }
}

interface DueDomain extends DomainPlace {
  readonly id: string
  /** Of the domain that is checked. */
  readonly name: string
  readonly state: string
  readonly token: string
}

/** The domains whose check is due, put off for as long as a worker has for them. */
async function claimDue(db: Kysely<DB>, at: Date): Promise<DueDomain[]> {
  const { rows } = await sql<DueDomain>`
    update domains set next_check_at = ${new Date(at.getTime() + leaseMs)}
    from organizations
    where organizations.account_id = domains.account_id
      and organizations.id = domains.organization_id
      and (domains.account_id, domains.environment, domains.organization_id, domains.id) in (
        select due.account_id, due.environment, due.organization_id, due.id
        from domains as due
        join organizations as its on its.account_id = due.account_id and its.id = due.organization_id
          and its.deleted_at is null
        where due.next_check_at <= ${at}
        order by due.next_check_at limit ${batchSize}
        for update of due skip locked
      )
    returning domains.account_id as "accountId", domains.environment, domains.organization_id as "organizationId",
      organizations.domain, domains.id, domains.domain as name, domains.state, domains.token`.execute(db)
  return rows
}

/** The row of a claimed domain, locked, unless it has another token by now, or no check any more. */
function lockDue(
  trx: Transaction<DB>,
  place: DomainPlace,
  { id, token }: Pick<DueDomain, 'id' | 'token'>,
): Promise<DomainRow | undefined> {
  const { accountId, environment, organizationId } = place
  return trx
    .selectFrom('domains')
    .where(ofOwner({ accountId, environment, organizationId }, 'domains'))
    .where('domains.id', '=', id)
    .where('domains.token', '=', token)
    .where('domains.next_check_at', 'is not', null)
    .select(wholeDomain())
    .forUpdate('domains')
    .executeTakeFirst()
}
