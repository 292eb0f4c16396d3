import type { Access } from './core/access.js'
import type { EventCode } from './events/event-catalog.js'
import { accessEvaluation } from './resources/access-evaluation.js'
import { account } from './resources/account.js'
import { admins } from './resources/admins.js'
import { applications } from './resources/applications.js'
import { applicationSecrets } from './resources/application-secrets.js'
import { directorySync } from './resources/directory-sync.js'
import { discovery } from './resources/discovery.js'
import { domains } from './resources/domains.js'
import { events } from './events/events.js'
import { identities } from './resources/identities.js'
import { impersonations } from './resources/impersonations.js'
import { invitations } from './resources/invitations.js'
import { joinRequests } from './resources/join-requests.js'
import { logEvents } from './resources/log-events.js'
import { magicLink } from './resources/magic-link.js'
import { oauth } from './protocols/oauth.js'
import { oidc } from './protocols/oidc.js'
import { organizationPolicy } from './resources/organization-policy.js'
import { organizations } from './resources/organizations.js'
import { outbox } from './resources/outbox.js'
import { password } from './resources/password.js'
import { permissions } from './resources/permissions.js'
import { relays } from './resources/relays.js'
import { roles } from './resources/roles.js'
import { sessions } from './resources/sessions.js'
import { socialConnection } from './resources/social-connection.js'
import { socialProviders } from './resources/social-providers.js'
import { ssoConnections } from './resources/sso-connections.js'
import { tokenCustomization } from './resources/token-customization.js'
import { passkeys } from './resources/passkeys.js'
import { totp } from './resources/totp.js'
import { users } from './resources/users.js'
import { webhooks } from './events/webhooks.js'

/**
 * The routers of every endpoint, in the order of the documents. Their types are referred to: written out in the declaration of
 * `contract`, as an inferred type is, they would be longer than the compiler writes.
 */
type Routers = {
  organizations: typeof organizations
  organizationPolicy: typeof organizationPolicy
  invitations: typeof invitations
  joinRequests: typeof joinRequests
  domains: typeof domains
  users: typeof users
  permissions: typeof permissions
  roles: typeof roles
  accessEvaluation: typeof accessEvaluation
  applications: typeof applications
  applicationSecrets: typeof applicationSecrets
  tokenCustomization: typeof tokenCustomization
  magicLink: typeof magicLink
  discovery: typeof discovery
  password: typeof password
  totp: typeof totp
  passkeys: typeof passkeys
  socialProviders: typeof socialProviders
  socialConnection: typeof socialConnection
  identities: typeof identities
  sessions: typeof sessions
  impersonations: typeof impersonations
  ssoConnections: typeof ssoConnections
  admins: typeof admins
  directorySync: typeof directorySync
  relays: typeof relays
  events: typeof events
  webhooks: typeof webhooks
  logEvents: typeof logEvents
  account: typeof account
  outbox: typeof outbox
  oauth: typeof oauth
  oidc: typeof oidc
}

/** Every endpoint of the service. Server, SDK, mock, OpenAPI documents and the cross-cutting tests are derived from it. */
export const contract: Routers = {
  organizations,
  organizationPolicy,
  invitations,
  joinRequests,
  domains,
  users,
  permissions,
  roles,
  accessEvaluation,
  applications,
  applicationSecrets,
  tokenCustomization,
  magicLink,
  discovery,
  password,
  totp,
  passkeys,
  socialProviders,
  socialConnection,
  identities,
  sessions,
  impersonations,
  ssoConnections,
  admins,
  directorySync,
  relays,
  events,
  webhooks,
  logEvents,
  account,
  outbox,
  oauth,
  oidc,
  // strictStatusCodes limits handlers to declared statuses, and Access<EventCode> limits `emits` to declared events.
} satisfies Record<string, Record<string, { strictStatusCodes: true; metadata: Access<EventCode> }>>
