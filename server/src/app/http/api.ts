import type { contract } from '@portico/contract/contract'
import { adminRoutes } from '../admins/routes.js'
import { applicationRoutes } from '../applications/routes.js'
import type { Deps } from '../deps.js'
import { directorySyncRoutes } from '../directory-sync/routes.js'
import { eventRoutes } from '../events/routes.js'
import { logEventRoutes } from '../log-events/routes.js'
import { magicLinkRoutes } from '../magic-link/routes.js'
import { oauthRoutes } from '../oauth/routes.js'
import { oidcRoutes } from '../oidc/routes.js'
import { organizationRoutes } from '../organizations/routes.js'
import { outboxRoutes } from '../outbox/routes.js'
import { passwordRoutes } from '../password/routes.js'
import { relayRoutes } from '../relays/routes.js'
import { sessionRoutes } from '../sessions/routes.js'
import { ssoConnectionRoutes } from '../sso-connections/routes.js'
import { ssoSignInRoutes } from '../sso-sign-in/routes.js'
import { tokenCustomizationRoutes } from '../token-customization/routes.js'
import { totpRoutes } from '../totp/routes.js'
import { userRoutes } from '../users/routes.js'
import { webhookRoutes } from '../webhooks/routes.js'
import type { Implementation } from './mount.js'

/** The handlers of every route of the contract; fails to compile when one is missing. */
export function apiOf(deps: Deps): Implementation<typeof contract> {
  return {
    organizations: organizationRoutes(deps),
    users: userRoutes(deps),
    applications: applicationRoutes(deps),
    tokenCustomization: tokenCustomizationRoutes(deps),
    magicLink: magicLinkRoutes(deps),
    password: passwordRoutes(deps),
    totp: totpRoutes(deps),
    sessions: sessionRoutes(deps),
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
    outbox: outboxRoutes(deps),
    oauth: oauthRoutes(deps),
    oidc: oidcRoutes(deps),
  }
}
