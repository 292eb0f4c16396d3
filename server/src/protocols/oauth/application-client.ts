import { id } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import type { UsedSecret } from '../../directory/application-secrets/last-use.js'
import { hashSecret, isApplicationSecret, isSecretEqual } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { sameEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'

/** An application that has authenticated. */
export interface ApplicationClient {
  readonly accountId: string
  readonly environment: string
  readonly applicationId: string
}

const applicationId = id()
const noSecret = Buffer.alloc(32)

/** The id of the application that a client_id names, plain or in a prefixed form such as app_<uuid>. */
export function toApplicationId(clientId: string): string {
  return clientId.toLowerCase().split('_').at(-1) ?? ''
}

/** Whether a client_id has the form of an application's; the database raises an error for others. */
export function isApplicationId(clientId: string): boolean {
  return applicationId.safeParse(toApplicationId(clientId)).success
}

/**
 * The secret of an application that authenticates by one; undefined where no such application has it, or it has expired. The
 * time taken reveals neither which, nor whether there is such an application.
 */
export async function findSecretOf(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): Promise<UsedSecret | undefined> {
  if (!isApplicationId(clientId) || !isApplicationSecret(clientSecret)) return undefined
  const stored = await selectSecrets(db, { applicationId: toApplicationId(clientId) })
  const given = hashSecret(clientSecret)
  const at = now()
  const compared = [...stored, undefined].map((secret) => ({
    secret,
    isEqual: isSecretEqual(given, secret?.secret_hash ?? noSecret),
  }))
  const secret = compared.find(({ isEqual }) => isEqual)?.secret
  if (secret === undefined || (secret.expires_at !== null && secret.expires_at <= at)) return undefined
  return {
    accountId: secret.account_id,
    environment: secret.environment,
    applicationId: secret.application_id,
    id: secret.id,
  }
}

/** Two at most; those of an application that does not authenticate by a secret are no credentials. */
const selectSecrets = lookup((db, client: { applicationId: string }) =>
  db
    .selectFrom('applications')
    .innerJoin('application_secrets as secret', (join) =>
      join
        .on(sameEnvironment('secret', 'applications'))
        .onRef('secret.application_id', '=', 'applications.id'),
    )
    .where('applications.id', '=', client.applicationId)
    .where(sql<boolean>`applications.client_authentication = 'secret'`)
    .where('applications.deleted_at', 'is', null)
    .select([
      'secret.account_id',
      'secret.environment',
      'secret.application_id',
      'secret.id',
      'secret.secret_hash',
      'secret.expires_at',
    ]),
)

/** Whether a client_id names an application that has to authenticate. */
export async function isConfidential(db: Kysely<DB>, clientId: string): Promise<boolean> {
  if (!isApplicationId(clientId)) return false
  return (await selectConfidential(db, { applicationId: toApplicationId(clientId) })).length > 0
}

const selectConfidential = lookup((db, client: { applicationId: string }) =>
  // eslint-disable-next-line portico/tenant -- a client names itself, and learns what its own registration says
  db
    .selectFrom('applications')
    .where('applications.id', '=', client.applicationId)
    .where(sql<boolean>`applications.client_authentication <> 'none'`)
    .where('applications.deleted_at', 'is', null)
    .select(['applications.account_id', 'applications.id']),
)
