import { bodyOf, queryOf, type Route } from '@portico/contract/walk'
import { followMagicLink, openMagicLink, type Client } from '@portico/sdk'
import { z } from 'zod/v4'
import { anyEmail, anything, givenOf } from './given.js'
import { discoveryGivenOf } from './discovery-given.js'
import type { Service } from './harness.js'
import { ownPage, ownRpId } from './own-page-given.js'
import { createPasskeyAuthenticator, type Lie, type PasskeyAuthenticator } from './passkey-authenticator.js'
import { startOpenIdProvider, type TestOpenIdProvider } from './openid-provider.js'
import type { References } from './request-of.js'
import { anythingNamed, roleGivenOf } from './role-given.js'
import { idpMetadata } from './sso-given.js'
import { stepSeconds, totpGivenOf } from './totp-given.js'

type Key = NonNullable<Parameters<Service['client']>[0]>

/** One object of every kind that a route can refer to, all in one organization, account and environment. */
export async function createWorld(service: Service, key: Key = {}, orgDomain?: string): Promise<References> {
  const client = await clientOf(service, key)
  const hooked = await createHookedWorld(client, orgDomain)
  await client.password.createConnection({ org_domain: hooked.org_domain })
  await giveDirectory(client, hooked)
  const relay = await giveRelay(client, hooked)
  const sso = { ...(await giveConnection(client, hooked)), ...(await giveAdmin(client, hooked)) }
  const secret = {
    ...(await giveSecret(client, hooked)),
    ...(await giveImpersonation(client, hooked)),
    ...(await giveDomain(client, hooked, key.environment === 'production')),
    ...(await giveRole(client, hooked)),
    ...(await giveSocialProvider(client)),
    ...(await giveInvitation(client, hooked)),
    ...(await giveJoinRequest(service, client, { ...hooked, environment: key.environment ?? 'sandbox' })),
  }
  const discovery = await giveDiscovery(service, client, hooked)
  const account_domain = (key.account ?? service.account).domain
  const signedIn = { ...(await giveSession(client, hooked)), ...discovery }
  const environment = key.environment ?? 'sandbox'
  // After the sign-in, which proves the address: a passkey of before would end.
  const passkey = await givePasskey(service, { ...hooked, environment })
  const identity = await giveIdentity(service, { ...hooked, environment })
  const { registration_id } = await giveRegistration(client, hooked)
  const named = { ...passkey, ...identity, registration_id }
  return { account_domain, ...hooked, ...sso, ...relay, ...secret, ...named, ...signedIn }
}

/** The objects of an organization, and a webhook with a delivery of their events. */
async function createHookedWorld(client: Client, orgDomain?: string) {
  const { id: webhook_id } = await client.webhooks.create({
    name: 'Receiver',
    target_url: 'https://127.0.0.1:9999/events',
    event_codes: ['metakey.all'],
  })
  const organization = await createOrganizationWorld(client, orgDomain)
  const { data: deliveries } = await client.webhooks.listDeliveries({ webhook_id })
  return { ...organization, webhook_id, delivery_id: deliveries[0]?.id ?? '' }
}

/** Creates a relay of an organization to itself. */
async function giveRelay(client: Client, { org_domain, partner_redirect_uri }: World) {
  const { id } = await client.relays.create({ partner_domain: org_domain, partner_redirect_uri })
  return { relay_id: id, partner_domain: org_domain }
}

/** Gives the application of a world a secret. */
async function giveSecret(
  client: Client,
  { org_domain, client_id }: Pick<World, 'org_domain' | 'client_id'>,
) {
  return { secret_id: (await client.applicationSecrets.create({ org_domain, client_id })).id }
}

/** Adds a domain to the organization of a world: proved at once in the sandbox, else declared. */
async function giveDomain(client: Client, { org_domain }: Pick<World, 'org_domain'>, declared = false) {
  const { id } = await client.domains.create({ org_domain, domain: `${anything()}.example`, declared })
  return { domain_id: id }
}

/** Invites somebody to the organization of a world, which has an application. */
async function giveInvitation(client: Client, { org_domain }: Pick<World, 'org_domain'>) {
  const { id } = await client.invitations.create({ org_domain, email: anyEmail() })
  return { invitation_id: id }
}

/** Has somebody ask to join the organization of a world, by a domain that is proved in the sandbox. */
export async function giveJoinRequest(
  service: Service,
  client: Client,
  {
    org_domain,
    environment,
    email,
  }: Pick<World, 'org_domain'> & { readonly environment: string; readonly email?: string },
) {
  const domain = `${anything()}.example`
  const join_email = email ?? `ada@${domain}`
  const declared = environment === 'production'
  const { id: join_domain_id } = await client.domains.create({ org_domain, domain, declared })
  const at = service.clock.now()
  const [row] = await service.query<{ id: string }>(
    `insert into join_requests
       (account_id, environment, organization_id, id, email, email_normalized, state, expires_at, version, inserted_at, updated_at)
     select account_id, $2, id, $5, $3, $3, 'pending', $6, 1, $4, $4
     from organizations where domain = $1 returning id`,
    [org_domain, environment, join_email, at, orderedId(), new Date(at.getTime() + 30 * 24 * 60 * 60 * 1000)],
  )
  return { join_request_id: row?.id ?? '', join_email, join_domain_id }
}

/** Gives the user of a world a passkey, which only their browser could add. */
export async function givePasskey(
  service: Service,
  { org_domain, user_id, environment }: { org_domain: string; user_id: string; environment: string },
) {
  const [row] = await service.query<{ id: string }>(
    `insert into passkeys
       (account_id, environment, organization_id, id, user_id, name, rp_id, credential_id, public_key, user_handle, transports,
        synced, backed_up, sign_count, version, inserted_at, updated_at)
     select account_id, $2, id, $4, $3, 'Key', 'localhost', $5, '', '', '{}', false, false, 0, 1, $6, $6
     from organizations where domain = $1 returning id`,
    [org_domain, environment, user_id, orderedId(), anything(), service.clock.now()],
  )
  return { passkey_id: row?.id ?? '' }
}

/** Asks for a passkey of the user of a world, which the browser in front of a page of its application makes. */
export async function giveRegistration(
  client: Client,
  {
    org_domain,
    user_id,
    application_id,
  }: Readonly<Record<'org_domain' | 'user_id' | 'application_id', string>>,
  { held = createPasskeyAuthenticator(ownPage), lie }: { held?: PasskeyAuthenticator; lie?: Lie } = {},
) {
  const { id, options } = await client.passkeys.createRegistration({ org_domain, user_id, application_id })
  return { registration_id: id, credential: held.create(options, lie) }
}

/** Asks the user of a world for the passkey that they have, on a page of its application. */
async function givePasskeyChallenge(
  client: Client,
  of: Readonly<Record<'org_domain' | 'user_id' | 'application_id', string>>,
) {
  const held = createPasskeyAuthenticator(ownPage)
  const { registration_id, credential } = await giveRegistration(client, of, { held })
  const { org_domain, application_id } = of
  await client.passkeys.completeRegistration({
    ...{ org_domain, registration_id, credential: JSON.parse(credential) },
  })
  const { request_id, options } = await client.passkeys.createChallenge({ org_domain, application_id })
  return { request_id, credential: held.use(options) }
}

/** Gives the user of a world an identity, which only a sign-in at its issuer would give. */
export async function giveIdentity(
  service: Service,
  { org_domain, user_id, environment }: { org_domain: string; user_id: string; environment: string },
) {
  const [row] = await service.query<{ id: string }>(
    `insert into user_identities
       (account_id, environment, organization_id, id, user_id, kind, issuer, subject, idp_id, provider, data, authenticated_at, inserted_at)
     select account_id, $2, id, $4, $3, 'social', 'https://issuer.example', $5, null, 'social.google', '{}', $6, $6
     from organizations where domain = $1 returning id`,
    [org_domain, environment, user_id, orderedId(), anything(), service.clock.now()],
  )
  return { identity_id: row?.id ?? '' }
}

/** An id as the service makes them: later ones are greater. */
function orderedId(): string {
  ordered += 1
  const time = Date.now().toString(16).padStart(12, '0')
  const rest = ordered.toString(16).padStart(15, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-8${rest.slice(3, 6)}-${rest.slice(3)}`
}

let ordered = 0

/** Creates a permission, and a role of the organization of a world. */
async function giveRole(client: Client, { org_domain }: Pick<World, 'org_domain'>) {
  const given = roleGivenOf(client)
  const { id: role_id } = await given.role({ organization_domain_scope: org_domain })
  return { role_id, permission_id: (await given.permission()).id }
}

/** Adds a social provider without a client. */
async function giveSocialProvider(client: Client) {
  const { id } = await client.socialProviders.create({ name: `social-${anything()}` })
  return { provider_id: id }
}

/** Has somebody sign in as the user of a world, from now on. */
async function giveImpersonation(client: Client, { org_domain, user_id, application_id }: World) {
  const actor = { id: 'staff-7' }
  const { id } = await client.impersonations.create({
    ...{ org_domain, user_id, application_id, actor },
    reason: 'Ticket 4711',
  })
  return { impersonation_id: id }
}

/** Signs in the user of a world. */
async function giveSession(client: Client, { org_domain, user_email }: World) {
  const access_token = await signIn(client, { org_domain, user_email })
  return { access_token, session_id: sessionIdOf(access_token) }
}

/** Proves the mailbox of the user of a world twice: for a code, and for a token. */
async function giveDiscovery(service: Service, client: Client, world: World) {
  const { user_email, application_id } = world
  const given = discoveryGivenOf(service, client)
  const seeker = { user_email, application_id }
  const discovery_code = await given.codeOf(await given.linkOf(seeker))
  return { discovery_code, discovery_token: (await given.discover(seeker)).discovery_token }
}

/** The same, with an address to come back to; the organization has no method, so that entering it goes on at a page. */
async function prepareDiscovery(service: Service, client: Client, world: World): Promise<References> {
  await client.magicLink.updateConnection({ org_domain: world.org_domain, active: false })
  const discovery = await giveDiscovery(service, client, world)
  return { ...world, ...discovery, redirect_uri: world.partner_redirect_uri }
}

/** The parts of an operation that determine its prerequisites. */
export interface NamedOperation {
  readonly name: string
  readonly resource: string
  readonly verb: string
  /** The names of its members in path, query and body. */
  readonly takes: readonly string[]
}

/** Creates only the objects that one route can refer to, which is faster. */
export function createWorldFor(route: Route, service: Service): Promise<References> {
  const takes = [...route.pathParameters, ...membersOf(bodyOf(route)), ...membersOf(queryOf(route))]
  return createWorldOf({ ...route, takes }, service)
}

/** The same for an operation given by name and members, from this contract or another. */
export async function createWorldOf(route: NamedOperation, service: Service): Promise<References> {
  const takes = (...names: string[]) => names.some((name) => route.takes.includes(name))
  const client = await clientOf(service, {})
  if (takes('webhook_id')) return createHookedWorld(client)
  if (withoutSignIn.has(route.resource)) return createPlainWorld(service, client, route)
  const world = await createOrganizationWorld(client)
  if (takes('relay_id', 'partner_domain', 'access_token', 'session_id')) {
    const relay = takes('relay_id', 'partner_domain') && (await giveRelay(client, world))
    const session = takes('access_token', 'session_id') && (await giveSession(client, world))
    return { ...world, ...relay, ...session }
  }
  if (takes('impersonation_id')) return { ...world, ...(await giveImpersonation(client, world)) }
  if (route.resource === 'ssoConnections') {
    // The route that creates an onboarding requires that none exists.
    const hasOnboarding = route.verb !== 'createOnboarding'
    if (isOidc(route)) return { ...world, ...(await giveOidcConnection(service, client, world)) }
    return { ...world, ...(await giveConnection(client, world, hasOnboarding)) }
  }
  if (route.resource === 'totp') return prepareTotp(route, service, world)
  if (route.resource === 'discovery') return prepareDiscovery(service, client, world)
  // The route that creates the connection requires that none exists.
  const needsPassword = route.resource === 'password' && route.verb !== 'createConnection'
  return needsPassword ? { ...world, ...(await givePassword(client, world)) } : world
}

/** Resources whose operations need no user able to sign in. */
const withoutSignIn = new Set([
  'organizations',
  'organizationPolicy',
  'invitations',
  'joinRequests',
  'domains',
  'permissions',
  'roles',
  'socialProviders',
  'socialConnection',
  'accessEvaluation',
  'users',
  'identities',
  'passkeys',
  'applications',
  'applicationSecrets',
  'tokenCustomization',
  'admins',
  'directorySync',
])

/** An organization with only the objects that the operation refers to. */
async function createPlainWorld(
  service: Service,
  client: Client,
  route: NamedOperation,
): Promise<References> {
  const takes = (...names: string[]) => names.some((name) => route.takes.includes(name))
  const given = givenOf(client)
  const { id: organization_id, domain: org_domain } = await given.organization()
  const place = { org_domain, organization_id, organization_domain_scope: org_domain }
  const user = takes('user_id', 'user_email', 'credential') && (await given.user({ org_domain }))
  const application =
    takes('client_id', 'application_id', 'invitation_id', 'credential') &&
    (await given.application({ ...keepingSecrets, org_domain, organization_domain_scope: org_domain }))
  const secret =
    takes('secret_id') && application && (await giveSecret(client, { org_domain, client_id: application.id }))
  const metaKey =
    (takes('key', 'key_name') || route.resource === 'tokenCustomization') &&
    (await given.metaKey({ org_domain }))
  if (user && metaKey)
    await client.users.addMetadata({ org_domain, user_id: user.id, key: metaKey.name, value: 'value' })
  if (route.resource === 'directorySync' && route.verb !== 'create') await giveDirectory(client, place)
  return {
    ...place,
    ...(user && { user_id: user.id, user_email: user.email }),
    ...(application && { client_id: application.id, application_id: application.id }),
    ...(secret && secret),
    ...(takes('credential') &&
      user &&
      application &&
      (await (takes('registration_id') ? giveRegistration : givePasskeyChallenge)(client, {
        ...{ org_domain, user_id: user.id, application_id: application.id },
      }))),
    ...(takes('passkey_id') &&
      user &&
      (await givePasskey(service, { org_domain, user_id: user.id, environment: 'sandbox' }))),
    ...(takes('identity_id') &&
      user &&
      (await giveIdentity(service, { org_domain, user_id: user.id, environment: 'sandbox' }))),
    ...(takes('domain_id') && (await giveDomain(client, place))),
    ...(takes('invitation_id') && (await giveInvitation(client, place))),
    ...(takes('join_request_id') &&
      (await giveJoinRequest(service, client, { ...place, environment: 'sandbox' }))),
    ...(takes('role_id', 'permission_id') && (await giveRole(client, place))),
    ...(takes('provider_id') && (await giveSocialProvider(client))),
    ...(metaKey && { key: metaKey.name, key_name: metaKey.name }),
    ...(route.resource === 'admins' && (await giveAdmin(client, place))),
  }
}

/** An application that can have secrets, begins sign-ins for others, and has pages of its own. */
const keepingSecrets = {
  application_type: 'regular_web' as const,
  initiate_login_uri: 'https://store.example/auth/sign-in',
  allowed_web_origins: [ownPage],
  passkey_rp_id: ownRpId,
}

/** Creates a connection with every optional part. */
async function giveConnection(client: Client, world: World, hasOnboarding = true) {
  const { organization_id, application_id } = world
  const { idp_id, default_redirection } = await client.ssoConnections.create({
    organization_id,
    application_id,
    ...(hasOnboarding && { sso_admin_email: anyEmail() }),
  })
  const { metadata } = await client.ssoConnections.update({ idp_id, metadata: idpMetadata() })
  if (default_redirection === null || typeof default_redirection === 'string')
    throw new Error('the redirection of a new connection is a record')
  const version = String(metadata[0]?.version)
  return { idp_id, default_redirection_id: default_redirection.id, version }
}

/** Creates a directory of an organization. */
function giveDirectory(client: Client, { org_domain }: Pick<World, 'org_domain'>) {
  return client.directorySync.create({ org_domain, provider_type: 'okta' })
}

/** Whether a route is only about OpenID Connect connections. */
export function isOidc({ name }: Pick<NamedOperation, 'name'>): boolean {
  return name === 'ssoConnections.useOidcClient' || name === 'ssoConnections.createOauthChallenge'
}

/** Creates a connection with an OpenID Connect client. */
async function giveOidcConnection(service: Service, client: Client, { organization_id }: World) {
  const provider = providers.get(service) ?? startOpenIdProvider(service.clock)
  providers.set(service, provider)
  const { issuer, client: known } = await provider
  const { idp_id, oidc_clients: clients } = await client.ssoConnections.create({
    organization_id,
    provider_type: 'custom_oidc',
    issuer,
    oidc_client_id: known.id,
    oidc_client_secret: known.secret,
  })
  return { idp_id, version: String(clients[0]?.version) }
}

const providers = new WeakMap<Service, Promise<TestOpenIdProvider>>()

/** Creates an administrator of an organization. */
async function giveAdmin(client: Client, { org_domain }: Pick<World, 'org_domain'>) {
  const { email } = await client.admins.invite({ org_domain, email: anyEmail() })
  return { email }
}

/** Sets a password of the user of a world, and returns a code that sets another one. */
async function givePassword(client: Client, world: World) {
  const { org_domain, user_email, partner_redirect_uri: redirect_uri } = world
  const plain_text = 'velvet harbour 41 lanterns'
  await client.password.createConnection({ org_domain })
  const of = { org_domain, user_email }
  await client.password.set({ ...of, password_code: await passwordCode(), plain_text })
  return { plain_text, password_code: await passwordCode() }

  async function passwordCode(): Promise<string> {
    const { request_id } = await client.password.createRequest({ ...of, redirect_uri })
    const challenge = await client.magicLink.createChallenge({ ...of, request_id, send_email: false })
    const followed = await followMagicLink(challenge.magic_link ?? '')
    return followed.outcome === 'password_code' ? followed.passwordCode : ''
  }
}

/** Prepares the second factor so that the route succeeds. */
async function prepareTotp(route: NamedOperation, service: Service, world: References): Promise<References> {
  const given = totpGivenOf(service, await clientOf(service, {}))
  const place = { org_domain: world['org_domain'] ?? '', user_id: world['user_id'] ?? '' }
  await given.activate(place.org_domain)
  if (route.name === 'totp.validateEnrollment') {
    const { app } = await given.begun(place)
    return { ...world, code: given.codeOf(app) }
  }
  if (!/^totp\.((create|validate)Challenge|removeEnrollment)$/.test(route.name)) return world
  const { app } = await given.enroll(place)
  const { request_id } = await given.challenge(place)
  // A code of the next period: the enrolment consumed the current one.
  return { ...world, request_id, code: given.codeOf(app, stepSeconds) }
}

/** One client per account and environment for all worlds, because each new client needs a key and a token. */
function clientOf(service: Service, key: Key): Promise<Client> {
  const known = clients.get(service) ?? new Map<string, Promise<Client>>()
  clients.set(service, known)
  const name = JSON.stringify(key)
  const client = known.get(name) ?? service.client(key)
  known.set(name, client)
  return client
}

const clients = new WeakMap<Service, Map<string, Promise<Client>>>()

function membersOf(schema: z.ZodType | undefined): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

type World = Awaited<ReturnType<typeof createOrganizationWorld>>

async function createOrganizationWorld(client: Client, orgDomain?: string) {
  const given = givenOf(client)
  const { id: organization_id, domain: org_domain } = await (orgDomain === undefined
    ? given.organization()
    : client.organizations.get({ org_domain: orgDomain }))
  const user = await given.user({ org_domain, email: anyEmail() })
  const application = await given.application({
    ...keepingSecrets,
    org_domain,
    organization_domain_scope: org_domain,
  })
  const metaKey = await given.metaKey({ org_domain, name: `key_${anything()}` })
  await client.users.addMetadata({ org_domain, user_id: user.id, key: metaKey.name, value: 'value' })
  return {
    org_domain,
    organization_id,
    organization_domain_scope: org_domain,
    user_id: user.id,
    user_email: user.email,
    client_id: application.id,
    application_id: application.id,
    key: metaKey.name,
    key_name: metaKey.name,
    partner_redirect_uri: application.allowed_redirect_urls[0] ?? '',
  }
}

/** Signs a user in, and returns the access token. */
export async function signIn(
  client: Client,
  user: { readonly org_domain: string; readonly user_email: string },
  // Includes a refresh token, so that every kind of row of a sign-in exists.
  scope = 'openid offline_access',
): Promise<string> {
  const { magic_link } = await client.magicLink.createChallenge({ ...user, send_email: false, scope })
  const { code } = await openMagicLink(magic_link ?? '')
  const tokens = await client.oauth.token({ grant_type: 'authorization_code', code })
  return tokens.access_token
}

/** The session id of a token (`sid`). */
export function sessionIdOf(token: string): string {
  const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const isNamed = typeof claims === 'object' && claims !== null && 'sid' in claims
  if (!isNamed || typeof claims.sid !== 'string') throw new Error('the token names no session')
  return claims.sid
}

/** The same world, with an application of the whole account instead of the organization's own. */
export async function withAccountApplication(
  service: Service,
  world: References,
  key: Key = {},
): Promise<References> {
  const given = givenOf(await clientOf(service, key))
  const application = await given.application({ org_domain: world['org_domain'] ?? '' })
  return { ...world, client_id: application.id, application_id: application.id }
}

/** Members of a body that must be unique, because the sample of an operation repeats its values. */
export function freshMembers(name: string): Record<string, unknown> {
  return {
    ...(name === 'users.create' && { email: anyEmail() }),
    // Of a named domain another event tells.
    ...(['organizations.create', 'organizations.update'].includes(name) && { allowed_email_domains: [] }),
    ...(name === 'invitations.create' && {
      ...{ email: anyEmail(), roles: [], metadata: [], redirect_uri: undefined },
    }),
    ...(['invitations.update', 'joinRequests.approve'].includes(name) && { roles: [] }),
    ...(name === 'organizationPolicy.update' && { join_roles: [] }),
    ...(name === 'domains.create' && { domain: `${anything()}.example` }),
    ...(name === 'socialProviders.create' && { name: `social-${anything()}` }),
    ...(name === 'socialConnection.update' && { providers: null }),
    ...(name === 'permissions.create' && { name: anythingNamed('p') }),
    ...(name === 'roles.create' && { name: anythingNamed('role'), permissions: [] }),
    ...(name === 'roles.update' && { permissions: [] }),
    ...(name === 'roles.setUserRoles' && { roles: [] }),
    ...(name === 'tokenCustomization.createMetaKey' && { name: `key_${anything()}` }),
  }
}
