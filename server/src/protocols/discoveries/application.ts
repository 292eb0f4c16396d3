import { statement } from '../../platform/db/statement.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Caller } from '../../platform/tenant.js'

const selectApplication = statement(
  (db, key: Pick<Caller, 'accountId' | 'environment'> & { readonly applicationId: string }) =>
    db
      .selectFrom('applications')
      .where(ofEnvironment(key))
      .where('id', '=', key.applicationId)
      .where('deleted_at', 'is', null)
      .select([
        'allowed_redirect_urls',
        'default_redirect_uri_after_login',
        'code_exchange',
        'client_authentication',
        'pkce',
      ]),
)

type DiscoveringApplication = Awaited<ReturnType<typeof selectApplication>>[number]

/**
 * An application of the caller's account.
 *
 * @throws ApiError `application_not_found`
 */
export async function getDiscoveringApplication(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment }: Pick<Caller, 'accountId' | 'environment'>,
  applicationId: string,
): Promise<DiscoveringApplication> {
  const [application] = await selectApplication(db, { accountId, environment, applicationId })
  if (application === undefined) throw new ApiError('application_not_found')
  return application
}

/**
 * Refuses an address that the application does not list: any other could be an attacker's.
 *
 * @throws ApiError `invalid_parameters`
 */
export function checkRedirect(
  { allowed_redirect_urls: allowed }: Pick<DiscoveringApplication, 'allowed_redirect_urls'>,
  redirectUri: string,
): void {
  if (allowed.includes(redirectUri)) return
  throw invalid('redirect_uri', 'not_in_list', 'must be one of the allowed_redirect_urls of the application')
}
