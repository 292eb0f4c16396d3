import type { Deps } from '../../delivery/deps.js'
import { isOfConnection } from '../connections/connection-key.js'
import type { OnboardingConnection } from './connections.js'

/** A stored client without its secret. */
interface ClientVersion {
  readonly version: number
  readonly isCurrent: boolean
  readonly issuer: string
  readonly clientId: string
  readonly insertedAt: Date
}

/** The client that was entered here, else the current one; undefined where there is neither. */
export async function findShownClient(
  { db }: Pick<Deps, 'db'>,
  connection: OnboardingConnection,
): Promise<ClientVersion | undefined> {
  const version = connection.uploadedVersion ?? connection.currentVersion
  if (version === null) return undefined
  const row = await db
    .selectFrom('sso_oidc_clients')
    .where(isOfConnection('sso_oidc_clients', connection))
    .where('version', '=', version)
    .select(['version', 'is_current', 'issuer', 'client_id', 'inserted_at'])
    .executeTakeFirst()
  if (row === undefined) return undefined
  return {
    version: row.version,
    isCurrent: row.is_current,
    issuer: row.issuer,
    clientId: row.client_id,
    insertedAt: row.inserted_at,
  }
}
