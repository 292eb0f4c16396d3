import { Account, AccountChanges } from '@portico/contract/account'
import {
  Application,
  ApplicationChanges,
  ApplicationQuery,
  NewApplication,
} from '@portico/contract/applications'
import { Domain, DomainChanges, DomainQuery, NewDomain } from '@portico/contract/domains'
import { DirectorySync, DirectorySyncChanges, NewDirectorySync } from '@portico/contract/directory-sync'
import { PageQuery } from '@portico/contract/fields'
import { NewPermission, Permission, PermissionChanges, PermissionQuery } from '@portico/contract/permissions'
import { RoleMapping } from '@portico/contract/role-mapping'
import { NewRole, Role, RoleChanges, RoleQuery } from '@portico/contract/roles'
import { MagicLinkConnection, MagicLinkConnectionChanges } from '@portico/contract/magic-link'
import { OrganizationPolicy, OrganizationPolicyChanges } from '@portico/contract/organization-policy'
import { PasswordConnection } from '@portico/contract/password'
import { NewPasswordConnection, PasswordConnectionChanges } from '@portico/contract/password-input'
import { NewSsoConnection, SsoConnectionChanges, SsoConnectionQuery } from '@portico/contract/sso-connections'
import { SsoConnection } from '@portico/contract/sso-records'
import { PasskeyConnection, PasskeyConnectionChanges } from '@portico/contract/passkeys'
import { SocialConnection, SocialConnectionChanges } from '@portico/contract/social-connection'
import {
  NewSocialProvider,
  SocialProvider,
  SocialProviderChanges,
  SocialProviderQuery,
} from '@portico/contract/social-providers'
import { TotpConnection, TotpConnectionChanges } from '@portico/contract/totp'
import { Webhook } from '@portico/contract/webhook-records'
import { NewWebhook, WebhookChanges } from '@portico/contract/webhooks'
import { getAccountRecord, updateAccountRecord } from '../../directory/account-record/account-record.js'
import {
  createApplication,
  deleteApplication,
  listApplications,
  updateApplication,
} from '../../directory/applications/applications.js'
import type { Deps } from '../../delivery/deps.js'
import {
  createDirectorySync,
  deleteDirectorySync,
  getDirectorySync,
  updateDirectorySync,
} from '../../directory/directory-sync/directory-sync.js'
import {
  getOrganizationPolicy,
  updateOrganizationPolicy,
} from '../../directory/organization-policy/organization-policy.js'
import { createDomain, deleteDomain, listDomains, updateDomain } from '../../directory/domains/domains.js'
import {
  createPermission,
  deletePermission,
  listPermissions,
  updatePermission,
} from '../../directory/roles/permissions.js'
import { createRole, deleteRole, listRoles, updateRole } from '../../directory/roles/roles.js'
import { getMagicLinkConnection, updateMagicLinkConnection } from '../../sign-in/magic-link/connection.js'
import {
  createPasswordConnection,
  getPasswordConnection,
  updatePasswordConnection,
} from '../../sign-in/password/connection.js'
import {
  createSsoConnection,
  listSsoConnections,
  updateSsoConnection,
} from '../../sso/connections/connections.js'
import { getPasskeyConnection, updatePasskeyConnection } from '../../sign-in/passkeys/connection.js'
import { getSocialConnection, updateSocialConnection } from '../../sso/social/connection.js'
import {
  createSocialProvider,
  deleteSocialProvider,
  listSocialProviders,
  updateSocialProvider,
} from '../../sso/social/providers.js'
import { getTotpConnection, updateTotpConnection } from '../../sign-in/totp/connection.js'
import {
  createWebhook,
  deleteWebhook,
  listWebhooks,
  updateWebhook,
} from '../../delivery/webhooks/webhooks.js'
import { everyPage, kindOf, oneOrNone, type Members, type PromotionTarget } from './kind.js'

const isWhereItStands = 'is told by where it stands in the file'
const isPlace = { environment: 'is told by the command' }
const isOfProvider = 'is of the identity provider, which is another one in each environment'

const application = {
  resource: 'applications',
  key: 'name',
  omitted: { organization_domain_scope: isWhereItStands },
  record: Application,
  changes: ApplicationChanges,
  creation: NewApplication,
  update: (deps, place, id, input) => updateApplication(deps, place, id, input, undefined),
  remove: (deps, place, id) => deleteApplication(deps, place, id, undefined),
} satisfies Partial<Parameters<typeof kindOf<typeof NewApplication, typeof ApplicationChanges>>[0]>

const role = {
  section: 'roles',
  resource: 'roles',
  key: 'name',
  omitted: { organization_domain_scope: isWhereItStands },
  record: Role,
  creation: NewRole,
  changes: RoleChanges,
  update: (deps, place, id, input) => updateRole(deps, place, id, input, undefined),
  // What breaks was allowed by the operator.
  remove: (deps, place, id) => deleteRole(deps, place, { id, force: true }, undefined),
} satisfies Partial<Parameters<typeof kindOf<typeof NewRole, typeof RoleChanges>>[0]>

/** The promoted kinds, in the order of creation: what others name comes first. */
export const kinds = [
  kindOf({
    section: 'account',
    resource: 'account',
    of: 'account',
    key: null,
    omitted: {},
    record: Account,
    changes: AccountChanges,
    find: async (deps, place) => [(await getAccountRecord(deps, place)).record],
    update: (deps, place, _, input) => updateAccountRecord(deps, place, input, undefined),
  }),
  kindOf({
    section: 'permissions',
    resource: 'permissions',
    of: 'account',
    key: 'name',
    omitted: {},
    record: Permission,
    creation: NewPermission,
    changes: PermissionChanges,
    find: (deps, place) => everyPage((page) => listPermissions(deps, place, PermissionQuery.parse(page))),
    create: createPermission,
    update: (deps, place, id, input) => updatePermission(deps, place, id, input, undefined),
    remove: (deps, place, id) => deletePermission(deps, place, { id, force: true }, undefined),
  }),
  kindOf({
    ...role,
    of: 'account',
    find: async (deps, place) => (await findRoles(deps, place)).filter(isOfAccount),
    create: createRole,
  }),
  kindOf({
    ...role,
    of: 'organization',
    find: (deps, place) => findRoles(deps, place, place.domain),
    create: (deps, place, input) =>
      createRole(deps, place, { ...input, organization_domain_scope: place.domain }),
  }),
  kindOf({
    ...application,
    section: 'applications',
    of: 'account',
    find: (deps, place) => findApplications(deps, place, null),
    create: createApplication,
  }),
  kindOf({
    ...application,
    section: 'applications',
    of: 'organization',
    find: (deps, place) => findApplications(deps, place, place.domain),
    create: (deps, place, input) =>
      createApplication(deps, place, { ...input, organization_domain_scope: place.domain }),
  }),
  kindOf({
    section: 'social_providers',
    resource: 'socialProviders',
    of: 'account',
    key: 'name',
    omitted: {
      ...{ issuer: isOfProvider, client_id: isOfProvider, team_id: isOfProvider, key_id: isOfProvider },
      ...{ client_secret: 'is a secret', private_key: 'is a secret', secret_expires_at: 'is of a secret' },
    },
    record: SocialProvider,
    creation: NewSocialProvider,
    changes: SocialProviderChanges,
    find: findSocialProviders,
    create: createSocialProvider,
    update: (deps, place, id, input) => updateSocialProvider(deps, place, id, input, undefined),
    remove: (deps, place, id) => deleteSocialProvider(deps, place, { id, force: true }, undefined),
  }),
  kindOf({
    section: 'domains',
    resource: 'domains',
    of: 'organization',
    key: 'domain',
    omitted: { ...isPlace, sso_exempt_emails: 'is addresses of persons of one environment' },
    record: Domain,
    creation: NewDomain,
    changes: DomainChanges,
    find: (deps, place) => everyPage((page) => listDomains(deps, place, DomainQuery.parse(page))),
    create: createDomain,
    update: (deps, place, id, input) => updateDomain(deps, place, { id, input }, undefined),
    remove: (deps, place, id) => deleteDomain(deps, place, id, undefined),
  }),
  kindOf({
    section: 'password_connection',
    resource: 'password',
    of: 'organization',
    key: null,
    omitted: {},
    record: PasswordConnection,
    creation: NewPasswordConnection,
    changes: PasswordConnectionChanges,
    find: (deps, place) => oneOrNone(getPasswordConnection(deps, place), 'password_connection_not_found'),
    create: createPasswordConnection,
    update: (deps, place, _, input) => updatePasswordConnection(deps, place, input, undefined),
  }),
  kindOf({
    section: 'magic_link_connection',
    resource: 'magicLink',
    of: 'organization',
    key: null,
    omitted: {},
    record: MagicLinkConnection,
    changes: MagicLinkConnectionChanges,
    find: async (deps, place) => [(await getMagicLinkConnection(deps, place)).record],
    update: (deps, place, _, input) => updateMagicLinkConnection(deps, place, input, undefined),
  }),
  kindOf({
    section: 'totp_connection',
    resource: 'totp',
    of: 'organization',
    key: null,
    omitted: {},
    record: TotpConnection,
    changes: TotpConnectionChanges,
    find: async (deps, place) => [(await getTotpConnection(deps, place)).record],
    update: (deps, place, _, input) => updateTotpConnection(deps, place, input, undefined),
  }),
  kindOf({
    section: 'passkey_connection',
    resource: 'passkeys',
    of: 'organization',
    key: null,
    omitted: { name: 'is what somebody calls their passkey' },
    record: PasskeyConnection,
    changes: PasskeyConnectionChanges,
    find: async (deps, place) => [(await getPasskeyConnection(deps, place)).record],
    update: (deps, place, _, input) => updatePasskeyConnection(deps, place, input, undefined),
  }),
  // After the second factor, which it can demand.
  kindOf({
    section: 'policy',
    resource: 'organizationPolicy',
    of: 'organization',
    key: null,
    omitted: {},
    record: OrganizationPolicy,
    changes: OrganizationPolicyChanges,
    find: async (deps, place) => [(await getOrganizationPolicy(deps, place)).record],
    update: (deps, place, _, input) => updateOrganizationPolicy(deps, place, input, undefined),
  }),
  kindOf({
    section: 'social_connection',
    resource: 'socialConnection',
    of: 'organization',
    key: null,
    omitted: {},
    toInput: withoutTest,
    record: SocialConnection,
    changes: SocialConnectionChanges,
    find: async (deps, place) => [(await getSocialConnection(deps, place)).record],
    update: (deps, place, _, input) => updateSocialConnection(deps, place, input, undefined),
  }),
  kindOf({
    section: 'sso_connections',
    resource: 'ssoConnections',
    of: 'organization',
    key: 'provider_type',
    doubles: 'numbered',
    omitted: {
      ...isPlace,
      organization_id: isWhereItStands,
      application_id: 'is an id of one environment',
      default_redirection_id: 'is an id of one environment',
      sso_admin_email: 'is somebody’s address',
      send_email: 'is an act and no setting',
      preload_associations: 'is about an answer',
      metadata: isOfProvider,
      issuer: isOfProvider,
      oidc_client_id: isOfProvider,
      oidc_client_secret: 'is a secret',
    },
    record: SsoConnection,
    creation: NewSsoConnection.omit({ organization_id: true }),
    changes: SsoConnectionChanges,
    find: findSsoConnections,
    create: (deps, place, input) =>
      createSsoConnection(deps, place, { ...input, organization_id: place.organizationId }),
    update: (deps, place, id, input) => updateSsoConnection(deps, place, id, input, undefined),
  }),
  kindOf({
    section: 'directory_sync',
    resource: 'directorySync',
    of: 'organization',
    key: null,
    omitted: isPlace,
    toInput: withoutMatches,
    record: DirectorySync,
    creation: NewDirectorySync,
    changes: DirectorySyncChanges,
    find: (deps, place) => oneOrNone(getDirectorySync(deps, place), 'directory_sync_not_found'),
    create: createDirectorySync,
    update: (deps, place, _, input) => updateDirectorySync(deps, place, input, undefined),
    remove: (deps, place) => deleteDirectorySync(deps, place, undefined),
  }),
  kindOf({
    section: 'webhooks',
    resource: 'webhooks',
    of: 'account',
    key: 'name',
    omitted: {},
    record: Webhook,
    creation: NewWebhook,
    changes: WebhookChanges,
    find: (deps, place) => everyPage((page) => listWebhooks(deps, place, PageQuery.parse(page))),
    create: createWebhook,
    update: (deps, place, id, input) => updateWebhook(deps, place, id, input, undefined),
    remove: (deps, place, id) => deleteWebhook(deps, place, id, undefined),
  }),
]

/** Whether there is a group is of one environment. */
function withoutMatches(record: Members): Members {
  const { mode, rules } = RoleMapping.parse(record['role_mapping'])
  return { ...record, role_mapping: { mode, rules: rules.map(({ matched: _, ...rule }) => rule) } }
}

/** Without the built-in provider, which production does not have. */
async function findSocialProviders(deps: Deps, place: PromotionTarget): Promise<SocialProvider[]> {
  const all = await everyPage((page) => listSocialProviders(deps, place, SocialProviderQuery.parse(page)))
  return all.filter(({ provider }) => provider !== 'test')
}

function withoutTest(record: Members): Members {
  const { providers } = SocialConnection.parse(record)
  return { ...record, providers: providers?.filter((name) => name !== 'test') ?? null }
}

function findRoles(deps: Deps, place: PromotionTarget, organization_domain_scope?: string): Promise<Role[]> {
  return everyPage((page) => listRoles(deps, place, RoleQuery.parse({ ...page, organization_domain_scope })))
}

function isOfAccount({ organization_domain_scope }: Role): boolean {
  return organization_domain_scope === null
}

async function findApplications(
  deps: Deps,
  place: PromotionTarget,
  scope: string | null,
): Promise<Application[]> {
  const all = await everyPage((page) => listApplications(deps, place, ApplicationQuery.parse(page)))
  return all.filter((one) => one.organization_domain_scope === scope)
}

/**
 * Without those of the built-in identity provider, which production does not have, and without those that have no
 * provider yet, because it names them.
 */
async function findSsoConnections(deps: Deps, place: PromotionTarget): Promise<SsoConnection[]> {
  const all = await everyPage((page) =>
    listSsoConnections(
      deps,
      place,
      SsoConnectionQuery.parse({ ...page, organization_id: place.organizationId }),
    ),
  )
  return all.filter(({ provider_type: provider }) => provider !== 'test' && provider !== 'unset')
}
