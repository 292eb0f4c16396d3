import { id } from '@portico/contract/fields'
import { sql, type Kysely } from 'kysely'
import type { UsedSecret } from '../../directory/application-secrets/last-use.js'
import { hashSecret, isSecretEqual } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { sameEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { invalidClient, type ClientRefusal } from './oauth-failure.js'

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
 * The secret of an application that authenticates by one. The time taken reveals neither why another one is refused, nor whether
 * there is such an application.
 *
 * @throws OAuthFailure `invalid_client` where no such application has it, or it has expired.
 */
export async function getSecretOf(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { clientId, clientSecret }: { readonly clientId: string; readonly clientSecret: string },
): Promise<UsedSecret> {
  if (!isApplicationId(clientId)) throw invalidClient({ reason: 'client_id_malformed' })
  const applicationId = toApplicationId(clientId)
  const stored = await selectSecrets(db, { applicationId })
  const given = hashSecret(clientSecret)
  const at = now()
  const compared = [...stored, undefined].map((secret) => ({
    secret,
    isEqual: isSecretEqual(given, secret?.secret_hash ?? noSecret),
  }))
  const secret = compared.find(({ isEqual }) => isEqual)?.secret
  const [named] = stored
  const client = { accountId: named?.accountId, environment: named?.environment, clientId: applicationId }
  if (secret?.id == null) throw invalidClient({ ...client, reason: whyUnknown(clientSecret, named) })
  if (secret.expires_at !== null && secret.expires_at <= at)
    throw invalidClient({ ...client, reason: 'secret_expired' })
  const { accountId, environment } = secret
  return { accountId, environment, applicationId, id: secret.id }
}

/** Why an application does not have a secret. */
function whyUnknown(
  clientSecret: string,
  named: { readonly environment: string; readonly client_authentication: string } | undefined,
): ClientRefusal {
  if (named === undefined) return 'client_unknown'
  if (named.client_authentication !== 'secret') return 'unexpected_method'
  return clientSecret.startsWith(`app${named.environment}_`)
    ? 'secret_unknown'
    : 'secret_of_other_environment'
}

/**
 * The application, once for each of its secrets: two at most. Those of one that does not authenticate by a secret are no
 * credentials.
 */
const selectSecrets = lookup((db, client: { applicationId: string }) =>
  db
    .selectFrom('applications')
    .leftJoin('application_secrets as secret', (join) =>
      join
        .on(sameEnvironment('secret', 'applications'))
        .onRef('secret.application_id', '=', 'applications.id')
        .on(sql<boolean>`applications.client_authentication = 'secret'`),
    )
    .where('applications.id', '=', client.applicationId)
    // The condition of the index.
    .where(sql<boolean>`applications.client_authentication <> 'none'`)
    .where('applications.deleted_at', 'is', null)
    .select([
      'applications.account_id as accountId',
      'applications.environment',
      'applications.client_authentication',
      'secret.id',
      'secret.secret_hash',
      'secret.expires_at',
    ]),
)

/** The application that a client_id names, if it has to authenticate. */
export async function findConfidential(
  db: Kysely<DB>,
  clientId: string,
): Promise<ApplicationClient | undefined> {
  if (!isApplicationId(clientId)) return undefined
  const [application] = await selectConfidential(db, { applicationId: toApplicationId(clientId) })
  return application
}

const selectConfidential = lookup((db, client: { applicationId: string }) =>
  // eslint-disable-next-line portico/tenant -- a client names itself, and learns what its own registration says
  db
    .selectFrom('applications')
    .where('applications.id', '=', client.applicationId)
    .where(sql<boolean>`applications.client_authentication <> 'none'`)
    .where('applications.deleted_at', 'is', null)
    .select([
      'applications.account_id as accountId',
      'applications.environment',
      'applications.id as applicationId',
    ]),
)
