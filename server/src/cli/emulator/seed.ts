import type { EmulatorAccount, EmulatorKey } from '@portico/contract/emulator'
import { scopes as allScopes } from '@portico/contract/access'
import { environments, nilId, type Environment } from '@portico/contract/fields'
import { createAccount } from '../../operations/accounts/accounts.js'
import { createApiKey, insertApiKey } from '../../tokens/api-keys/api-keys.js'
import { updateAccountRecord } from '../../directory/account-record/account-record.js'
import { createApplication } from '../../directory/applications/applications.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change } from '../../delivery/events/change.js'
import { updateMagicLinkConnection } from '../../sign-in/magic-link/connection.js'
import { createDomain } from '../../directory/domains/domains.js'
import { createInvitation } from '../../directory/invitations/create-invitation.js'
import { updateOrganizationPolicy } from '../../directory/organization-policy/organization-policy.js'
import { createPermission } from '../../directory/roles/permissions.js'
import { createRole } from '../../directory/roles/roles.js'
import { setUserRoles } from '../../directory/roles/user-roles.js'
import { createOrganization } from '../../directory/organizations/organizations.js'
import { createPasswordConnection } from '../../sign-in/password/connection.js'
import { findNewPasswordFault } from '../../sign-in/password/new-password.js'
import { writePassword } from '../../sign-in/password/stored-password.js'
import { createSsoConnection, updateSsoConnection } from '../../sso/connections/connections.js'
import { causeBy, type Caller, type Tenant } from '../../platform/tenant.js'
import { createMetaKey } from '../../directory/token-customization/meta-keys.js'
import { updatePasskeyConnection } from '../../sign-in/passkeys/connection.js'
import { updateTotpConnection } from '../../sign-in/totp/connection.js'
import { markEmailVerified } from '../../directory/users/change-user.js'
import { createUser } from '../../directory/users/users.js'
import { createWebhook } from '../../delivery/webhooks/webhooks.js'
import { withDerivedRandomness } from './derived-randomness.js'
import { SeedError, toText } from './read-seed.js'
import type {
  SeedAccount,
  SeedApiKey,
  SeedEnvironment,
  SeedFile,
  SeedOrganization,
  SeedPath,
} from './seed-file.js'

/** The context in which every entry is made. */
interface Planting {
  readonly deps: Deps
  readonly file: SeedFile
  /** Moves the clock between two entries, so that lists have one order in every run. */
  readonly tick: () => void
}

/** An entry's place in the file, and its names from the account on, from which its random values are derived. */
interface Place {
  readonly path: SeedPath
  readonly names: readonly string[]
}

/**
 * Makes the entries of a seed, by the operations of the service.
 *
 * @throws SeedError when the service would refuse an entry, with its place.
 */
export async function seedAccounts(planting: Planting): Promise<EmulatorAccount[]> {
  const made: EmulatorAccount[] = []
  for (const [index, account] of planting.file.seed.accounts.entries())
    made.push(await plantAccount(planting, account, { path: ['accounts', index], names: [account.name] }))
  return made
}

async function plantAccount(
  planting: Planting,
  account: SeedAccount,
  place: Place,
): Promise<EmulatorAccount> {
  const { deps } = planting
  const { id, domain } = await plant(planting, place, () => createAccount(deps, account))
  const callers = callersOf(id, domain)
  const { record: chosen } = account
  if (chosen !== undefined)
    await plant(planting, { path: [...place.path, 'record'], names: [...place.names, 'record'] }, () =>
      updateAccountRecord(deps, callers.sandbox, chosen, undefined),
    )

  await plantRoles(planting, callers, account, place)
  const organizations = new Map<string, string>()
  for (const [index, organization] of account.organizations.entries()) {
    const { record } = await plantOrganization(planting, callers, organization, {
      path: [...place.path, 'organizations', index],
      names: [...place.names, 'organization', organization.input.name],
    })
    organizations.set(record.domain, record.id)
  }
  for (const [index, { environment, input }] of account.webhooks.entries()) {
    const at = {
      path: [...place.path, 'webhooks', index],
      names: [...place.names, 'webhook', environment, input.name],
    }
    await plant(planting, at, () => createWebhook(deps, callers[environment], input))
  }
  const api_keys: EmulatorKey[] = []
  for (const [index, key] of account.api_keys.entries()) {
    const at = {
      path: [...place.path, 'api_keys', index],
      names: [...place.names, 'key', key.environment, key.name],
    }
    api_keys.push(await plant(planting, at, () => plantApiKey(deps, { accountId: id, organizations }, key)))
  }
  return { id, domain, api_keys }
}

/** The permissions and roles of the whole account, before the organizations whose users have them. */
async function plantRoles(
  planting: Planting,
  callers: Callers,
  { permissions, roles }: SeedAccount,
  place: Place,
): Promise<void> {
  const { deps } = planting
  for (const [index, { environment, input }] of permissions.entries()) {
    const at = {
      path: [...place.path, 'permissions', index],
      names: [...place.names, 'permission', environment, input.name],
    }
    await plant(planting, at, () => createPermission(deps, callers[environment], input))
  }
  for (const [index, { environment, input }] of roles.entries()) {
    const at = {
      path: [...place.path, 'roles', index],
      names: [...place.names, 'role', environment, input.name],
    }
    await plant(planting, at, () => createRole(deps, callers[environment], input))
  }
}

async function plantApiKey(
  deps: Deps,
  owner: { readonly accountId: string; readonly organizations: ReadonlyMap<string, string> },
  { name, environment, scopes, organizations, client_id, client_secret }: SeedApiKey,
): Promise<EmulatorKey> {
  const organizationIds = organizations?.map((domain) => {
    const id = owner.organizations.get(domain)
    if (id !== undefined) return id
    throw new Error(`names ${domain}, which is none of ${[...owner.organizations.keys()].join(', ')}`)
  })
  const key = {
    accountId: owner.accountId,
    environment,
    name,
    scopes: scopes ?? null,
    organizationIds: organizationIds ?? null,
  }
  if (client_id === undefined || client_secret === undefined)
    return { name, environment, ...(await createApiKey(deps, deps.db, key)) }
  await insertApiKey(deps, deps.db, key, { client_id, client_secret })
  return { name, environment, client_id, client_secret }
}

type Callers = Readonly<Record<Environment, Caller>>

async function plantOrganization(
  planting: Planting,
  callers: Callers,
  organization: SeedOrganization,
  place: Place,
) {
  const { deps } = planting
  const made = await plant(planting, place, () =>
    createOrganization(deps, callers.sandbox, organization.input),
  )
  const { domain, id } = made.record
  for (const [index, { input }] of organization.meta_keys.entries()) {
    const at = { path: [...place.path, 'meta_keys', index], names: [...place.names, 'meta-key', input.name] }
    await plant(planting, at, () => createMetaKey(deps, tenantOf(callers.sandbox, domain), input))
  }
  for (const environment of environments) {
    const at = { path: [...place.path, environment], names: [...place.names, environment] }
    await plantEnvironment(
      planting,
      { caller: callers[environment], domain, id },
      organization[environment],
      at,
    )
  }
  return made
}

interface Owner {
  readonly caller: Caller
  /** Of the organization. */
  readonly domain: string
  readonly id: string
}

async function plantEnvironment(
  planting: Planting,
  owner: Owner,
  seed: SeedEnvironment,
  place: Place,
): Promise<void> {
  const { deps } = planting
  const tenant = tenantOf(owner.caller, owner.domain)
  const below = (list: string, index: number, name: string): Place => ({
    path: [...place.path, list, index],
    names: [...place.names, list, name],
  })
  const only = (member: string): Place => ({ path: [...place.path, member], names: [...place.names, member] })

  const applications = new Map<string, string>()
  for (const [index, { input }] of seed.applications.entries()) {
    const at = below('applications', index, input.name)
    const { record } = await plant(planting, at, () => createApplication(deps, tenant, input))
    applications.set(input.name, record.client_id)
  }
  const { magic_link_connection: magicLink, password_connection: password, totp_connection: totp } = seed
  if (magicLink !== undefined)
    await plant(planting, only('magic_link_connection'), () =>
      updateMagicLinkConnection(deps, tenant, magicLink, undefined),
    )
  if (password !== undefined)
    await plant(planting, only('password_connection'), () => createPasswordConnection(deps, tenant, password))
  if (totp !== undefined)
    await plant(planting, only('totp_connection'), () => updateTotpConnection(deps, tenant, totp, undefined))
  const passkeys = seed.passkey_connection
  if (passkeys !== undefined)
    await plant(planting, only('passkey_connection'), () =>
      updatePasskeyConnection(deps, tenant, passkeys, undefined),
    )
  for (const [index, { input }] of seed.domains.entries())
    await plant(planting, below('domains', index, input.domain), () => createDomain(deps, tenant, input))
  for (const [index, { input }] of seed.roles.entries())
    await plant(planting, below('roles', index, input.name), () =>
      createRole(deps, owner.caller, { ...input, organization_domain_scope: owner.domain }),
    )
  for (const [index, connection] of seed.sso_connections.entries())
    await plant(planting, below('sso_connections', index, connection.name), () =>
      plantSsoConnection(deps, owner, applications, connection),
    )
  for (const [index, user] of seed.users.entries())
    await plant(planting, below('users', index, user.input.email.toLowerCase()), () =>
      plantUser(deps, tenant, owner, seed, user),
    )
  // A seed may give every role.
  const inviter = { ...owner.caller, ...tenant, scopes: allScopes }
  for (const [index, { input }] of seed.invitations.entries())
    await plant(planting, below('invitations', index, input.email.toLowerCase()), () =>
      createInvitation(deps, inviter, input),
    )
  // Last: its users have seats whatever it says.
  const { policy } = seed
  if (policy !== undefined)
    await plant(planting, only('policy'), () => updateOrganizationPolicy(deps, tenant, policy, undefined))
}

async function plantSsoConnection(
  deps: Deps,
  { caller, id }: Owner,
  applications: ReadonlyMap<string, string>,
  { input, application, metadata, active }: SeedEnvironment['sso_connections'][number],
): Promise<void> {
  const application_id = application === undefined ? undefined : applications.get(application)
  if (application !== undefined && application_id === undefined)
    throw new Error(
      `names the application ${application}, which is none of ${[...applications.keys()].join(', ')}`,
    )
  const { record } = await createSsoConnection(deps, caller, {
    ...input,
    organization_id: id,
    application_id,
  })
  if (metadata === undefined && active === undefined) return
  await updateSsoConnection(deps, caller, record.idp_id, { metadata, active }, undefined)
}

async function plantUser(
  deps: Deps,
  tenant: Tenant,
  owner: Owner,
  { password_connection: rules }: SeedEnvironment,
  { input, password, email_verified, roles }: SeedEnvironment['users'][number],
): Promise<void> {
  const { record } = await createUser(deps, tenant, input)
  if (roles !== undefined) await setUserRoles(deps, tenant, { userId: record.id, roles }, undefined)
  if (email_verified)
    await change(deps, tenant.cause, async (trx) => {
      await markEmailVerified(deps, trx, tenant, record.id)
      return { record }
    })
  if (password === undefined) return
  if (rules === undefined)
    throw new Error('has a password, and the environment no password_connection: add one beside users')
  const fault = await findNewPasswordFault(
    deps,
    password,
    { min: rules.plain_text_min_length, max: rules.plain_text_max_length },
    { email: input.email, profile: input.profile, name: '', domain: owner.domain, product_name: null },
  )
  if (fault !== undefined) throw new Error(`password ${fault.message}`)
  const hash = await deps.passwords.admit(owner.domain, (hashes) => hashes.hash(password))
  const { accountId, environment } = tenant
  await deps.db
    .transaction()
    .execute((trx) =>
      writePassword(deps, trx, { accountId, environment, organizationId: owner.id, userId: record.id }, hash),
    )
}

/** Makes one entry: its random values are derived from its name, and its faults are reported with its place. */
async function plant<Made>({ file, tick }: Planting, place: Place, make: () => Promise<Made>): Promise<Made> {
  tick()
  try {
    return await withDerivedRandomness(place.names, make)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const where = (path: SeedPath) => `${file.placeOf(path)} ${toText(path)}`
    const fields = error instanceof ApiError ? (error.fields ?? []) : []
    throw new SeedError(
      fields.length === 0
        ? [`${where(place.path)}: ${error.message}`]
        : fields.map(({ path, message }) => `${where([...place.path, ...path.split('.')])} ${message}`),
      { cause: error },
    )
  }
}

function callersOf(accountId: string, accountDomain: string): Callers {
  const cause = causeBy('seed', 'operator', 'seed')
  const callerOf = (environment: Environment): Caller => ({
    accountId,
    accountDomain,
    environment,
    id: nilId,
    scopes: allScopes,
    organizationIds: null,
    cause,
  })
  return { sandbox: callerOf('sandbox'), production: callerOf('production') }
}

function tenantOf(
  { accountId, accountDomain, environment, organizationIds, cause }: Caller,
  domain: string,
): Tenant {
  return { accountId, accountDomain, environment, organizationIds, cause, domain }
}
