import { accountPageIds } from '@portico/contract/sessions'
import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import { lookup } from '../platform/db/statement.js'
import { ofEnvironment } from '../platform/db/tenant-predicate.js'
import type { Deps } from '../delivery/deps.js'

// Sign-ins to the account page are those of an application that nobody sees: users of every organization of an account
// come back to one address of the service. Its row is deleted for ever, at the time `infinity`, which the purge never
// reaches, so that it is in no list, no total, no promotion, and gets no token; a sign-in alone finds it
// (isOpenForSignIn()).

/** The address at which every sign-in to an account page ends. */
export function signedInUrl(baseUrl: string): string {
  return `${baseUrl}/account/signed-in`
}

/** An account in one environment. */
interface Place {
  readonly accountId: string
  readonly environment: Environment
}

/** Whether a sign-in is one to the account page. */
export function isAccountPage(applicationId: string): boolean {
  return Object.values<string>(accountPageIds).includes(applicationId)
}

/** Whether a sign-in adds to a session what a change on the account page takes. */
export function isStepUpOfAccountPage(flow: {
  readonly applicationId: string
  readonly sessionId: string | null
}): boolean {
  return isAccountPage(flow.applicationId) && flow.sessionId !== null
}

/** Makes the client where it is missing. Its sign-ins end at the address that the service has now. */
export async function keepAccountPageClient(
  { db, config, now }: Pick<Deps, 'db' | 'config' | 'now'>,
  { accountId, environment }: Place,
): Promise<string> {
  const id = accountPageIds[environment]
  const url = signedInUrl(config.baseUrl)
  const [known] = await selectUrls(db, { accountId, environment, id })
  // Each sign-in comes here, and the service moves once in years.
  if (known?.allowed_redirect_urls.join(' ') === url) return id
  const at = now()
  const urls = sql<string[]>`array[${url}]::text[]`
  const none = sql<string[]>`array[]::text[]`
  await db
    .insertInto('applications')
    .values({
      account_id: accountId,
      environment,
      id,
      name: 'Account',
      application_type: 'web',
      allowed_redirect_urls: urls,
      allowed_origins_cors: none,
      allowed_logout_urls: none,
      allowed_web_origins: none,
      access_token_lifetime_in_seconds: 3600,
      token_signing_alg: 'RS256',
      code_exchange: 'api_key',
      inserted_at: at,
      updated_at: at,
      deleted_at: sql<Date>`'infinity'::timestamptz`,
    })
    .onConflict((conflict) =>
      conflict.constraint('applications_pkey').doUpdateSet({ allowed_redirect_urls: urls, updated_at: at }),
    )
    .execute()
  return id
}

const selectUrls = lookup((db, key: Place & { readonly id: string }) =>
  db
    .selectFrom('applications')
    .where(ofEnvironment(key))
    .where('id', '=', key.id)
    .select('allowed_redirect_urls'),
)
