import { isAccountPage } from '../../directory/account-page-client.js'
import type { Deps } from '../../delivery/deps.js'
import { withParameters } from '../../directory/sessions/complete-sign-in.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import { isOrganizationOf, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { accountIssuerOf } from '../../tokens/issuer.js'
import type { FlowRequest } from './flow.js'

/** The application that a sign-in was for, and where it begins another one. */
export interface WayBack {
  readonly applicationName: string
  readonly url: string
}

/**
 * The way back from a flow of this browser that cannot go on, also when it is finished or has expired: where the application
 * begins a sign-in (OpenID Connect Core section 4), else its website. Undefined for a flow of another browser, and for an app
 * of which no website is known.
 */
export async function findWayBack(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  { organizationDomain, flowId, browserSecret }: FlowRequest,
): Promise<WayBack | undefined> {
  const found = await db
    .selectFrom('sign_in_flows as flow')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'flow')))
    .innerJoin('accounts', 'accounts.id', 'flow.account_id')
    .innerJoin('applications', (join) =>
      join.on(sameEnvironment('applications', 'flow')).onRef('applications.id', '=', 'flow.application_id'),
    )
    .where('organizations.deleted_at', 'is', null)
    .where('organizations.domain', '=', organizationDomain)
    .where('flow.id', '=', flowId)
    .where('flow.browser_hash', '=', hashSecret(browserSecret))
    .select([
      'accounts.domain as account_domain',
      'applications.name',
      'applications.initiate_login_uri',
      'flow.redirect_uri',
      'flow.application_id',
      'flow.environment',
    ])
    .executeTakeFirst()
  if (found === undefined) return undefined
  const { account_domain: accountDomain, name: applicationName, initiate_login_uri: initiateUri } = found
  const iss = accountIssuerOf(config.baseUrl, accountDomain)
  if (isAccountPage(found.application_id))
    return { applicationName, url: `/t/${organizationDomain}/account?environment=${found.environment}` }
  const url =
    initiateUri === null
      ? websiteOf(found.redirect_uri)
      : withParameters(initiateUri, { iss, organization: organizationDomain })
  return url === undefined ? undefined : { applicationName, url }
}

/** The site of a registered redirect URI; apps have schemes of their own, or the address of the loopback interface. */
export function websiteOf(redirectUri: string): string | undefined {
  const { protocol, hostname, origin } = new URL(redirectUri)
  return protocol === 'https:' || hostname === 'localhost' ? `${origin}/` : undefined
}
