import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { eraseStoredAnswers } from '../../delivery/events/idempotency.js'
import { emitOnboarding } from '../connections/onboarding.js'
import type { Cause } from '../../platform/tenant.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/** The jobs whose mails go to administrators. */
const adminMailJobs = [
  'send_admin_invitation',
  'send_admin_code',
  'send_metadata_notice',
  'send_domain_notice',
  'send_join_request_notice',
]

/** An administrator to erase. */
interface AdminToErase {
  readonly accountId: string
  readonly organizationId: string
  readonly adminId: string
  /** Normalized. */
  readonly email: string
  /** Of the organization. */
  readonly domain: string
  /** The environments to erase in: a sandbox key does not reach production. */
  readonly environments: readonly Environment[]
  readonly cause: Cause
}

/**
 * Erases the address of an administrator from the onboardings, events, log events, mails, answers and tests of an
 * organization. Data about a user with the same address is the user's, and stays.
 */
export async function eraseAdmin(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  admin: AdminToErase,
): Promise<void> {
  await eraseEvents(trx, admin)
  await leaveOnboardings(deps, trx, admin)
  await eraseLogAndMail(trx, admin)
  for (const environment of admin.environments)
    await eraseStoredAnswers(trx, { accountId: admin.accountId, environment }, { subjectId: admin.adminId })
}

/** The onboardings stay without an administrator until they get another one. */
async function leaveOnboardings(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { accountId, organizationId, email, domain, environments, cause }: AdminToErase,
): Promise<void> {
  const left = await trx
    .updateTable('sso_onboardings')
    .set({ sso_admin_email: null, updated_at: deps.now(), version: sql`version + 1` })
    .where(ofOrganization({ accountId, organizationId }))
    .where('environment', 'in', environments)
    .where(sql<boolean>`lower(normalize(sso_admin_email, NFKC)) = ${email}`)
    .returning(['environment', 'connection_id'])
    .execute()
  for (const { environment, connection_id: connectionId } of left) {
    // A check of the table allows nothing else.
    const key = { accountId, organizationId, environment: environment as Environment, connectionId }
    await emitOnboarding(deps, trx, cause, { ...key, domain }, 'sso.onboarding.update.success')
  }
}

/** Deletes events about the administrator with their deliveries, and removes the address from those about connections. */
async function eraseEvents(
  trx: Transaction<DB>,
  { accountId, organizationId, email, environments }: AdminToErase,
): Promise<void> {
  const carries = sql`account_id = ${accountId}
    and organization_id = ${organizationId}
    and environment = any(${environments}::text[])
    and email_normalized = ${email}`
  await sql`delete from events where ${carries} and code like 'admin.%'`.execute(trx)
  // A receiver may have echoed what it was sent.
  await sql`
    with told as (
      update events set
        data = case
          when data ? 'sso_admin_email' then jsonb_set(data, '{sso_admin_email}', 'null')
          when data->'onboarding' ? 'sso_admin_email' then jsonb_set(data, '{onboarding,sso_admin_email}', 'null')
          else data
        end,
        params = '{}',
        email_normalized = null
      where ${carries} and code like any(array['sso.connection.%', 'sso.onboarding.%', 'sso.certificate.%'])
      returning account_id, environment, id
    )
    update webhook_attempts set answer = null
    from told
    where webhook_attempts.account_id = told.account_id
      and webhook_attempts.environment = told.environment
      and webhook_attempts.delivery_id = told.id`.execute(trx)
}

async function eraseLogAndMail(
  trx: Transaction<DB>,
  { accountId, organizationId, email, environments }: AdminToErase,
): Promise<void> {
  const isTheirs = sql`account_id = ${accountId}
    and organization_id = ${organizationId}
    and environment = any(${environments}::text[])
    and email_normalized = ${email}`
  await sql`
    update log_events set email = null, email_normalized = null
    where ${isTheirs} and event_code like 'ADMIN_%'`.execute(trx)
  await sql`
    delete from sso_login_traces
    where account_id = ${accountId}
      and organization_id = ${organizationId}
      and environment = any(${environments}::text[])
      and kind = 'test'
      and (email_normalized = ${email} or lower(normalize(name_id, NFKC)) = ${email})`.execute(trx)
  // Mails do not record their purpose. Where a user has the address they may be the user's, and are erased with that user.
  await sql`
    delete from outbox_messages
    where ${isTheirs} and environment not in (
      select environment from users where ${isTheirs} and deleted_at is null
      union all
      select environment from users where ${isTheirs} and deleted_at is not null
    )`.execute(trx)
  await sql`
    update jobs set last_error = null
    where account_id = ${accountId}
      and name = any(${adminMailJobs}::text[])
      and payload->>'organizationId' = ${organizationId}
      and strpos(lower(last_error), ${email}) > 0`.execute(trx)
}
