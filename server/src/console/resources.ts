import type { ScreenDeclaration } from '../screens/screen.js'

const organization = 'organizations/:org_domain'
const user = `${organization}/users/:user_id`

type Row = Readonly<Record<string, unknown>>

const isPending = ({ state }: Row) => state === 'pending'
const isLive = ({ revoked_at }: Row) => revoked_at === null
const isOnboarding = ({ onboarding }: Row) => onboarding !== null

/** Members of a user that their profile, address and numbers have already: the flat form is for callers. */
const flatMembers = Object.fromEntries(
  [
    ...[
      'given_name',
      'family_name',
      'nickname',
      'preferred_username',
      'birthdate',
      'gender',
      'locale',
      'zoneinfo',
    ],
    ...[
      'picture',
      'website',
      'formatted',
      'street_address',
      'locality',
      'region',
      'postal_code',
      'country',
      'city',
    ],
    ...['domain', 'meta_data'],
  ].map((name) => [name, 'the profile or the address has it']),
)

/** Members of a profile and an address that repeat others. */
const copies = Object.fromEntries(
  ['profile.name', 'profile.email', 'profile.phone_number', 'profile.address', 'address.city'].map((name) => [
    name,
    'a copy of another member',
  ]),
)

/** The screens of the console, in the order of its navigation. Each is derived from the routes that it names. */
export const resources: readonly ScreenDeclaration[] = [
  {
    at: 'organizations',
    list: { route: 'organizations.list', columns: ['name', 'domain', 'environments', 'inserted_at'] },
    record: 'organizations.get',
    create: 'organizations.create',
    update: 'organizations.update',
    actions: ['organizations.delete'],
    omitted: { autocomplete_address: 'only asked for by forms that look addresses up' },
    retyped: 'org_domain',
  },
  {
    at: `${organization}/users`,
    list: { route: 'users.list', columns: ['email', 'profile.name', 'active', 'inserted_at'] },
    record: 'users.get',
    create: 'users.create',
    update: 'users.update',
    actions: [
      'users.addMetadata',
      'users.removeMetadata',
      'totp.removeEnrollment',
      'passkeys.openRecovery',
      'users.delete',
    ],
    omitted: { ...flatMembers, ...copies },
  },
  {
    at: `${user}/roles`,
    record: 'roles.getUserRoles',
    update: 'roles.setUserRoles',
  },
  {
    at: `${user}/sessions`,
    list: { route: 'sessions.list', columns: ['last_used_at', 'user_agent', 'amr', 'expires_at'] },
    rowActions: ['sessions.end'],
    listActions: ['sessions.endAll'],
  },
  {
    at: `${user}/passkeys`,
    list: { route: 'passkeys.list', columns: ['name', 'provider_name', 'last_used_at', 'inserted_at'] },
    record: 'passkeys.get',
    update: 'passkeys.update',
    actions: ['passkeys.delete'],
  },
  {
    at: `${user}/identities`,
    list: {
      ...{ route: 'users.get', member: 'identities' },
      columns: ['provider', 'idp_id', 'authenticated_at'],
    },
    rowActions: ['identities.unlink'],
    // That of a directory is the directory's.
    onlyIf: { 'identities.unlink': ({ id }) => id !== null },
  },
  {
    at: `${user}/impersonations`,
    list: { route: 'impersonations.list', columns: ['inserted_at', 'reason', 'actor.id', 'ended_at'] },
    rowActions: ['impersonations.end'],
    onlyIf: { 'impersonations.end': ({ ended_at }) => ended_at === null },
  },
  {
    at: `${organization}/invitations`,
    list: { route: 'invitations.list', columns: ['email', 'state', 'roles', 'expires_at'] },
    record: 'invitations.get',
    create: 'invitations.create',
    update: 'invitations.update',
    actions: ['invitations.resend', 'invitations.revoke'],
    onlyIf: {
      'invitations.update': isPending,
      'invitations.resend': isPending,
      'invitations.revoke': isPending,
    },
  },
  {
    at: `${organization}/join-requests`,
    list: { route: 'joinRequests.list', columns: ['email', 'state', 'inserted_at', 'decided_at'] },
    record: 'joinRequests.get',
    actions: ['joinRequests.approve', 'joinRequests.deny'],
    onlyIf: { 'joinRequests.approve': isPending, 'joinRequests.deny': isPending },
  },
  { at: `${organization}/policy`, record: 'organizationPolicy.get', update: 'organizationPolicy.update' },
  {
    at: `${organization}/domains`,
    list: { route: 'domains.list', columns: ['domain', 'state', 'sso_required', 'expires_at'] },
    record: 'domains.get',
    create: 'domains.create',
    update: 'domains.update',
    actions: ['domains.check', 'domains.delete'],
  },
  {
    at: `${organization}/magic-link`,
    record: 'magicLink.getConnection',
    update: 'magicLink.updateConnection',
  },
  {
    at: `${organization}/password`,
    record: 'password.getConnection',
    create: 'password.createConnection',
    update: 'password.updateConnection',
  },
  {
    at: `${organization}/social`,
    record: 'socialConnection.get',
    update: 'socialConnection.update',
  },
  { at: `${organization}/totp`, record: 'totp.getConnection', update: 'totp.updateConnection' },
  {
    at: `${organization}/passkey-connection`,
    record: 'passkeys.getConnection',
    update: 'passkeys.updateConnection',
  },
  {
    at: `${organization}/directory`,
    record: 'directorySync.get',
    create: 'directorySync.create',
    update: 'directorySync.update',
    actions: ['directorySync.reset', 'directorySync.delete'],
  },
  {
    at: `${organization}/directory/requests`,
    list: { route: 'directorySync.listRequests', columns: ['inserted_at', 'status', 'method', 'path'] },
  },
  {
    at: `${organization}/admins`,
    list: {
      route: 'admins.list',
      columns: ['email', 'invited_at', 'accepted_invitation_at', 'last_login_at'],
    },
    create: 'admins.invite',
    rowActions: ['admins.delete'],
  },
  {
    at: `${organization}/applications`,
    list: { route: 'applications.list', columns: ['name', 'application_type', 'code_exchange', 'client_id'] },
    record: 'applications.get',
    create: 'applications.create',
    update: 'applications.update',
    actions: ['applications.delete'],
  },
  {
    at: `${organization}/applications/:client_id/secrets`,
    list: {
      route: 'applicationSecrets.list',
      columns: ['hint', 'inserted_at', 'last_used_at', 'expires_at'],
    },
    create: 'applicationSecrets.create',
    rowActions: ['applicationSecrets.delete'],
  },
  {
    at: `${organization}/metadata-keys`,
    list: { route: 'tokenCustomization.listMetaKeys', columns: ['name', 'type', 'required'] },
    create: 'tokenCustomization.createMetaKey',
    listActions: ['tokenCustomization.deleteMetaKey'],
  },
  {
    at: `${organization}/log-events`,
    list: { route: 'logEvents.list', columns: ['inserted_at', 'event_code', 'email', 'reason'] },
  },
  {
    at: 'applications',
    list: {
      route: 'applications.listOfAccount',
      columns: ['name', '__managed_by__', 'organization_domain_scope', 'client_id'],
    },
  },
  {
    at: 'sso-connections',
    list: {
      route: 'ssoConnections.list',
      columns: ['idp_id', '__domain__', 'provider_type', 'state', 'active'],
    },
    record: 'ssoConnections.get',
    create: 'ssoConnections.create',
    update: 'ssoConnections.update',
    actions: [
      ...['ssoConnections.inviteAdmin', 'ssoConnections.createOnboarding', 'ssoConnections.updateOnboarding'],
      ...['ssoConnections.resetOnboarding', 'ssoConnections.createDefaultRedirection'],
      ...['ssoConnections.activate', 'ssoConnections.disable'],
    ],
    omitted: { preload_associations: 'the page loads all' },
    references: { organization_id: 'organizations.get' },
    onlyIf: {
      'ssoConnections.inviteAdmin': isOnboarding,
      'ssoConnections.createOnboarding': (connection) => !isOnboarding(connection),
      'ssoConnections.updateOnboarding': isOnboarding,
      'ssoConnections.resetOnboarding': isOnboarding,
      'ssoConnections.activate': ({ active }) => active !== true,
      'ssoConnections.disable': ({ active }) => active === true,
    },
  },
  {
    at: 'sso-connections/:idp_id/attempts',
    list: {
      route: 'ssoConnections.listLoginTraces',
      columns: ['inserted_at', 'outcome', 'failed_check', 'email'],
    },
  },
  {
    at: 'webhooks',
    list: { route: 'webhooks.list', columns: ['name', 'target_url', 'active', 'failing_since'] },
    record: 'webhooks.get',
    create: 'webhooks.create',
    update: 'webhooks.update',
    actions: ['webhooks.rotateSignatureKey', 'webhooks.test', 'webhooks.redeliverAll', 'webhooks.delete'],
  },
  {
    at: 'webhooks/:webhook_id/deliveries',
    list: {
      route: 'webhooks.listDeliveries',
      columns: ['inserted_at', 'event_code', 'state', 'next_attempt_at'],
    },
    rowActions: ['webhooks.redeliver'],
  },
  {
    at: 'events',
    list: { route: 'recentEvents.list', columns: ['issued_at', 'code', '__domain__', 'actor.type'] },
  },
  {
    at: 'log-events',
    list: {
      route: 'logEvents.listOfAccount',
      columns: ['inserted_at', 'event_code', 'tenant_domain', 'email'],
    },
  },
  {
    at: 'roles',
    list: {
      route: 'roles.list',
      columns: ['name', 'display_name', 'organization_domain_scope', 'users_count'],
    },
    record: 'roles.get',
    create: 'roles.create',
    update: 'roles.update',
    actions: ['roles.delete'],
  },
  {
    at: 'permissions',
    list: { route: 'permissions.list', columns: ['name', 'description', 'roles_count'] },
    record: 'permissions.get',
    create: 'permissions.create',
    update: 'permissions.update',
    actions: ['permissions.delete'],
  },
  {
    at: 'social-providers',
    list: { route: 'socialProviders.list', columns: ['name', 'display_name', 'state', 'active'] },
    record: 'socialProviders.get',
    create: 'socialProviders.create',
    update: 'socialProviders.update',
    actions: ['socialProviders.check', 'socialProviders.delete'],
    shown: ['socialProviders.check'],
  },
  {
    at: 'relays',
    list: { route: 'relays.list', columns: ['partner_domain', 'partner_redirect_uri', 'active'] },
    record: 'relays.get',
    create: 'relays.create',
    update: 'relays.update',
    actions: ['relays.delete'],
  },
  {
    at: 'outbox',
    list: { route: 'outbox.list', columns: ['inserted_at', 'to', 'subject', 'channel'] },
  },
  {
    at: 'api-keys',
    list: { route: 'apiKeys.list', columns: ['name', 'scopes', 'last_used_at', 'expires_at'] },
    record: 'apiKeys.get',
    create: 'apiKeys.create',
    actions: ['apiKeys.rotate', 'apiKeys.revoke'],
    references: { organization_ids: 'organizations.get' },
    onlyIf: { 'apiKeys.rotate': isLive, 'apiKeys.revoke': isLive },
  },
  {
    at: 'audit',
    list: { route: 'audit.list', columns: ['inserted_at', 'action', 'staff.email', 'outcome'] },
  },
  {
    at: 'staff',
    list: { route: 'staff.list', columns: ['email', 'roles', 'name', 'last_seen_at'] },
    record: 'staff.get',
    update: 'staff.setRole',
    actions: ['staff.endSessions', 'staff.remove'],
  },
  {
    at: 'staff-invitations',
    list: { route: 'staffInvitations.list', columns: ['email', 'roles', 'last_sent_at', 'expires_at'] },
    create: 'staffInvitations.invite',
    rowActions: ['staffInvitations.revoke'],
  },
  { at: 'account', record: 'account.get', update: 'account.update' },
]

/** Public routes without a screen, and why: a test compares both with the contract. */
export const notShown: Readonly<Record<string, string>> = {
  'users.getByEmail': 'the list is filtered by address',
  'events.list': 'the order of programs; people read the newest first',
  'tokenCustomization.sample': 'a sample for programs',
  'tokenCustomization.setUserMetadata': 'addMetadata of a user does the same',
  'accessEvaluation.evaluate': 'a question of programs',
  'accessEvaluation.evaluateAll': 'a question of programs',
  'discovery.createChallenge': 'speaks for the user',
  'discovery.exchange': 'speaks for the user',
  'discovery.enter': 'speaks for the user',
  'magicLink.createChallenge': 'a button of the page about a person',
  'password.createRequest': 'a button of the page about a person',
  'password.createChallenge': 'speaks for the user',
  'password.set': 'speaks for the user',
  'passkeys.createRegistration': 'speaks for the user',
  'passkeys.completeRegistration': 'speaks for the user',
  'passkeys.createChallenge': 'speaks for the user',
  'passkeys.validateChallenge': 'speaks for the user',
  'totp.postConnection': 'made with the organization',
  'totp.enroll': 'speaks for the user',
  'totp.validateEnrollment': 'speaks for the user',
  'totp.createChallenge': 'speaks for the user',
  'totp.validateChallenge': 'speaks for the user',
  'impersonations.create': 'begins at the product, which has to be named',
  'ssoConnections.getDefaultRedirection': 'the connection has it',
  'ssoConnections.setUserPolicy': 'edited with the connection',
  'ssoConnections.useMetadata': 'edited with the connection',
  'ssoConnections.useOidcClient': 'edited with the connection',
  'ssoConnections.createSamlChallenge': 'speaks for the user',
  'ssoConnections.createOauthChallenge': 'speaks for the user',
  'relays.request': 'speaks for the user',
  'people.diagnose': 'the page about a person',
  'limits.unlock': 'the page about a person',
  'records.find': 'the search box',
  'statistics.get': 'the home page',
  'health.get': 'the home page',
}
