import type { ApplicationSecret } from '@portico/contract/application-secrets'
import type { Environment } from '@portico/contract/fields'
import type { Selectable } from 'kysely'
import type { ApplicationSecrets } from '../../platform/db/schema.js'

export const secretColumns = [
  'application_secrets.id',
  'application_secrets.application_id',
  'application_secrets.hint',
  'application_secrets.expires_at',
  'application_secrets.last_used_at',
  'application_secrets.inserted_at',
] as const

type SecretRow = Omit<Selectable<ApplicationSecrets>, 'account_id' | 'environment' | 'place' | 'secret_hash'>

interface Owner {
  /** Of the organization that the application is restricted to, otherwise of the account. */
  readonly domain: string
  readonly environment: Environment
}

/** @param value Null except in the answer to the creation. */
export function toApplicationSecret(
  row: SecretRow,
  { domain, environment }: Owner,
  value: string | null = null,
): ApplicationSecret {
  return {
    __type__: 'ApplicationSecret',
    __domain__: domain,
    __environment__: environment,
    id: row.id,
    application_id: row.application_id,
    hint: row.hint,
    value,
    expires_at: row.expires_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    inserted_at: row.inserted_at.toISOString(),
  }
}
