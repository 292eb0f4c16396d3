import { scopes } from '@portico/contract/access'
import { allErrorCodes, type ErrorCode } from '@portico/contract/errors'
import { bodyOf, routes, type Route } from '@portico/contract/walk'
import type { Application, Client, Role } from '@portico/sdk'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { startDatabaseProxy, type DatabaseProxy } from '../given/database-proxy.js'
import { lastRelease } from '../drift/released.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import { bodyFor, pathOf, send, type Answer, type References } from '../given/request-of.js'
import { isFullRun, sampled } from '../sampled.js'
import { roleGivenOf } from '../given/role-given.js'
import { totpGivenOf } from '../given/totp-given.js'
import { untilWaiting } from '../given/waiting.js'
import { scimUsersGivenOf } from '../protocols/scim/user-given.js'
import { startOpenIdProvider } from '../given/openid-provider.js'
import {
  createWorld,
  createWorldFor,
  freshMembers,
  givePasskey,
  giveRegistration,
  isOidc,
} from '../given/world.js'

/** One service for each configuration that an error requires. */
let service: Service
let limited: Service
let httpsOnly: Service
let severed: Service
/** A service whose clock is ninety-one days ahead, on a database of its own. */
let late: Service
/** A service that does not send text messages to the country of the users' numbers. */
let abroad: Service
let proxy: DatabaseProxy
/** Tokens of an unrestricted key of `service`, and of one limited to an organization. */
let token: string
let limitedToken: string
/** The answer of each route without a database, by route name; requested lazily. */
let unavailable: Promise<ReadonlyMap<string, Answer>> | undefined
/** Tokens of keys with every scope but one, by the missing scope. */
const tokensWithout = new Map<string, Promise<string>>()
/** An application and a role of the whole account. */
let wide: Application
let wideRole: Role
/** Objects that no recipe changes. */
let common: References

beforeAll(async () => {
  service = await startService()
  limited = await startService({ variables: { API_RATE_PER_MINUTE: '1' } })
  httpsOnly = await startService({ databaseUrl: service.databaseUrl, variables: httpsVariables })
  common = await createWorld(service)
  proxy = await startDatabaseProxy(service.databaseUrl)
  severed = await startService({ databaseUrl: proxy.url })
  token = await service.token()
  const org_domain = common['org_domain'] ?? ''
  const { id } = await (await service.client()).organizations.get({ org_domain })
  limitedToken = await service.token({ organizationIds: [id] })
  wide = await service.given.application({ org_domain })
  wideRole = await roleGivenOf(await service.client()).role()
  late = await startService()
  abroad = await startService({ databaseUrl: service.databaseUrl, variables: { SMS_COUNTRIES: 'NZ' } })
})

const httpsVariables = { BASE_URL: 'https://localhost' }

function mappingTo(key: string) {
  return [{ from: 'title', to: `metadata.${key}` }]
}

/** Makes a route return an error code. */
type Recipe = (route: Route, world: References, token: string) => Promise<Answer>

const recipes: Partial<Record<ErrorCode, Recipe>> = {
  malformed_request: (route, world, token) =>
    bodyOf(route) === undefined || route.method === 'GET'
      ? raw(route, world, token, {
          path: pathWithout(route, world),
        })
      : raw(route, world, token, { body: '{' }),
  invalid_token: (route, world) => ask(route, world, undefined),
  insufficient_scope: async (route, world) => ask(route, world, await tokenWithout(route.access.scope)),
  invalid_parameters: (route, world, token) =>
    bodyOf(route) !== undefined
      ? ask(route, world, token, { body: { no_such_member: 1 } })
      : raw(route, world, token, {
          path: `${pathOf(route, world)}?environment=production&expired=maybe&no_such=1`,
        }),
  body_too_large: (route, world, token) =>
    raw(route, world, token, { body: `{"a":"${'x'.repeat(600_000)}"}` }),
  media_type_unsupported: (route, world, token) =>
    raw(route, world, token, { body: '<a/>', type: 'text/xml' }),
  rate_limited: async (route, world) => {
    // Starts a new minute, so that it does not end between the two requests.
    await limited.clock.advance(60)
    const used = await limited.token()
    await fetch(`${limited.baseUrl}/api/v2/organizations`, { headers: { authorization: `Bearer ${used}` } })
    return ask(route, world, used, { baseUrl: limited.baseUrl })
  },
  https_required: (route, world, token) => ask(route, world, token, { baseUrl: plainAddress(httpsOnly) }),
  unavailable: async (route) => {
    unavailable ??= askAllWhileCut()
    const answer = (await unavailable).get(route.name)
    if (answer === undefined) throw new Error(`${route.name} was not asked`)
    return answer
  },
  idempotency_key_reused: async (route, world, token) => {
    const headers = { 'idempotency-key': anything() }
    await ask(route, world, token, { headers, body: freshBody(route, world) })
    // Without a body, the path makes the request different.
    if (bodyOf(route) === undefined)
      return ask(route, { ...world, [route.pathParameters.at(-1) ?? '']: randomUUID() }, token, { headers })
    return ask(route, world, token, {
      headers,
      body: { ...freshBody(route, world), name: 'Another', email: anyEmail() },
    })
  },
  idempotency_in_flight: async (route, world, token) => {
    const headers = { 'idempotency-key': anything() }
    const body = freshBody(route, world)
    return whileEventsAreLocked(async () => {
      const first = ask(route, world, token, { headers, body })
      await untilWaiting(service, 1)
      return { second: await ask(route, world, token, { headers, body }), first }
    })
  },
  precondition_failed: (route, world, token) =>
    ask(route, world, token, { headers: { 'if-match': '"999"' } }),
  organization_not_found: (route, world, token) =>
    ask(
      route,
      {
        ...world,
        org_domain: `missing-${anything()}`,
        partner_domain: 'missing',
        organization_id: randomUUID(),
      },
      token,
    ),
  user_not_found: (route, world, token) =>
    ask(route, { ...world, user_id: randomUUID(), user_email: anyEmail() }, token),
  application_not_found: (route, world, token) =>
    ask(route, { ...world, client_id: randomUUID(), application_id: randomUUID() }, token, {
      body: bodyOf(route) && {
        ...freshBody(route, world),
        ...referenceOf(route, 'application_id', randomUUID()),
      },
    }),
  discovery_not_found: (route, world, token) =>
    ask(route, { ...world, discovery_code: anything(), discovery_token: anything() }, token),
  application_secret_not_found: (route, world, token) =>
    ask(route, { ...world, secret_id: randomUUID() }, token),
  secret_limit_reached: async (route, world, token) => {
    await ask(route, world, token)
    await ask(route, world, token)
    return ask(route, world, token)
  },
  meta_key_not_found: (route, world, token) => {
    const metadata = [{ key: 'missing', value: 'x' }]
    const body = /^(users\.(create|update)|invitations\.create)$/.test(route.name)
      ? { ...freshBody(route, world), metadata }
      : undefined
    return ask(route, { ...world, key: 'missing', key_name: 'missing' }, token, { body })
  },
  webhook_not_found: (route, world, token) => ask(route, { ...world, webhook_id: randomUUID() }, token),
  delivery_not_found: (route, world, token) => ask(route, { ...world, delivery_id: randomUUID() }, token),
  email_taken: async (route, world, token) => {
    const other = await service.given.user({ org_domain: world['org_domain'] ?? '' })
    return ask(route, world, token, { body: { email: other.email.toUpperCase() } })
  },
  meta_key_taken: (route, world, token) =>
    ask(route, world, token, { body: { name: world['key_name'], type: 'string' } }),
  meta_keys_exhausted: async (route, world, token) => {
    const org_domain = world['org_domain'] ?? ''
    for (let count = 1; count < 50; count++) await service.given.metaKey({ org_domain })
    return ask(route, world, token, { body: freshBody(route, world) })
  },
  webhooks_exhausted: async (route, world) => {
    const account = await service.createAccount()
    const client = await service.client({ account })
    // Events that this test does not cause: a hundred webhooks subscribed to each other would get thousands of deliveries.
    const event_codes = ['metakey.all' as const]
    const webhook = { name: 'Receiver', target_url: 'https://127.0.0.1:9999/', event_codes }
    for (let count = 0; count < 100; count++) await client.webhooks.create(webhook)
    return ask(route, world, await service.token({ account }), { body: webhook })
  },
  metadata_required: async (route, world, token) => {
    const key = await service.given.metaKey({ org_domain: world['org_domain'] ?? '', required: true })
    const body: Record<string, unknown> =
      route.name === 'users.removeMetadata' ? { key: key.name } : { email: anyEmail(), metadata: [] }
    return ask(route, world, token, { body })
  },
  metadata_managed: async (route, world, token) => {
    const org_domain = world['org_domain'] ?? ''
    const { name } = await service.given.metaKey({ org_domain })
    const users = scimUsersGivenOf(await service.client())
    const { scim } = await users.directory({ org_domain, attribute_mapping: mappingTo(name) })
    const { id } = await users.user(scim, { title: 'Countess' })
    const named = { ...world, user_id: id, key: name, key_name: name }
    return ask(route, named, token, route.name === 'users.update' ? { body: { metadata: [] } } : {})
  },
  meta_key_in_use: async (route, world, token) => {
    const { org_domain = '', key_name = '' } = world
    await scimUsersGivenOf(await service.client()).directory({
      org_domain,
      attribute_mapping: mappingTo(key_name),
    })
    return ask(route, world, token)
  },
  events_expired: async (route, world) => {
    const { cursor } = await (await late.client()).events.list({ after: 'latest' })
    await late.given.organization()
    await late.clock.advance(91 * 24 * 60 * 60)
    await late.runJobs()
    const token = await late.token()
    return raw(route, world, token, {
      baseUrl: late.baseUrl,
      path: `${pathOf(route, world)}?after=${cursor}`,
    })
  },
  plan_limit_reached: async (route, world) => {
    const account = await service.createAccount('free')
    const free = await service.token({ account })
    await ask(route, world, free, { body: { name: 'The one' } })
    return ask(route, world, free, { body: { name: 'One too many' } })
  },
  key_limited_to_organizations: (route, world) => {
    const body = bodyOf(route) && withoutScope(freshBody(route, world))
    const wideOnes = { client_id: wide.id, role_id: wideRole.id }
    return ask(route, { ...world, ...wideOnes }, limitedToken, { body })
  },
  sandbox_only: async (route, world) => ask(route, world, await service.token({ environment: 'production' })),
  production_is_up: async (route, world, token) => {
    const production = await service.client({ environment: 'production' })
    const org_domain = world['org_domain'] ?? ''
    await service.given.application({ org_domain, organization_domain_scope: org_domain }, production)
    if (route.name === 'admins.delete')
      await production.admins.invite({ org_domain, email: world['email'] ?? '' })
    const guarded: Record<string, Record<string, unknown>> = {
      'organizations.update': { allowed_email_domains: ['people.example'] },
      'tokenCustomization.createMetaKey': { ...freshBody(route, world), required: true },
    }
    return ask(route, world, token, { body: guarded[route.name] })
  },
  connection_inactive: async (route, world, token) => {
    const client = await service.client()
    if (route.resource === 'ssoConnections') {
      await client.ssoConnections.disable({ idp_id: world['idp_id'] ?? '' })
      return ask(route, world, token)
    }
    const { updateConnection } = route.resource === 'password' ? client.password : client.magicLink
    await updateConnection({ org_domain: world['org_domain'] ?? '', active: false })
    return ask(route, world, token)
  },
  sso_connection_not_found: (route, world, token) =>
    ask(route, { ...world, idp_id: `missing_${anything()}` }, token),
  sso_metadata_not_found: (route, world, token) => ask(route, { ...world, version: '99' }, token),
  sso_oidc_client_not_found: (route, world, token) => ask(route, { ...world, version: '99' }, token),
  default_redirection_not_found: async (route, world, token) => {
    const bare = { ...world, ...(await bareConnection(world)), default_redirection_id: randomUUID() }
    return ask(route, bare, token)
  },
  onboarding_not_found: async (route, world, token) =>
    ask(route, { ...world, ...(await bareConnection(world)) }, token),
  onboarding_taken: async (route, world, token) => {
    await ask(route, world, token)
    return ask(route, world, token)
  },
  sso_admin_email_missing: async (route, world, token) =>
    ask(route, { ...world, ...(await bareConnection(world)) }, token, {
      body: bodyOf(route) && { ...freshBody(route, world), send_email: true },
    }),
  sso_connection_not_configured: async (route, world, token) =>
    ask(route, { ...world, ...(await bareConnection(world, isOidc(route) ? 'oidc' : 'saml')) }, token),
  admin_not_found: (route, world, token) => ask(route, { ...world, email: anyEmail() }, token),
  directory_sync_not_found: async (route, world, token) => {
    const { domain } = await service.given.organization()
    return ask(route, { ...world, org_domain: domain }, token)
  },
  directory_sync_taken: async (route, world, token) => {
    await ask(route, world, token)
    return ask(route, world, token)
  },
  password_connection_not_found: async (route, world, token) => {
    const { domain } = await service.given.organization()
    return ask(route, { ...world, org_domain: domain }, token)
  },
  password_connection_taken: async (route, world, token) => {
    await ask(route, world, token)
    return ask(route, world, token)
  },
  password_code_refused: (route, world, token) => ask(route, { ...world, password_code: anything() }, token),
  user_inactive: async (route, world, token) => {
    const client = await service.client()
    await client.users.update({
      org_domain: world['org_domain'] ?? '',
      user_id: world['user_id'] ?? '',
      active: false,
    })
    return ask(route, world, token)
  },
  email_domain_not_allowed: async (route, world, token) => {
    const client = await service.client()
    await client.organizations.update({
      org_domain: world['org_domain'] ?? '',
      allowed_email_domains: ['else.example'],
    })
    return ask(route, world, token)
  },
  seats_exhausted: async (route, world, token) => {
    const client = await service.client()
    const org_domain = world['org_domain'] ?? ''
    await service.given.user({ org_domain })
    await client.organizationPolicy.update({ org_domain, seats_limit: 1 })
    const body = { ...freshBody(route, world), user_email: anyEmail(), find_or_create_user: true }
    const isOfRequest = route.name === 'password.createRequest'
    return ask(route, world, token, isOfRequest ? { body } : undefined)
  },
  sso_required: async (route, world, token) => {
    const client = await service.client()
    const org_domain = world['org_domain'] ?? ''
    const { join_domain_id, join_email, organization_id = '' } = world
    const domain = (join_email ?? world['user_email'] ?? '').split('@')[1] ?? ''
    if (join_domain_id === undefined) await client.domains.create({ org_domain, domain, sso_required: true })
    else await client.domains.update({ org_domain, domain_id: join_domain_id, sso_required: true })
    await client.ssoConnections.create({ organization_id, email_domains: [domain] })
    return ask(route, world, token)
  },
  invitation_not_found: (route, world, token) => ask(route, { ...world, invitation_id: randomUUID() }, token),
  invitation_taken: async (route, world, token) => {
    const body = freshBody(route, world)
    await ask(route, world, token, { body })
    return ask(route, world, token, { body })
  },
  invitation_not_pending: async (route, world, token) => {
    const at = { org_domain: world['org_domain'] ?? '', invitation_id: world['invitation_id'] ?? '' }
    await (await service.client()).invitations.revoke(at)
    return ask(route, world, token)
  },
  join_request_not_found: (route, world, token) =>
    ask(route, { ...world, join_request_id: randomUUID() }, token),
  join_request_decided: async (route, world, token) => {
    const at = { org_domain: world['org_domain'] ?? '', join_request_id: world['join_request_id'] ?? '' }
    await (await service.client()).joinRequests.deny(at)
    return ask(route, world, token)
  },
  join_not_allowed: async (route, world, token) => {
    const at = { org_domain: world['org_domain'] ?? '', domain_id: world['join_domain_id'] ?? '' }
    await (await service.client()).domains.delete(at)
    return ask(route, world, token)
  },
  already_member: async (route, world, token) => {
    const { email } = await service.given.user({ org_domain: world['org_domain'] ?? '' })
    return ask(route, world, token, { body: { ...freshBody(route, world), email } })
  },
  invitations_exhausted: async (route, world, token) => {
    await service.query(
      `insert into invitations (account_id, environment, organization_id, id, email, email_normalized, state,
        is_url_returned, role_ids, profile, metadata, inviter_type, inviter_id, expires_at, sends, version, inserted_at,
        updated_at)
      select account_id, 'sandbox', id, gen_random_uuid(), place || '@many.example', place || '@many.example', 'pending',
        false, '{}', '{}', '[]', 'api_key', 'x', $2, 0, 1, $2, $2
      from organizations, generate_series(1, 1000) as place where domain = $1`,
      [world['org_domain'], new Date(service.clock.now().getTime() + 60_000)],
    )
    return ask(route, world, token)
  },
  domain_not_found: (route, world, token) => ask(route, { ...world, domain_id: randomUUID() }, token),
  domain_taken: async (route, world, token) => {
    await ask(route, world, token)
    return ask(route, world, token)
  },
  domains_exhausted: async (route, world, token) => {
    const client = await service.client()
    const org_domain = world['org_domain'] ?? ''
    for (let count = 0; count < 50; count += 1)
      await client.domains.create({ org_domain, domain: `${anything()}.example` })
    return ask(route, world, token, { body: freshBody(route, world) })
  },
  permission_not_found: (route, world, token) => ask(route, { ...world, permission_id: randomUUID() }, token),
  permission_taken: async (route, world, token) => {
    const { name } = await roleGivenOf(await service.client()).permission()
    return ask(route, world, token, { body: { name } })
  },
  permission_in_use: async (route, world, token) => {
    const client = await service.client()
    const { name } = await client.permissions.get({ permission_id: world['permission_id'] ?? '' })
    await client.roles.update({ role_id: world['role_id'] ?? '', permissions: [name] })
    return ask(route, world, token)
  },
  permissions_exhausted: async (route, world) => {
    const account = await service.createAccount()
    const client = await service.client({ account })
    const names = Array.from({ length: 500 }, (_, index) => `p${index}`)
    for (let first = 0; first < 500; first += 10)
      await Promise.all(names.slice(first, first + 10).map((name) => client.permissions.create({ name })))
    return ask(route, world, await service.token({ account }), { body: { name: 'one_too_many' } })
  },
  social_provider_not_found: (route, world, token) =>
    ask(route, { ...world, provider_id: randomUUID() }, token),
  social_provider_taken: async (route, world, token) => {
    const { name } = await (
      await service.client()
    ).socialProviders.get({ provider_id: world['provider_id'] ?? '' })
    return ask(route, world, token, { body: { name } })
  },
  social_provider_in_use: async (route, world, token) => {
    const client = await service.client()
    await client.socialConnection.update({ org_domain: world['org_domain'] ?? '', active: true })
    return ask(route, world, token)
  },
  social_providers_exhausted: async (route, world) => {
    const account = await service.createAccount()
    const client = await service.client({ account })
    for (let count = 0; count < 50; count += 1) await client.socialProviders.create({ name: `p-${count}` })
    return ask(route, world, await service.token({ account }), { body: { name: 'one-too-many' } })
  },
  role_not_found: (route, world, token) => ask(route, { ...world, role_id: randomUUID() }, token),
  role_taken: (route, world, token) =>
    ask(route, world, token, { body: { name: wideRole.name, display_name: 'Again' } }),
  role_in_use: async (route, world, token) => {
    const client = await service.client()
    const org_domain = world['org_domain'] ?? ''
    const { id: user_id } = await service.given.user({ org_domain })
    const { name } = await client.roles.get({ role_id: world['role_id'] ?? '' })
    await client.roles.setUserRoles({ org_domain, user_id, roles: [name] })
    return ask(route, world, token)
  },
  roles_exhausted: async (route, world, token) => {
    const given = roleGivenOf(await service.client())
    const organization_domain_scope = world['org_domain'] ?? ''
    for (let count = 0; count < 50; count += 1) await given.role({ organization_domain_scope })
    return ask(route, world, token, { body: freshBody(route, world) })
  },
  impersonation_refused: async (route, world, token) => {
    const client = await service.client()
    await client.organizations.update({ org_domain: world['org_domain'] ?? '', impersonation: 'refused' })
    return ask(route, world, token)
  },
  initiate_login_uri_required: async (route, world, token) => {
    const client = await service.client()
    const { org_domain = '', client_id = '' } = world
    await client.applications.update({ org_domain, client_id, initiate_login_uri: null })
    return ask(route, world, token)
  },
  impersonation_not_found: (route, world, token) =>
    ask(route, { ...world, impersonation_id: randomUUID() }, token),
  identity_not_found: (route, world, token) => ask(route, { ...world, identity_id: randomUUID() }, token),
  last_sign_in_method: async (route, world, token) => {
    const org_domain = world['org_domain'] ?? ''
    await (await service.client()).magicLink.updateConnection({ org_domain, active: false })
    return ask(route, world, token, { body: {} })
  },
  passkey_not_found: (route, world, token) => ask(route, { ...world, passkey_id: randomUUID() }, token),
  passkey_registration_not_found: (route, world, token) =>
    ask(route, { ...world, registration_id: randomUUID() }, token),
  passkey_rejected: (route, { credential: _, ...world }, token) => ask(route, world, token),
  passkeys_inactive: async (route, world, token) => {
    const client = await service.client()
    await client.passkeys.updateConnection({ org_domain: world['org_domain'] ?? '', active: false })
    return ask(route, world, token)
  },
  passkey_not_allowed: async (route, world, token) => {
    const client = await service.client()
    await client.passkeys.updateConnection({ org_domain: world['org_domain'] ?? '', synced: false })
    const registration = await giveRegistration(client, ownerIn(world), { lie: { isSynced: true } })
    return ask(route, { ...world, ...registration }, token)
  },
  passkey_taken: async (route, world, token) => {
    await ask(route, world, token)
    const { id: credentialId }: { id: string } = JSON.parse(world['credential'] ?? '{}')
    const lie = { credentialId }
    const again = await giveRegistration(await service.client(), ownerIn(world), { lie })
    return ask(route, { ...world, ...again }, token)
  },
  passkeys_exhausted: async (route, world, token) => {
    const { org_domain, user_id } = ownerIn(world)
    for (let count = 0; count < 20; count += 1)
      await givePasskey(service, { org_domain, user_id, environment: 'sandbox' })
    return ask(route, world, token)
  },
  session_not_found: (route, world, token) => ask(route, { ...world, session_id: randomUUID() }, token),
  relay_not_found: (route, world, token) => ask(route, { ...world, relay_id: randomUUID() }, token),
  relay_inactive: async (route, world, token) => {
    const client = await service.client()
    await client.relays.update({ relay_id: world['relay_id'] ?? '', active: false })
    return ask(route, world, token)
  },
  partner_not_open: async (route, world, token) => {
    const client = await service.client()
    const org_domain = world['partner_domain'] ?? ''
    await client.organizations.update({ org_domain, allowed_email_domains: ['people.example'] })
    return ask(route, world, token)
  },
  access_token_refused: (route, world, token) => ask(route, { ...world, access_token: 'nonsense' }, token),
  totp_inactive: async (route, world, token) => {
    const client = await service.client()
    await client.totp.updateConnection({ org_domain: world['org_domain'] ?? '', active: false })
    return ask(route, world, token)
  },
  totp_enrollment_taken: async (route, world, token) => {
    const given = totpGivenOf(service, await service.client())
    await given.enroll({ org_domain: world['org_domain'] ?? '', user_id: world['user_id'] ?? '' })
    return ask(route, world, token)
  },
  phone_number_missing: async (route, world, token) => {
    await withSms(world)
    return ask(route, world, token)
  },
  phone_number_unverified: async (route, world, token) => {
    const user = await enrolledBySms(world)
    const client = await service.client()
    await client.users.update({ ...user, phone_number: '+33698765432' })
    return ask(route, world, token)
  },
  phone_number_not_allowed: async (route, world) => {
    if (route.name === 'totp.enroll') await withSms(world, '+33612345678')
    else await enrolledBySms(world)
    const there = await abroad.token({ account: service.account })
    return ask(route, world, there, { baseUrl: abroad.baseUrl })
  },
  totp_enrollment_required: async (route, world, token) => {
    const client = await service.client()
    const org_domain = world['org_domain'] ?? ''
    await client.totp.updateConnection({ org_domain, active: true })
    await client.organizationPolicy.update({
      org_domain,
      second_factor: 'required',
      second_factor_grace_days: 0,
    })
    return ask(route, world, token)
  },
  passkey_enrollment_required: async (route, world, token) => {
    const client = await service.client()
    await client.passkeys.updateConnection({
      ...{ org_domain: world['org_domain'] ?? '', requirement: 'required', grace_days: 0 },
    })
    return ask(route, world, token)
  },
  totp_not_enrolled: async (route, world, token) => {
    const { id } = await service.given.user({ org_domain: world['org_domain'] ?? '' })
    return ask(route, { ...world, user_id: id }, token)
  },
  totp_challenge_not_open: (route, world, token) => ask(route, { ...world, request_id: randomUUID() }, token),
  totp_locked: async (route, world, token) => {
    for (let count = 0; count < 5; count++) await ask(route, { ...world, code: 'wrong' }, token)
    return ask(route, world, token)
  },
  totp_code_rejected: (route, world, token) => ask(route, { ...world, code: 'wrong' }, token),
  totp_enrollment_not_found: async (route, world, token) => {
    const { id } = await service.given.user({ org_domain: world['org_domain'] ?? '' })
    return ask(route, { ...world, user_id: id }, token)
  },
  no_application: async (route, world) => {
    const account = await service.createAccount()
    const client = await service.client({ account })
    const given = givenOf(client)
    const { domain, id: organization_id } = await given.organization()
    if (route.resource === 'ssoConnections') {
      if (isOidc(route)) await givenOidc(organization_id, client)
      else await client.ssoConnections.create({ organization_id, provider_type: 'test' })
      return ask(route, world, await service.token({ account }), { body: { org_domain: domain } })
    }
    if (route.resource === 'invitations') {
      const body = { email: anyEmail() }
      return ask(route, { org_domain: domain }, await service.token({ account }), { body })
    }
    if (route.resource === 'discovery') {
      const { id: application_id } = await given.application({
        org_domain: domain,
        allowed_redirect_urls: [],
      })
      const body = { ...freshBody(route, world), application_id }
      return ask(route, world, await service.token({ account }), { body })
    }
    await client.password.createConnection({ org_domain: domain })
    const user = await given.user({ org_domain: domain })
    const { application_id: _, ...members } = freshBody(route, world) ?? {}
    const named = 'user_email' in members && { user_email: user.email }
    const body = { ...members, org_domain: domain, ...named }
    return ask(route, world, await service.token({ account }), { body })
  },
}

/** The user of a world, and their application. */
function ownerIn({ org_domain = '', user_id = '', application_id = '' }: References) {
  return { org_domain, user_id, application_id }
}

/** Codes whose recipes change nothing and can therefore share objects. */
const unchanging = new Set<ErrorCode>([
  'malformed_request',
  'invalid_token',
  'insufficient_scope',
  'invalid_parameters',
  'body_too_large',
  'media_type_unsupported',
  'rate_limited',
  'https_required',
  'unavailable',
  'precondition_failed',
  'organization_not_found',
  'user_not_found',
  'application_not_found',
  'discovery_not_found',
  'application_secret_not_found',
  'meta_key_not_found',
  'password_connection_not_found',
  'directory_sync_not_found',
  'password_code_refused',
  'plan_limit_reached',
  'key_limited_to_organizations',
  'sandbox_only',
  'webhook_not_found',
  'delivery_not_found',
  'relay_not_found',
  'permission_not_found',
  'social_provider_not_found',
  'social_provider_taken',
  'social_providers_exhausted',
  'role_not_found',
  'role_taken',
  'permissions_exhausted',
  'passkey_not_found',
  'passkey_registration_not_found',
  'identity_not_found',
  'session_not_found',
  'impersonation_not_found',
  'sso_connection_not_found',
  'sso_metadata_not_found',
  'sso_oidc_client_not_found',
  'default_redirection_not_found',
  'onboarding_not_found',
  'sso_admin_email_missing',
  'sso_connection_not_configured',
  'admin_not_found',
  'access_token_refused',
  'no_application',
])

const keyed = routes().filter((route) => route.access.auth === 'api_key')
const { errorCodes: released } = await lastRelease()

/** Codes produced by common code of all routes; test/api/every-route.test.ts covers refused tokens. */
const answeredAlike = [
  'malformed_request',
  'invalid_token',
  'body_too_large',
  'media_type_unsupported',
  'rate_limited',
  'https_required',
  'unavailable',
  'idempotency_key_reused',
  'idempotency_in_flight',
] as const
/** Codes of limits that are reached with hundreds of records. */
const costly: ReadonlySet<ErrorCode> = new Set([
  'permissions_exhausted',
  'social_providers_exhausted',
  'roles_exhausted',
  'webhooks_exhausted',
  'meta_keys_exhausted',
  'domains_exhausted',
])
const sampledRoutes = new Map<ErrorCode, readonly Route[]>(
  answeredAlike.map((code) => {
    const all = keyed.filter(({ errorCodes: own }) => own.includes(code))
    // The operations on users, and one route per other method with and without path parameters.
    const kindOf = ({ method, pathParameters }: Route) => `${method} ${pathParameters.length > 0}`
    const ofUsers = all.filter(({ resource }) => resource === 'users')
    const others = all.filter((route) => !ofUsers.some((one) => kindOf(one) === kindOf(route)))
    const first = [...ofUsers, ...new Map(others.map((route) => [kindOf(route), route])).values()]
    return [code, sampled([...first, ...all.filter((route) => !first.includes(route))], first.length)]
  }),
)

/** Each code of a resource by one of its operations, but for what is costly. */
function isSampled(route: Route, code: ErrorCode): boolean {
  const chosen = sampledRoutes.get(code)
  if (chosen !== undefined) return chosen.includes(route)
  const first = keyed.find(
    ({ resource, errorCodes: own }) => resource === route.resource && own.includes(code),
  )
  return first === route && !costly.has(code)
}

const asked = keyed
  .map((route) => {
    const codes = route.errorCodes.filter((code) => isFullRun || isSampled(route, code))
    return [route.name, route, codes] as const
  })
  .filter(([, , codes]) => codes.length > 0)

describe.each(asked)('%s', (_name, route, own) => {
  test.each(own)('answers %s, as it declares', async (code) => {
    const recipe = recipes[code]
    expect(recipe, `a way to make ${route.name} answer ${code}`).toBeDefined()
    const world = unchanging.has(code) ? await lastingWorldOf(route) : await createWorldFor(route, service)
    const answer = await recipe?.(route, world, token)
    expect(answer?.body).toMatchObject({ error: { code } })
    expect(answer?.status).toBe(allErrorCodes[code].status)
    // Programs written for the last release expect the status that the code had then.
    expect(answer?.status).toBe((released[code] ?? allErrorCodes[code]).status)
  })
})

/** Objects that no recipe changes; the common ones do not include OpenID Connect connections. */
function lastingWorldOf(route: Route): Promise<References> {
  if (!isOidc(route)) return Promise.resolve(common)
  const known = oidcWorlds.get(route.name) ?? createWorldFor(route, service)
  oidcWorlds.set(route.name, known)
  return known
}

const oidcWorlds = new Map<string, Promise<References>>()

/** Cuts the network once for all routes, because each cut requires new connections. */
async function askAllWhileCut(): Promise<ReadonlyMap<string, Answer>> {
  const { baseUrl } = severed
  const token = await severed.token()
  await fetch(`${baseUrl}/api/v2/organizations`, { headers: { authorization: `Bearer ${token}` } })
  const answerOf = async (route: Route) => [route.name, await ask(route, common, token, { baseUrl })] as const
  return new Map(
    await proxy.during('reset', () => Promise.all((sampledRoutes.get('unavailable') ?? []).map(answerOf))),
  )
}

/** The token of a key with every scope except one. */
function tokenWithout(scope: Route['access']['scope']): Promise<string> {
  const known =
    tokensWithout.get(String(scope)) ?? service.token({ scopes: scopes.filter((one) => one !== scope) })
  tokensWithout.set(String(scope), known)
  return known
}

function ask(
  route: Route,
  references: References,
  token: string | undefined,
  extra: Partial<Parameters<typeof send>[1]> = {},
): Promise<Answer> {
  const body = extra.body ?? freshBody(route, references)
  return send(route, { baseUrl: service.baseUrl, token, references, ...extra, body })
}

function freshBody(route: Route, references: References): Record<string, unknown> | undefined {
  const body = bodyFor(route, references)
  const isUnique =
    /^(users\.create|permissions|roles|socialProviders|socialConnection|invitations|joinRequests|organizationPolicy|tokenCustomization\.createMetaKey)/.test(
      route.name,
    )
  return body !== undefined && isUnique ? { ...body, ...freshMembers(route.name) } : body
}

/** Creates a connection of an organization to an OpenID provider. */
async function givenOidc(organization_id: string, client: Client): Promise<void> {
  const { issuer, client: known } = await startOpenIdProvider(service.clock)
  const { id: oidc_client_id, secret: oidc_client_secret } = known
  const provider_type = 'custom_oidc'
  await client.ssoConnections.create({
    organization_id,
    provider_type,
    issuer,
    oidc_client_id,
    oidc_client_secret,
  })
}

/** Creates a connection without metadata, client or onboarding. */
async function bareConnection({ organization_id = '' }: References, protocol: 'saml' | 'oidc' = 'saml') {
  const { idp_id } = await (await service.client()).ssoConnections.create({ organization_id, protocol })
  return { idp_id }
}

/** Sets the method sms of an organization, and the phone number of the user, if given. */
async function withSms(world: References, phone_number?: string) {
  const client = await service.client()
  const user = { org_domain: world['org_domain'] ?? '', user_id: world['user_id'] ?? '' }
  await client.totp.updateConnection({ org_domain: user.org_domain, active: true, method: 'sms' })
  if (phone_number !== undefined) await client.users.update({ ...user, phone_number })
  return user
}

/** Enrols the telephone of the user instead of an app. */
async function enrolledBySms(world: References) {
  const client = await service.client()
  const user = await withSms(world, '+33612345678')
  const { first_verification_code: code } = await client.totp.enroll({ ...user, force_enroll: true })
  await client.totp.validateEnrollment({ ...user, code: code ?? '' })
  return user
}

/** The path with a reference whose percent-encoding is invalid. */
function pathWithout(route: Route, world: References): string {
  const [first = ''] = route.pathParameters
  return pathOf(route, world).replace(encodeURIComponent(world[first] ?? ''), '%zz')
}

function withoutScope(body: Record<string, unknown> | undefined): Record<string, unknown> {
  const { organization_domain_scope: _, ...rest } = body ?? {}
  return rest
}

function referenceOf(route: Route, name: string, value: string): Record<string, string> {
  return route.pathParameters.includes('client_id') ? {} : { [name]: value }
}

async function raw(
  route: Route,
  references: References,
  token: string,
  {
    path = pathOf(route, references),
    body,
    type = 'application/json',
    baseUrl = service.baseUrl,
  }: { path?: string; body?: string; type?: string; baseUrl?: string },
): Promise<Answer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: route.method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text) }
}

/** The http address of a service whose public URL is https. */
function plainAddress({ port }: Service): string {
  return `http://127.0.0.1:${port}`
}

/** Locks the events table, so that a change waits before its end. */
async function whileEventsAreLocked(
  work: () => Promise<{ second: Answer; first: Promise<Answer> }>,
): Promise<Answer> {
  const holder = new pg.Client({ connectionString: service.databaseUrl })
  await holder.connect()
  await holder.query('begin; lock table events in exclusive mode')
  try {
    const { second, first } = await work()
    await holder.query('rollback')
    await first
    return second
  } finally {
    await holder.end()
  }
}
