import type { Environment } from '@portico/contract/fields'
import type { OnboardingState, Protocol, ProviderType } from '@portico/contract/sso-onboarding'
import type { SsoConnectionState } from '@portico/contract/sso-records'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { isConnection, type ConnectionKey } from '../connections/connection-key.js'
import { isSetUp } from '../connections/protocol.js'
import type { AdminSession } from '../admins/admin-session.js'
import { ofOrganization, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A connection that an administrator may set up, and its progress. */
export interface OnboardingConnection extends ConnectionKey {
  /** Domain of the organization. */
  readonly domain: string
  readonly idpId: string
  readonly isActive: boolean
  readonly connectionState: SsoConnectionState
  readonly state: OnboardingState
  /** Null before one is chosen. */
  readonly providerType: ProviderType | null
  /** From 0. */
  readonly tutorialStep: number
  readonly protocol: Protocol
  /** It has metadata or a client, so that its protocol stays. */
  readonly isSetUp: boolean
  /** The version of the metadata, or of the client, that was uploaded here; null before. */
  readonly uploadedVersion: number | null
  /** The version against which users sign in; null without one. */
  readonly currentVersion: number | null
}

/**
 * Locks the row of a connection first, as changes through the API do, so that two changes of it and its onboarding cannot
 * deadlock.
 */
export async function lockConnectionRow(trx: Transaction<DB>, key: ConnectionKey): Promise<void> {
  await trx.selectFrom('sso_connections').where(isConnection(key)).select('id').forNoKeyUpdate().execute()
}

/** The environments that an invitation reaches: readers of a sandbox's mails must not reach production. */
export const reachOf = { sandbox: ['sandbox'], production: ['sandbox', 'production'] } as const

/** More than an organization has; the page has no pagination. */
const maxConnections = 100

/** The connections that an administrator's invitation is for, production first. */
export async function listConnections(
  { db }: Pick<Deps, 'db'>,
  session: AdminSession,
): Promise<OnboardingConnection[]> {
  const rows = await openConnections(db, session)
    .orderBy('sso_connections.environment')
    .orderBy('sso_connections.inserted_at')
    .limit(maxConnections)
    .execute()
  return rows.map((row) => toConnection(row, session))
}

/** One of them; undefined when it does not exist, or the invitation is for another one. */
export async function findConnection(
  { db }: Pick<Deps, 'db'>,
  session: AdminSession,
  idpId: string,
): Promise<OnboardingConnection | undefined> {
  const row = await openConnections(db, session)
    .where('sso_connections.idp_id', '=', idpId)
    .executeTakeFirst()
  return row === undefined ? undefined : toConnection(row, session)
}

/** Every read starts here: the one connection of the invitation, or those of the environments that it reaches. */
function openConnections(db: Kysely<DB>, session: AdminSession) {
  const { accountId, organizationId, environment, connection } = session
  return db
    .selectFrom('sso_connections')
    .leftJoin('sso_onboardings as onboarding', (join) =>
      join
        .on(sameTenant('onboarding', 'sso_connections'))
        .onRef('onboarding.connection_id', '=', 'sso_connections.id'),
    )
    .leftJoin('sso_metadata_versions as metadata', (join) =>
      join
        .on(sameTenant('metadata', 'sso_connections'))
        .onRef('metadata.connection_id', '=', 'sso_connections.id')
        .on('metadata.is_current', '=', true),
    )
    .leftJoin('sso_oidc_clients as client', (join) =>
      join
        .on(sameTenant('client', 'sso_connections'))
        .onRef('client.connection_id', '=', 'sso_connections.id')
        .on('client.is_current', '=', true),
    )
    .where(ofOrganization({ accountId, organizationId }, 'sso_connections'))
    .where('sso_connections.environment', 'in', reachOf[environment])
    .$if(connection !== null, (query) =>
      query
        .where('sso_connections.environment', '=', connection?.environment ?? '')
        .where('sso_connections.id', '=', connection?.connectionId ?? ''),
    )
    .select([
      'sso_connections.account_id',
      sql<Environment>`sso_connections.environment`.as('environment'),
      'sso_connections.organization_id',
      'sso_connections.id',
      'sso_connections.idp_id',
      'sso_connections.active',
      sql<SsoConnectionState>`sso_connections.state`.as('connection_state'),
      // The table's check constraint allows nothing else.
      sql<OnboardingState>`coalesce(onboarding.state, 'not_initialized')`.as('state'),
      sql<ProviderType | null>`onboarding.provider_type`.as('provider_type'),
      sql<number>`coalesce(onboarding.tutorial_step, 0)`.as('tutorial_step'),
      sql<Protocol>`sso_connections.protocol`.as('protocol'),
      isSetUp.as('is_set_up'),
      sql<
        number | null
      >`case sso_connections.protocol when 'oidc' then onboarding.client_version else onboarding.metadata_version end`.as(
        'uploaded_version',
      ),
      sql<
        number | null
      >`case sso_connections.protocol when 'oidc' then client.version else metadata.version end`.as(
        'current_version',
      ),
    ])
}

type ConnectionRow = Awaited<ReturnType<ReturnType<typeof openConnections>['executeTakeFirstOrThrow']>>

function toConnection(row: ConnectionRow, { domain }: AdminSession): OnboardingConnection {
  return {
    domain,
    accountId: row.account_id,
    environment: row.environment,
    organizationId: row.organization_id,
    connectionId: row.id,
    idpId: row.idp_id,
    isActive: row.active,
    connectionState: row.connection_state,
    state: row.state,
    providerType: row.provider_type,
    tutorialStep: row.tutorial_step,
    protocol: row.protocol,
    isSetUp: row.is_set_up,
    uploadedVersion: row.uploaded_version,
    currentVersion: row.current_version,
  }
}
