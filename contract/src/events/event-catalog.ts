import type { z } from 'zod/v4'
import { Account } from '../resources/account.js'
import { Admin } from '../resources/admins.js'
import { ApiKey } from '../resources/api-keys.js'
import { Application } from '../resources/applications.js'
import { DeletionRequest } from '../resources/deletion-requests.js'
import { DirectorySyncEvent } from '../resources/directory-sync.js'
import { EmailChange } from '../resources/email-changes.js'
import { ErasedUser, RemovedAdmin } from '../resources/erasure.js'
import {
  ApplicationSecretData,
  DirectorySyncData,
  DomainData,
  ImpersonationData,
  InvitationData,
  MagicLinkChallengeData,
  PasskeyChallengeData,
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
import { UserIdentity } from '../resources/identities.js'
import { JoinRequest } from '../resources/join-requests.js'
import { OrganizationPolicy } from '../resources/organization-policy.js'
import { Organization } from '../resources/organizations.js'
import { PasswordConnection, PasswordRequest } from '../resources/password.js'
import { Permission } from '../resources/permissions.js'
import { Relay } from '../resources/relays.js'
import { Role } from '../resources/roles.js'
import { EndedSessions, Session } from '../resources/sessions.js'
import { SocialConnection } from '../resources/social-connection.js'
import { SocialProvider } from '../resources/social-providers.js'
import { SsoAdminOnboarding } from '../resources/sso-onboarding.js'
import { DefaultRedirection, SsoConnection } from '../resources/sso-records.js'
import { PasskeyRecovery } from '../resources/passkey-recovery.js'
import { Passkey, PasskeyConnection } from '../resources/passkeys.js'
import { TotpConnection } from '../resources/totp.js'
import { UserRoles } from '../resources/user-roles.js'
import { User } from '../resources/users.js'
import { WebhookData, WebhookRedelivery } from './webhook-records.js'

/**
 * The actors of events: an API key, a member of the account's staff in the console, a user of the hosted pages, an
 * administrator in the onboarding, the provider of a directory, an operator at the command line, or the service itself.
 */
export const actorTypes = ['api_key', 'staff', 'user', 'admin', 'directory', 'operator', 'system'] as const
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
const accountPage = [{ source: 'The account page', actor: 'user' }] as const
const signInPage = [{ source: 'The page of a sign-in', actor: 'user' }] as const
const scim = [{ source: 'A request of the provider of a directory', actor: 'directory' }] as const
const commandLine = [{ source: 'The command line', actor: 'operator' }] as const
const domainChecks = [
  { source: 'POST …/domains/<id>/check', actor: 'api_key' },
  { source: 'The checks of domains', actor: 'system' },
  ...onboardingPage,
] as const
const purge = { source: 'The purge', actor: 'system' } as const
const impersonationPage = [{ source: 'The page of an impersonation', actor: 'system' }] as const
const invitationPage = [{ source: 'The page of an invitation', actor: 'user' }, ...signInPage] as const
const userMadeElsewhere = [
  { source: 'A user who is created with the address', actor: 'api_key' },
  ...scim,
  ...commandLine,
  { source: 'The hourly look at invitations', actor: 'system' },
] as const
const relayAddress = [{ source: 'The address of a relay', actor: 'user' }] as const

/**
 * Every event by its code, `<family>.<resource>.<action>.<success or fail>`, with its meaning and its data.
 * Webhooks subscribe to codes, to `<family>.all`, or to `all`.
 */
export const eventCatalog = {
  'organization.organization.create.success': { tells: 'An organization was created.', data: Organization },
  'organization.organization.update.success': { tells: 'An organization was changed.', data: Organization },
  'organization.organization.delete.success': {
    tells: 'An organization was deleted; everything it contained is inaccessible.',
    data: Organization,
  },
  'organization.policy.update.success': {
    tells: 'The policy of an organization was changed.',
    data: OrganizationPolicy,
  },
  'domain.domain.create.success': {
    tells: 'An e-mail domain was added to an organization.',
    data: DomainData,
    elsewhere: [
      { source: 'email_domains of an SSO connection, and allowed_email_domains', actor: 'api_key' },
      ...onboardingPage,
      ...commandLine,
    ],
  },
  'domain.domain.update.success': {
    tells: 'A domain was changed.',
    data: DomainData,
    elsewhere: onboardingPage,
  },
  'domain.domain.delete.success': { tells: 'A domain was deleted.', data: DomainData },
  'domain.domain.verify.success': {
    tells: 'A domain was proved, for the first time or again.',
    data: DomainData,
    elsewhere: domainChecks,
  },
  'domain.domain.lapse.success': {
    tells:
      'The record of a proved domain was missing three times: the domain lapses in 14 days, or has lapsed, as its state says.',
    data: DomainData,
    elsewhere: domainChecks,
  },
  'domain.domain.expire.success': {
    tells: 'A domain was not proved in 30 days; its token is void.',
    data: DomainData,
    elsewhere: domainChecks,
  },
  'domain.domain.share.success': {
    tells: 'Another organization of the account has proved the same domain; both are told.',
    data: DomainData,
    elsewhere: domainChecks,
  },
  'account.account.update.success': {
    tells: 'The account was changed: the name, the look or the links of the product.',
    data: Account,
    elsewhere: commandLine,
  },
  'user.user.create.success': {
    tells: 'A user was created.',
    data: User,
    elsewhere: [...signInPage, ...scim, ...onboardingPage],
  },
  'user.user.update.success': {
    tells: 'A user was changed.',
    data: User,
    elsewhere: [...signInPage, ...scim, ...accountPage],
  },
  'user.user.delete.success': {
    tells: 'A user was deleted, and their sessions ended.',
    data: User,
    elsewhere: [...scim, ...accountPage],
  },
  'user.user.erase.success': {
    tells: "A person's data and their earlier events were erased; erase your copies of them, too.",
    data: ErasedUser,
    elsewhere: [purge, ...commandLine],
  },
  'user.metadata.set.success': { tells: 'A metadata value of a user was set.', data: User },
  'user.metadata.remove.success': { tells: 'A metadata value of a user was removed.', data: User },
  'user.roles.update.success': {
    tells:
      'The roles that a user is given were replaced, by the API or at a sign-in by SSO, or came with an invitation or by joining.',
    data: UserRoles,
    elsewhere: [
      ...invitationPage,
      { source: 'A sign-in by SSO', actor: 'user' },
      { source: 'The approval of a join request', actor: 'api_key' },
      { source: 'DELETE …/identities/<id>, of an identity that has given roles', actor: 'api_key' },
      ...onboardingPage,
    ],
  },
  'invitation.invitation.create.success': { tells: 'An address was invited.', data: InvitationData },
  'invitation.invitation.update.success': { tells: 'An invitation was changed.', data: InvitationData },
  'invitation.invitation.resend.success': {
    tells: 'An invitation was sent again; its URL of before works no more.',
    data: InvitationData,
  },
  'invitation.invitation.revoke.success': {
    tells: 'An invitation was revoked, or its address has a user who did not come by it.',
    data: InvitationData,
    elsewhere: userMadeElsewhere,
  },
  'invitation.invitation.accept.success': {
    tells: 'The user of an invitation came in.',
    data: InvitationData,
    elsewhere: invitationPage,
  },
  'invitation.invitation.accept.fail': {
    tells: 'An invitation was opened, and its user did not come in; it stays as it is.',
    data: InvitationData,
    elsewhere: [{ source: 'The page of an invitation, or of a sign-in', actor: 'system' }],
  },
  'invitation.invitation.expire.success': {
    tells: 'The time of an invitation was over before it was accepted.',
    data: InvitationData,
    elsewhere: [
      { source: 'The hourly look at invitations', actor: 'system' },
      { source: 'The next invitation of the address', actor: 'api_key' },
    ],
  },
  'invitation.join_request.create.success': {
    tells: 'Somebody with an address of a verified domain asked to join.',
    data: JoinRequest,
    elsewhere: [{ source: 'The page of a sign-in', actor: 'system' }],
  },
  'invitation.join_request.approve.success': {
    tells: 'A join request was approved: its user is there.',
    data: JoinRequest,
    elsewhere: onboardingPage,
  },
  'invitation.join_request.deny.success': {
    tells: 'A join request was denied.',
    data: JoinRequest,
    elsewhere: onboardingPage,
  },
  'invitation.join_request.expire.success': {
    tells: 'The time of a join request was over before anybody decided it, or its address has a user by now.',
    data: JoinRequest,
    elsewhere: [{ source: 'The hourly look at join requests', actor: 'system' }],
  },
  'user.deletion.request.success': {
    tells: 'A user asked, on the account page, that their account be deleted; it stays until somebody does.',
    data: DeletionRequest,
    elsewhere: accountPage,
  },
  'user.email_change.request.success': {
    tells: 'A user asked to change their address, on the account page.',
    data: EmailChange,
    elsewhere: accountPage,
  },
  'user.email_change.revert.success': {
    tells:
      'The address of a user was put back by the link in the mail to it, and their sessions ended: somebody else may have changed it.',
    data: EmailChange,
    elsewhere: [{ source: 'The link in the mail about a changed address', actor: 'user' }],
  },
  'user.identity.link.success': {
    tells: 'An identity was linked to a user who was there before.',
    data: UserIdentity,
    elsewhere: [...signInPage, ...accountPage],
  },
  'user.identity.unlink.success': {
    tells: 'An identity was unlinked from a user, and their sessions ended.',
    data: UserIdentity,
    elsewhere: accountPage,
  },
  'user.session.create.success': {
    tells: 'A user signed in; with `impersonation_id`: a member of staff as the user.',
    data: Session,
    elsewhere: [...signInPage, ...impersonationPage],
  },
  'user.session.end.success': {
    tells: 'A user signed out, or was signed out of a session.',
    data: Session,
    elsewhere: [...signInPage, { source: 'A revocation with `end_session`', actor: 'system' }],
  },
  'user.session.end_all.success': {
    tells: 'A user was signed out everywhere.',
    data: EndedSessions,
    elsewhere: signInPage,
  },
  'user.impersonation.create.success': {
    tells: 'A member of staff is to sign in as a user.',
    data: ImpersonationData,
  },
  'user.impersonation.start.success': {
    tells: 'A member of staff signed in as a user.',
    data: ImpersonationData,
    elsewhere: impersonationPage,
  },
  'user.impersonation.end.success': {
    tells: 'An impersonation ended, or was ended before it had started.',
    data: ImpersonationData,
    elsewhere: [{ source: 'The end of its time, or of its session', actor: 'system' }],
  },
  'role.role.create.success': { tells: 'A role was created.', data: Role },
  'role.role.update.success': {
    tells: 'A role was changed, or another became the default in its place.',
    data: Role,
    elsewhere: [{ source: 'Another role that becomes the default', actor: 'api_key' }],
  },
  'role.role.delete.success': { tells: 'A role was deleted; its users no longer have it.', data: Role },
  'role.permission.create.success': { tells: 'A permission was declared.', data: Permission },
  'role.permission.update.success': {
    tells: 'The description of a permission was changed.',
    data: Permission,
  },
  'role.permission.delete.success': {
    tells: 'A permission was deleted; roles no longer have it.',
    data: Permission,
  },
  'social.provider.create.success': {
    tells: 'A social provider was added.',
    data: SocialProvider,
    elsewhere: commandLine,
  },
  'social.provider.update.success': {
    tells: 'A social provider was changed.',
    data: SocialProvider,
    elsewhere: commandLine,
  },
  'social.provider.delete.success': {
    tells: 'A social provider was deleted; nobody can sign in by it any more.',
    data: SocialProvider,
  },
  'social.provider.expire.success': {
    tells:
      'The secret of a social provider ends within 30 days, as secret_expires_at says, or has ended; emitted once for each secret.',
    data: SocialProvider,
    elsewhere: [{ source: 'The daily look at secrets', actor: 'system' }],
  },
  'social.connection.update.success': {
    tells: 'The social sign-in of an organization was changed.',
    data: SocialConnection,
  },
  'application.application.create.success': { tells: 'An application was registered.', data: Application },
  'application.application.update.success': { tells: 'An application was changed.', data: Application },
  'application.application.delete.success': { tells: 'An application was deleted.', data: Application },
  'application.secret.create.success': {
    tells: 'An application got another secret.',
    data: ApplicationSecretData,
  },
  'application.secret.delete.success': {
    tells: 'A secret of an application was deleted.',
    data: ApplicationSecretData,
  },
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
    tells: 'A magic link was requested.',
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
    tells: 'A first or new password was requested.',
    data: PasswordRequest,
  },
  'password.challenge.create.success': {
    tells: 'The password of a user was correct.',
    data: PasswordChallengeData,
  },
  'password.password.set.success': {
    tells: 'A user set a new password, and their other sessions ended.',
    data: PasswordData,
  },
  'totp.connection.update.success': { tells: 'The TOTP connection was changed.', data: TotpConnection },
  'totp.enrollment.create.success': {
    tells: 'The enrolment of a user was begun; codes are required from its validation on.',
    data: TotpEnrollmentData,
  },
  'totp.enrollment.validate.success': {
    tells: 'The enrolment of a user was validated.',
    data: TotpEnrollmentData,
  },
  'totp.enrollment.delete.success': {
    tells:
      'The enrolment of a user was removed, and their sessions ended; no code is asked of them any more.',
    data: TotpEnrollmentData,
  },
  'totp.challenge.create.success': { tells: 'A code was requested from a user.', data: TotpChallengeData },
  'totp.challenge.validate.success': { tells: 'The code of a user was correct.', data: TotpChallengeData },
  'passkey.connection.update.success': {
    tells: 'The passkey connection was changed.',
    data: PasskeyConnection,
  },
  'passkey.passkey.create.success': {
    tells: 'A user added a passkey.',
    data: Passkey,
    elsewhere: accountPage,
  },
  'passkey.passkey.update.success': {
    tells: 'A passkey was renamed.',
    data: Passkey,
    elsewhere: accountPage,
  },
  'passkey.passkey.delete.success': {
    tells: 'A passkey of a user was removed, and their other sessions ended.',
    data: Passkey,
    elsewhere: accountPage,
  },
  'passkey.passkey.disable.success': {
    tells: 'A passkey was disabled, because a copy of it was used.',
    data: Passkey,
    elsewhere: [
      { source: 'The page of a sign-in', actor: 'system' },
      { source: 'PUT /api/v2/passkey-challenge/validation', actor: 'api_key' },
    ],
  },
  'passkey.recovery.open.success': {
    tells: 'An operator let a user who has lost their passkeys add one by their mailbox.',
    data: PasskeyRecovery,
  },
  'passkey.challenge.validate.success': {
    tells: 'The passkey of a user who is signing in was right.',
    data: PasskeyChallengeData,
    elsewhere: signInPage,
  },
  'sso.connection.create.success': { tells: 'An SSO connection was created.', data: SsoConnection },
  'sso.connection.update.success': {
    tells: 'An SSO connection was changed: its settings, its metadata, or its setup state.',
    data: SsoConnection,
    elsewhere: [...onboardingPage, ...signInPage],
  },
  'sso.default_redirection.create.success': {
    tells: 'The redirect target of IdP-initiated sign-ins was changed.',
    data: DefaultRedirection,
  },
  'sso.onboarding.create.success': {
    tells: 'The onboarding of an administrator was begun.',
    data: SsoAdminOnboarding,
  },
  'sso.onboarding.update.success': {
    tells: 'An onboarding was changed, or advanced to another step.',
    data: SsoAdminOnboarding,
    elsewhere: [...onboardingPage, { source: 'The removal of its administrator', actor: 'api_key' }],
  },
  'sso.onboarding.invite.success': {
    tells: 'The onboarding link was sent to its administrator by e-mail.',
    data: SsoAdminOnboarding,
    elsewhere: [{ source: 'POST /api/v2/sso-connections with send_email', actor: 'api_key' }],
  },
  'sso.onboarding.reset.success': { tells: 'An onboarding was restarted.', data: SsoAdminOnboarding },
  'sso.challenge.create.success': {
    tells: 'The URL that starts the sign-in of a user with an SSO connection was requested.',
    data: SsoSamlChallengeData,
  },
  'sso.oauth_challenge.create.success': {
    tells: 'The URL that starts the sign-in of a user with an OpenID Connect connection was requested.',
    data: SsoOauthChallengeData,
  },
  'sso.certificate.expire.success': {
    tells:
      'The newest signing certificate of an identity provider expires within 30 days, or has expired; emitted once a week.',
    data: SsoConnection,
    elsewhere: [{ source: 'The daily check of certificates', actor: 'system' }],
  },
  'admin.admin.invite.success': { tells: 'An administrator was invited.', data: Admin },
  'admin.admin.update.success': {
    tells: 'An administrator accepted the invitation, or declined it.',
    data: Admin,
    elsewhere: onboardingPage,
  },
  'admin.admin.delete.success': {
    tells:
      'An administrator was removed, and their address was erased from events; erase your copies of it, too.',
    data: RemovedAdmin,
  },
  'dir_sync.directory.create.success': { tells: 'A directory was created.', data: DirectorySyncData },
  'dir_sync.directory.update.success': { tells: 'A directory was changed.', data: DirectorySyncData },
  'dir_sync.directory.delete.success': {
    tells: 'A directory was deleted together with its groups; its users stay.',
    data: DirectorySyncData,
  },
  'dir_sync.directory.reset.success': {
    tells: 'The secret of a directory was replaced.',
    data: DirectorySyncData,
  },
  'dir_sync.user.provision.success': {
    tells: 'The provider of a directory created a user, or took over an existing one.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.provision.fail': {
    tells: 'The creation of a user by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.update.success': {
    tells: 'The provider of a directory changed a user.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.update.fail': {
    tells: 'A change of a user by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.deprovision.success': {
    tells: 'The provider of a directory deleted a user.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.user.deprovision.fail': {
    tells: 'The deletion of a user by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.provision.success': {
    tells: 'The provider of a directory created a group.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.provision.fail': {
    tells: 'The creation of a group by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.update.success': {
    tells: 'The provider of a directory changed a group or its members.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.update.fail': {
    tells: 'A change of a group by the provider of a directory was refused.',
    data: DirectorySyncEvent,
    elsewhere: scim,
  },
  'dir_sync.group.deprovision.success': {
    tells: 'The provider of a directory deleted a group.',
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
    tells: 'A relay was deleted, and its open requests became invalid.',
    data: Relay,
  },
  'relay.request.create.success': {
    tells: 'The URL that hands a user over to the partner was requested.',
    data: RelayRequestData,
  },
  'relay.request.consume.success': {
    tells: 'A user was handed over to the partner, and signed in there.',
    data: RelayRequestData,
    elsewhere: relayAddress,
  },
  'api_key.api_key.create.success': {
    tells: 'An API key was created.',
    data: ApiKey,
    elsewhere: commandLine,
  },
  'api_key.api_key.rotate.success': {
    tells: 'The secret of an API key was replaced.',
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
    tells: 'The signature key of a webhook was replaced.',
    data: WebhookData,
  },
  'webhook.webhook.test.success': {
    tells: 'A test event was requested; it is sent only to that webhook.',
    data: WebhookData,
  },
  'webhook.webhook.disable.success': {
    tells: 'A webhook was deactivated, because nothing was delivered to it for five days.',
    data: WebhookData,
    elsewhere: [{ source: 'The delivery of events', actor: 'system' }],
  },
  'webhook.delivery.redeliver.success': {
    tells: 'The redelivery of events to a webhook was requested.',
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
