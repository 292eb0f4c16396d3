import type { Environment } from '@portico/contract/fields'
import type { OnboardingState, ProviderType } from '@portico/contract/sso-onboarding'
import type { SsoConnectionState } from '@portico/contract/sso-records'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { isConnection, type ConnectionKey } from '../sso-connections/connection-key.js'
import type { AdminSession } from './admin-session.js'

/** A connection that an administrator may set up, and how far they are. */
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
  /** The version of the metadata that was uploaded here; null before. */
  readonly uploadedVersion: number | null
  /** The version against which users sign in; null where there is none. */
  readonly currentVersion: number | null
}

/**
 * Holds a connection first, as whatever changes it through the API does: so of two that change it and its onboarding
 * neither waits for the other.
 */
export async function holdConnection(trx: Transaction<DB>, key: ConnectionKey): Promise<void> {
  await trx.selectFrom('sso_connections').where(isConnection(key)).select('id').forNoKeyUpdate().execute()
}

/** The environments in which an invitation is good: whoever reads the mails of a sandbox reaches no production. */
const reachOf = { sandbox: ['sandbox'], production: ['sandbox', 'production'] } as const

/** More than an organization has; a page is no list to turn over. */
const maxConnections = 100

/** The connections that an administrator's invitation is for, production first. */
export async function listConnections(
  { db }: Pick<Deps, 'db'>,
  session: AdminSession,
): Promise<OnboardingConnection[]> {
  const rows = await openConnections(db, session)
    .orderBy('connection.environment')
    .orderBy('connection.inserted_at')
    .limit(maxConnections)
    .execute()
  return rows.map((row) => toConnection(row, session))
}

/** One of them; undefined when the invitation is for another one, as when there is none. */
export async function findConnection(
  { db }: Pick<Deps, 'db'>,
  session: AdminSession,
  idpId: string,
): Promise<OnboardingConnection | undefined> {
  const row = await openConnections(db, session).where('connection.idp_id', '=', idpId).executeTakeFirst()
  return row === undefined ? undefined : toConnection(row, session)
}

/** Every read starts here: the one connection of the invitation, or those of the environments that it reaches. */
function openConnections(db: Kysely<DB>, session: AdminSession) {
  const { accountId, organizationId, environment, connection } = session
  return db
    .selectFrom('sso_connections as connection')
    .leftJoin('sso_onboardings as onboarding', (join) =>
      join
        .onRef('onboarding.account_id', '=', 'connection.account_id')
        .onRef('onboarding.environment', '=', 'connection.environment')
        .onRef('onboarding.organization_id', '=', 'connection.organization_id')
        .onRef('onboarding.connection_id', '=', 'connection.id'),
    )
    .leftJoin('sso_metadata_versions as metadata', (join) =>
      join
        .onRef('metadata.account_id', '=', 'connection.account_id')
        .onRef('metadata.environment', '=', 'connection.environment')
        .onRef('metadata.organization_id', '=', 'connection.organization_id')
        .onRef('metadata.connection_id', '=', 'connection.id')
        .on('metadata.is_current', '=', true),
    )
    .where('connection.account_id', '=', accountId)
    .where('connection.organization_id', '=', organizationId)
    .where('connection.environment', 'in', reachOf[environment])
    .$if(connection !== null, (query) =>
      query
        .where('connection.environment', '=', connection?.environment ?? '')
        .where('connection.id', '=', connection?.connectionId ?? ''),
    )
    .select([
      'connection.account_id',
      sql<Environment>`connection.environment`.as('environment'),
      'connection.organization_id',
      'connection.id',
      'connection.idp_id',
      'connection.active',
      sql<SsoConnectionState>`connection.state`.as('connection_state'),
      // The table's check constraint allows nothing else.
      sql<OnboardingState>`coalesce(onboarding.state, 'not_initialized')`.as('state'),
      sql<ProviderType | null>`onboarding.provider_type`.as('provider_type'),
      sql<number>`coalesce(onboarding.tutorial_step, 0)`.as('tutorial_step'),
      'onboarding.metadata_version',
      'metadata.version as current_version',
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
    uploadedVersion: row.metadata_version,
    currentVersion: row.current_version,
  }
}
