import type { contract } from '@portico/contract/contract'
import { accountRecordRoutes } from '../../directory/account-record/routes.js'
import { adminRoutes } from '../../sso/admins/routes.js'
import { applicationRoutes } from '../../directory/applications/routes.js'
import { applicationSecretRoutes } from '../../directory/application-secrets/routes.js'
import type { UsedSecret } from '../../directory/application-secrets/last-use.js'
import type { Deps } from '../../delivery/deps.js'
import { directorySyncRoutes } from '../../directory/directory-sync/routes.js'
import { discoveryRoutes } from '../../protocols/discoveries/routes.js'
import { domainRoutes } from '../../directory/domains/routes.js'
import { eventRoutes } from '../../delivery/events/routes.js'
import { impersonationRoutes } from '../../sign-in/impersonation/routes.js'
import { invitationRoutes } from '../../directory/invitations/routes.js'
import { logEventRoutes } from '../../delivery/log-events/routes.js'
import { magicLinkRoutes } from '../../sign-in/magic-link/routes.js'
import { oauthRoutes } from '../../protocols/oauth/routes.js'
import { oidcRoutes } from '../../protocols/oidc/routes.js'
import { joinRequestRoutes } from '../../directory/join-requests/routes.js'
import { organizationPolicyRoutes } from '../../directory/organization-policy/routes.js'
import { organizationRoutes } from '../../directory/organizations/routes.js'
import { outboxRoutes } from '../../delivery/outbox/routes.js'
import { passwordRoutes } from '../../sign-in/password/routes.js'
import { accessRoutes, permissionRoutes, roleRoutes } from '../../directory/roles/routes.js'
import { relayRoutes } from '../../sign-in/relays/routes.js'
import { sessionRoutes } from '../../directory/sessions/routes.js'
import { socialConnectionRoutes, socialProviderRoutes } from '../../sso/social/routes.js'
import { ssoConnectionRoutes } from '../../sso/connections/routes.js'
import { ssoSignInRoutes } from '../../sso/sign-in/routes.js'
import { tokenCustomizationRoutes } from '../../directory/token-customization/routes.js'
import { identityRoutes } from '../../sign-in/identities/routes.js'
import { passkeyRoutes } from '../../sign-in/passkeys/routes.js'
import { totpRoutes } from '../../sign-in/totp/routes.js'
import { userRoutes } from '../../directory/users/routes.js'
import { webhookRoutes } from '../../delivery/webhooks/routes.js'
import type { Implementation } from './mount.js'

export interface ApiHooks {
  /** Called with each secret that has authenticated an application. */
  readonly onSecretUse?: (secret: UsedSecret) => void
}

/** The handlers of every route of the contract; fails to compile when one is missing. */
export function apiOf(deps: Deps, hooks: ApiHooks = {}): Implementation<typeof contract> {
  return {
    organizations: organizationRoutes(deps),
    organizationPolicy: organizationPolicyRoutes(deps),
    joinRequests: joinRequestRoutes(deps),
    invitations: invitationRoutes(deps),
    domains: domainRoutes(deps),
    users: userRoutes(deps),
    permissions: permissionRoutes(deps),
    roles: roleRoutes(deps),
    accessEvaluation: accessRoutes(deps),
    applications: applicationRoutes(deps),
    applicationSecrets: applicationSecretRoutes(deps),
    tokenCustomization: tokenCustomizationRoutes(deps),
    magicLink: magicLinkRoutes(deps),
    discovery: discoveryRoutes(deps),
    password: passwordRoutes(deps),
    totp: totpRoutes(deps),
    passkeys: passkeyRoutes(deps),
    socialProviders: socialProviderRoutes(deps),
    socialConnection: socialConnectionRoutes(deps),
    identities: identityRoutes(deps),
    sessions: sessionRoutes(deps),
    impersonations: impersonationRoutes(deps),
    ssoConnections: {
      ...ssoConnectionRoutes(deps),
      ...ssoSignInRoutes(deps),
    },
    admins: adminRoutes(deps),
    directorySync: directorySyncRoutes(deps),
    relays: relayRoutes(deps),
    events: eventRoutes(deps),
    webhooks: webhookRoutes(deps),
    logEvents: logEventRoutes(deps),
    account: accountRecordRoutes(deps),
    outbox: outboxRoutes(deps),
    oauth: oauthRoutes(deps, hooks),
    oidc: oidcRoutes(deps),
  }
}
