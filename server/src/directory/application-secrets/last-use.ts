import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { collectUses, type LastUse } from '../../tokens/api-keys/last-use.js'

/** A secret that has authenticated its application. */
export interface UsedSecret {
  readonly accountId: string
  readonly environment: string
  readonly applicationId: string
  readonly id: string
}

/** Starts recording the last use of secrets of applications, as that of API keys is. */
export function startSecretLastUse(deps: Pick<Deps, 'db' | 'now' | 'log'>): LastUse<UsedSecret> {
  return collectUses(deps, 'secrets of applications', async (batch) => {
    const accounts = batch.map(({ accountId }) => accountId)
    const environments = batch.map(({ environment }) => environment)
    const applications = batch.map(({ applicationId }) => applicationId)
    const ids = batch.map(({ id }) => id)
    const times = batch.map(({ at }) => at.toISOString())
    await sql`
      update application_secrets set last_used_at = used.at
      from unnest(${accounts}::uuid[], ${environments}::text[], ${applications}::uuid[], ${ids}::uuid[],
        ${times}::timestamptz[]) as used (account_id, environment, application_id, id, at)
      where application_secrets.account_id = used.account_id
        and application_secrets.environment = used.environment
        and application_secrets.application_id = used.application_id
        and application_secrets.id = used.id
        and (last_used_at is null or last_used_at < used.at)`.execute(deps.db)
  })
}
