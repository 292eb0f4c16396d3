import type { SsoCheck } from '@portico/contract/sso-checks'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { passHeldFlow, type HeldFlow } from '../../sign-in/flows/hold.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { emitConnection } from '../connections/whole-connection.js'
import type { Tenant } from '../../platform/tenant.js'
import { admit } from './admission.js'
import type { Vouched } from './asserted-identity.js'
import { demand, type CheckList } from './demand.js'
import { isDestinationAllowed, type Destination } from './destination.js'
import type { LiveConnection } from './live-connection.js'
import { writeUser, type AdmittedUser } from './sign-in-user.js'
import type { TraceEnd } from './traces.js'

/** What an identity provider has proved of a user, and the connection, as it is held, by which they come. */
export interface ProvedSignIn {
  readonly live: LiveConnection
  readonly tenant: Tenant
  readonly vouched: Vouched
  readonly checks: CheckList
}

/**
 * Lets the user in who may go there; nothing of a flow is written yet.
 *
 * @throws CheckRefused
 */
export async function letIn(
  deps: Deps,
  trx: Transaction<DB>,
  proved: ProvedSignIn,
  destination: Destination | undefined,
): Promise<{ readonly user: AdmittedUser; readonly destination: Destination }> {
  const { live, tenant, vouched, checks } = proved
  demand(checks, 'connection_active', live.active)
  const admission = await admit(trx, live, tenant, proved)
  const allowed = await demandDestination(trx, proved, destination)
  const user = await writeUser(deps, trx, live, tenant, { ...admission, vouched, checks })
  return { user, destination: allowed }
}

/** @throws CheckRefused where the application is gone, or does not allow the address any more. */
export async function demandDestination(
  trx: Transaction<DB>,
  { live, checks }: Pick<ProvedSignIn, 'live' | 'checks'>,
  destination: Destination | undefined,
): Promise<Destination> {
  const isAllowed = destination !== undefined && (await isDestinationAllowed(trx, live, destination))
  demand(checks, 'destination_application', isAllowed, {
    received: destination?.redirectUri ?? 'the connection has no default redirection',
  })
  return destination
}

/** Takes a held flow past its first factor, for a user who was let in. */
export async function passFlow(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, vouched }: ProvedSignIn,
  { held, user }: { readonly held: HeldFlow; readonly user: AdmittedUser },
): Promise<void> {
  await passHeldFlow(deps, trx, held, {
    tenant,
    userId: user.userId,
    amr: vouched.amr,
    authenticatedAt: vouched.identity.authenticatedAt,
    identityId: user.identityId,
  })
}

/**
 * The first sign-in or test that the metadata in use have proved, or that went by the client in use, shows that the
 * connection works.
 *
 * @param version Of the metadata, or of the client.
 */
export async function noteTested(
  deps: Deps,
  trx: Transaction<DB>,
  { live, tenant }: Pick<ProvedSignIn, 'live' | 'tenant'>,
  version: number,
): Promise<void> {
  if (live.state === 'tested') return
  const versions = live.protocol === 'saml' ? 'sso_metadata_versions' : 'sso_oidc_clients'
  const tested = await trx
    .updateTable('sso_connections as connection')
    .set({ state: 'tested', updated_at: deps.now(), version: sql`connection.version + 1` })
    .where('connection.account_id', '=', live.accountId)
    .where('connection.environment', '=', live.environment)
    .where('connection.organization_id', '=', live.organizationId)
    .where('connection.id', '=', live.connectionId)
    .where('connection.state', '<>', 'tested')
    .where(
      sql<boolean>`exists (
        select from ${sql.table(versions)} as stored
        where stored.account_id = connection.account_id
          and stored.environment = connection.environment
          and stored.organization_id = connection.organization_id
          and stored.connection_id = connection.id
          and stored.version = ${version}
          and stored.is_current
      )`,
    )
    .returning('connection.id')
    .executeTakeFirst()
  if (tested !== undefined)
    await emitConnection(deps, trx, tenant.cause, live, 'sso.connection.update.success')
}

/** How a sign-in ended, as the log of the account has it. */
interface LoggedEnd {
  readonly kind: TraceEnd['kind']
  readonly user?: AdmittedUser | undefined
  readonly clientId?: string | undefined
  /** As it was asserted; null where none was, or nothing was proved. */
  readonly email: string | null
  /** The check that has refused it; or no more of its network are taken. */
  readonly failed: SsoCheck | 'rate_limited' | undefined
  readonly requestId: string
}

const endCodes = {
  saml: { success: 'SSO_END_USER_SAML_SUCCESS', failed: 'SSO_END_USER_SAML_FAILED' },
  oidc: { success: 'SSO_END_USER_OIDC_SUCCESS', failed: 'SSO_END_USER_OIDC_FAILED' },
} as const

/** Tells the account how a sign-in, or a test, has ended. */
export async function logEnd(
  deps: Pick<Deps, 'now' | 'metrics'>,
  db: Kysely<DB>,
  live: LiveConnection,
  { kind, user, clientId, email, failed, requestId }: LoggedEnd,
): Promise<void> {
  await logEvent(deps, db, {
    accountId: live.accountId,
    environment: live.environment,
    organizationId: live.organizationId,
    domain: live.domain,
    code:
      kind === 'test'
        ? 'ADMIN_ONBOARDING_TESTED'
        : endCodes[live.protocol][failed === undefined ? 'success' : 'failed'],
    clientId: clientId ?? null,
    email: user?.email ?? email,
    userId: user?.userId ?? null,
    reason: failed ?? null,
    idpId: live.idpId,
    requestId,
  })
}
