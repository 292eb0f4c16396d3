import { admins } from './admins.js'
import { applications } from './applications.js'
import { directorySync } from './directory-sync.js'
import { events } from './events.js'
import { logEvents } from './log-events.js'
import { magicLink } from './magic-link.js'
import { oauth } from './oauth.js'
import { oidc } from './oidc.js'
import { organizations } from './organizations.js'
import { outbox } from './outbox.js'
import { password } from './password.js'
import { relays } from './relays.js'
import { sessions } from './sessions.js'
import { ssoConnections } from './sso-connections.js'
import { tokenCustomization } from './token-customization.js'
import { totp } from './totp.js'
import { users } from './users.js'
import { webhooks } from './webhooks.js'

/** Every endpoint of the service. Server, SDK, mock, OpenAPI documents and the cross-cutting tests are derived from it. */
export const contract = {
  organizations,
  users,
  applications,
  tokenCustomization,
  magicLink,
  password,
  totp,
  sessions,
  ssoConnections,
  admins,
  directorySync,
  relays,
  events,
  webhooks,
  logEvents,
  outbox,
  oauth,
  oidc,
  // Without it the compiler lets a handler answer any status.
} satisfies Record<string, Record<string, { strictStatusCodes: true }>>
