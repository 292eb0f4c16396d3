import type { z } from 'zod/v4'
import { Admin } from '../resources/admins.js'
import { ApiKey } from '../resources/api-keys.js'
import { Application } from '../resources/applications.js'
import { DirectorySyncEvent } from '../resources/directory-sync.js'
import { ErasedUser, RemovedAdmin } from '../resources/erasure.js'
import {
  DirectorySyncData,
  MagicLinkChallengeData,
  PasswordChallengeData,
  PasswordData,
  RelayRequestData,
  SsoOauthChallengeData,
  SsoSamlChallengeData,
  TotpChallengeData,
  TotpEnrollmentData,
} from './event-data.js'
import { MagicLinkConnection } from '../resources/magic-link.js'
import { MetaKey } from '../resources/metadata.js'
import { Organization } from '../resources/organizations.js'
import { PasswordConnection, PasswordRequest } from '../resources/password.js'
import { Relay } from '../resources/relays.js'
import { EndedSessions, Session } from '../resources/sessions.js'
import { SsoAdminOnboarding } from '../resources/sso-onboarding.js'
import { DefaultRedirection, SsoConnection } from '../resources/sso-records.js'
import { TotpConnection } from '../resources/totp.js'
import { User } from '../resources/users.js'
import { WebhookData, WebhookRedelivery } from './webhook-records.js'

/**
 * The actors of events: an API key, a user of the hosted pages, an administrator in the onboarding, the provider of a
 * directory, an operator at the command line, or the service itself.
 */
export const actorTypes = ['api_key', 'user', 'admin', 'directory', 'operator', 'system'] as const
export type ActorType = (typeof actorTypes)[number]

/** A source of events other than the routes whose every success emits them, and the actors there. */
export interface EventSource {
  readonly source: string
  readonly actor: ActorType
}

/** The meaning and data of one event code. The routes that emit it name it themselves (`access().emits`). */
export interface EventKind {
  /** One sentence in the past tense. */
  readonly tells: string
  /** Schema of `data`: the record after the change, without secret members. */
  readonly data: z.ZodObject
  /** Sources beside the routes that emit it. */
  readonly elsewhere?: readonly EventSource[]
}

const onboardingPage = [{ source: 'The pages of the onboarding', actor: 'admin' }] as const
const signInPage = [{ source: 'The page of a sign-in', actor: 'user' }] as const
const scim = [{ source: 'A request of the provider of a directory', actor: 'directory' }] as const
const commandLine = [{ source: 'The command line', actor: 'operator' }] as const
const purge = { source: 'The purge', actor: 'system' } as const
const relayAddress = [{ source: 'The address of a relay', actor: 'user' }] as const

/**
 * Every event by its code, `<family>.<resource>.<action>.<success or fail>`, with its meaning and its data.
 * Webhooks subscribe to codes, to `<family>.all`, or to `all`.
 */
export const eventCatalog = {
  'organization.organization.create.success': { tells: 'An organization was created.', data: Organization },
  'organization.organization.update.success': { tells: 'An organization was changed.', data: Organization },
  'organization.organization.delete.success': {
    tells: 'An organization was deleted; nothing under it can be reached any more.',
    data: Organization,
  },
  'user.user.create.success': {
    tells: 'A user was created.',
    data: User,
    elsewhere: [...signInPage, ...scim],
  },
  'user.user.update.success': {
    tells: 'A user was changed.',
    data: User,
    elsewhere: [...signInPage, ...scim],
  },
  'user.user.delete.success': {
    tells: 'A user was deleted; sessions have ended.',
    data: User,
    elsewhere: scim,
  },
  'user.user.erase.success': {
    tells:
      "A person's data were erased, and events of them before this one; what was copied from these is to be erased.",
    data: ErasedUser,
    elsewhere: [purge, ...commandLine],
  },
  'user.metadata.set.success': { tells: 'A metadata value of a user was set.', data: User },
  'user.metadata.remove.success': { tells: 'A metadata value of a user was removed.', data: User },
  'user.session.create.success': { tells: 'A user signed in.', data: Session, elsewhere: signInPage },
  'user.session.end.success': {
    tells: 'A user signed out, or was signed out of a session.',
    data: Session,
    elsewhere: signInPage,
  },
  'user.session.end_all.success': {
    tells: 'A user was signed out everywhere.',
    data: EndedSessions,
    elsewhere: signInPage,
  },
  'application.application.create.success': { tells: 'An application was registered.', data: Application },
  'application.application.update.success': { tells: 'An application was changed.', data: Application },
  'application.application.delete.success': { tells: 'An application was deleted.', data: Application },
  'metakey.metakey.create.success': { tells: 'A metadata key was declared.', data: MetaKey },
  'metakey.metakey.delete.success': {
    tells: 'A metadata key was deleted together with its values.',
    data: MetaKey,
  },
  'magic_link.connection.update.success': {
    tells: 'The magic-link connection was changed.',
    data: MagicLinkConnection,
  },
  'magic_link.challenge.create.success': {
    tells: 'A magic link was asked for.',
    data: MagicLinkChallengeData,
  },
  'magic_link.challenge.consume.success': {
    tells: 'A magic link was used to sign in.',
    data: MagicLinkChallengeData,
    elsewhere: signInPage,
  },
  'password.connection.create.success': {
    tells: 'A password connection was created.',
    data: PasswordConnection,
  },
  'password.connection.update.success': {
    tells: 'The password connection was changed.',
    data: PasswordConnection,
  },
  'password.request.create.success': {
    tells: 'A first or new password was asked for.',
    data: PasswordRequest,
  },
  'password.challenge.create.success': {
    tells: 'The password of a user was right.',
    data: PasswordChallengeData,
  },
  'password.password.set.success': {
    tells: 'A user has a new password; other sessions have ended.',
    data: PasswordData,
  },
  'totp.connection.update.success': { tells: 'The TOTP connection was changed.', data: TotpConnection },
  'totp.enrollment.create.success': {
    tells: 'The enrolment of a user has begun; codes are asked of them from its validation on.',
    data: TotpEnrollmentData,
  },
  'totp.enrollment.validate.success': {
    tells: 'The enrolment of a user was validated.',
    data: TotpEnrollmentData,
  },
  'totp.challenge.create.success': { tells: 'A user was asked for a code.', data: TotpChallengeData },
  'totp.challenge.validate.success': { tells: 'The code of a user was right.', data: TotpChallengeData },
  'sso.connection.create.success': { tells: 'An SSO connection was created.', data: SsoConnection },
  'sso.connection.update.success': {
    tells: 'An SSO connection was changed: its settings, its metadata, or how far its setting up is.',
    data: SsoConnection,
    elsewhere: [...onboardingPage, ...signInPage],
  },
  'sso.default_redirection.create.success': {
    tells: 'Users who begin at the identity provider go elsewhere from now on.',
    data: DefaultRedirection,
  },
  'sso.onboarding.create.success': {
    tells: 'The onboarding of an administrator has begun.',
    data: SsoAdminOnboarding,
  },
  'sso.onboarding.update.success': {
    tells: 'An onboarding was changed, or has gone on.',
    data: SsoAdminOnboarding,
    elsewhere: [...onboardingPage, { source: 'The removal of its administrator', actor: 'api_key' }],
  },
  'sso.onboarding.invite.success': {
    tells: 'The link to an onboarding is mailed to its administrator.',
    data: SsoAdminOnboarding,
    elsewhere: [{ source: 'POST /api/v2/sso-connections with send_email', actor: 'api_key' }],
  },
  'sso.onboarding.reset.success': { tells: 'An onboarding begins anew.', data: SsoAdminOnboarding },
  'sso.challenge.create.success': {
    tells: 'The address at which a user signs in by an SSO connection was asked for.',
    data: SsoSamlChallengeData,
  },
  'sso.oauth_challenge.create.success': {
    tells: 'The address at which a user signs in by an SSO connection of OpenID Connect was asked for.',
    data: SsoOauthChallengeData,
  },
  'sso.certificate.expire.success': {
    tells:
      'The newest signing certificate of an identity provider expires within 30 days, or has expired; told once a week.',
    data: SsoConnection,
    elsewhere: [{ source: 'The daily look at certificates', actor: 'system' }],
  },
  'admin.admin.invite.success': { tells: 'An administrator was invited.', data: Admin },
  'admin.admin.update.success': {
    tells: 'An administrator has accepted the invitation, or is not in charge.',
    data: Admin,
    elsewhere: onboardingPage,
  },
  'admin.admin.delete.success': {
    tells:
      'An administrator was removed; events no longer tell their address, and copies of it are to be erased.',
    data: RemovedAdmin,
  },
  'dir_sync.directory.create.success': { tells: 'A directory was created.', data: DirectorySyncData },
  'dir_sync.directory.update.success': { tells: 'A directory was changed.', data: DirectorySyncData },
  'dir_sync.directory.delete.success': {
    tells: 'A directory was deleted together with its groups; its users stay.',
    data: DirectorySyncData,
  },
  'dir_sync.directory.reset.success': { tells: 'A directory has a new secret.', data: DirectorySyncData },
  'dir_sync.user.provision.success': {
    tells: 'The provider of a directory has made a user, or taken over one.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.provision.fail': {
    tells: 'A user that the provider of a directory would make was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.update.success': {
    tells: 'The provider of a directory has changed a user.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.update.fail': {
    tells: 'A change of a user by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.deprovision.success': {
    tells: 'The provider of a directory has deleted a user.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.deprovision.fail': {
    tells: 'The deletion of a user by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.provision.success': {
    tells: 'The provider of a directory has made a group.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.provision.fail': {
    tells: 'A group that the provider of a directory would make was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.update.success': {
    tells: 'The provider of a directory has changed a group or its members.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.update.fail': {
    tells: 'A change of a group by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.deprovision.success': {
    tells: 'The provider of a directory has deleted a group.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.deprovision.fail': {
    tells: 'The deletion of a group by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'relay.relay.create.success': { tells: 'A relay to a partner was created.', data: Relay },
  'relay.relay.update.success': { tells: 'A relay was changed.', data: Relay },
  'relay.relay.delete.success': {
    tells: 'A relay was deleted; nothing that it was asked to carry arrives.',
    data: Relay,
  },
  'relay.request.create.success': {
    tells: 'The address that carries a user to the partner was asked for.',
    data: RelayRequestData,
  },
  'relay.request.consume.success': {
    tells: 'A user was carried to the partner, and signed in there.',
    data: RelayRequestData,
    elsewhere: relayAddress,
  },
  'api_key.api_key.create.success': {
    tells: 'An API key was created.',
    data: ApiKey,
    elsewhere: commandLine,
  },
  'api_key.api_key.rotate.success': {
    tells: 'An API key has a new secret.',
    data: ApiKey,
    elsewhere: commandLine,
  },
  'api_key.api_key.revoke.success': {
    tells: 'An API key was revoked.',
    data: ApiKey,
    elsewhere: commandLine,
  },
  'webhook.webhook.create.success': { tells: 'A webhook was created.', data: WebhookData },
  'webhook.webhook.update.success': { tells: 'A webhook was changed.', data: WebhookData },
  'webhook.webhook.delete.success': {
    tells: 'A webhook was deleted together with its deliveries.',
    data: WebhookData,
  },
  'webhook.webhook.rotate.success': {
    tells: 'A webhook has a new signature key.',
    data: WebhookData,
  },
  'webhook.webhook.test.success': {
    tells: 'A test event was asked for; it is sent to that webhook alone.',
    data: WebhookData,
  },
  'webhook.webhook.disable.success': {
    tells: 'A webhook was made inactive, because for five days nothing was delivered to it.',
    data: WebhookData,
    elsewhere: [{ source: 'The delivery of events', actor: 'system' }],
  },
  'webhook.delivery.redeliver.success': {
    tells: 'Events are sent to a webhook again.',
    data: WebhookRedelivery,
  },
} as const satisfies Record<string, EventKind>

export type EventCode = keyof typeof eventCatalog

/** The record in the data of a code's events. */
export type EventRecord<Code extends EventCode> = z.output<(typeof eventCatalog)[Code]['data']>

export const eventCodes = Object.keys(eventCatalog) as readonly EventCode[]

/** The first word of a code, such as user. */
function familyOf(code: string): string {
  return code.split('.')[0] ?? ''
}

const families = [...new Set(eventCodes.map(familyOf))]

/** The selector of all events of single sign-on. */
const ssoSelector = 'sso_saml.all'

/** The selectors that a webhook can subscribe to: each code, `<family>.all`, and `all`. */
export const eventSelectors: readonly string[] = [
  'all',
  ...families.map((family) => `${family}.all`),
  ssoSelector,
  ...eventCodes,
]

/** The selectors that match a code. */
export function selectorsOf(code: EventCode): readonly string[] {
  const family = familyOf(code)
  return [code, `${family}.all`, 'all', ...(family === 'sso' ? [ssoSelector] : [])]
}
