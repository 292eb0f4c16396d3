import { routes, type Route } from '@portico/contract/walk'
import { openMagicLink, type Pagination } from '@portico/sdk'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { bodyFor, send, type References } from '../given/request-of.js'
import { scimGivenOf } from '../given/scim-given.js'
import { ssoGivenOf } from '../given/sso-given.js'
import type { Service } from '../given/harness.js'
import { freshMembers, giveJoinRequest, givePasskey } from '../given/world.js'

export type Row = Readonly<Record<string, unknown>> & { readonly id: string }

export interface Page {
  readonly data: readonly Row[]
  readonly pagination: Pagination
  readonly total: number
  readonly next_cursor: string | null
}

/** A list of a new account, and how its records come and go. */
export interface Subject {
  read(query?: string): Promise<Page>
  raw(query: string): Promise<{ status: number; text: string }>
  create(label?: string): Promise<unknown>
  /** Absent where the API deletes no record of this kind. */
  remove?(record: Row): Promise<unknown>
}

type Recipe = (
  as: Awaited<ReturnType<typeof newAccount>>,
) => Pick<Subject, 'create' | 'remove'> & { readonly sorts: readonly string[] }

const receiver = 'https://127.0.0.1:9999/events'

/** How to make and remove a record of a list where its resource does not simply create, and what the list can be sorted by. */
export const recipes: Readonly<Record<string, Recipe>> = {
  'organizations.list': ({ client, given }) => ({
    create: (name = `Organization ${anything()}`) => given.organization({ name }),
    remove: (record) => client.organizations.delete({ org_domain: String(record['domain']) }),
    sorts: ['name', 'domain', 'inserted_at', 'updated_at'],
  }),
  'users.list': ({ client, given, org_domain }) => ({
    create: (label) => given.user({ org_domain, email: label === undefined ? anyEmail() : emailOf(label) }),
    remove: ({ id }) => client.users.delete({ org_domain, user_id: id }),
    sorts: ['inserted_at', 'updated_at', 'email'],
  }),
  'invitations.list': ({ client, given, org_domain }) => ({
    create: async () => {
      await given.application({ org_domain })
      return client.invitations.create({ org_domain, email: anyEmail() })
    },
    sorts: [],
  }),
  'joinRequests.list': ({ service, client, org_domain }) => ({
    create: () => giveJoinRequest(service, client, { org_domain, environment: 'sandbox' }),
    sorts: [],
  }),
  'applications.list': ({ client, given, org_domain }) => ({
    create: (name = 'Storefront') => given.application({ org_domain, name }),
    remove: ({ id }) => client.applications.delete({ org_domain, client_id: id }),
    sorts: ['name', 'inserted_at', 'updated_at'],
  }),
  'applications.listOfAccount': ({ client, given, org_domain }) => ({
    create: (name = 'Storefront') =>
      given.application({ org_domain, name, organization_domain_scope: org_domain }),
    remove: ({ id }) => client.applications.delete({ org_domain, client_id: id }),
    sorts: ['name', 'inserted_at', 'updated_at'],
  }),
  'tokenCustomization.listMetaKeys': ({ client, given, org_domain }) => ({
    create: () => given.metaKey({ org_domain }),
    remove: (record) =>
      client.tokenCustomization.deleteMetaKey({ org_domain, key_name: String(record['name']) }),
    sorts: [],
  }),
  'webhooks.listDeliveries': ({ client, webhook_id }) => ({
    create: () => client.webhooks.test({ webhook_id }),
    sorts: [],
  }),
  'relays.list': ({ client, given, org_domain }) => ({
    async create() {
      const { allowed_redirect_urls } = await given.application({ org_domain })
      await client.relays.create({
        partner_domain: org_domain,
        partner_redirect_uri: allowed_redirect_urls[0] ?? '',
      })
    },
    remove: ({ id }) => client.relays.delete({ relay_id: id }),
    sorts: [],
  }),
  'ssoConnections.listLoginTraces': ({ service, idp_id }) => ({
    // A response that nobody can read is told of, too.
    create: () =>
      fetch(`${service.baseUrl}/saml/${idp_id}/acs`, {
        method: 'POST',
        body: new URLSearchParams({ SAMLResponse: anything() }),
      }),
    sorts: [],
  }),
  'directorySync.listRequests': ({ directory }) => ({
    create: async () => directory?.scim('GET', '/ServiceProviderConfig'),
    sorts: [],
  }),
  'admins.list': ({ client, org_domain }) => ({
    create: () => client.admins.invite({ org_domain, email: anyEmail() }),
    remove: (record) => client.admins.delete({ org_domain, email: String(record['email']) }),
    sorts: [],
  }),
  'sessions.list': ({ client, given, org_domain, user }) => ({
    // A sign-in voids the other links of its application.
    async create() {
      const { id: application_id } = await given.application({ org_domain })
      const { magic_link } = await client.magicLink.createChallenge({
        org_domain,
        user_email: user.email,
        application_id,
        send_email: false,
      })
      await openMagicLink(magic_link ?? '')
    },
    remove: ({ id }) => client.sessions.end({ org_domain, user_id: user.id, session_id: id }),
    sorts: [],
  }),
  'impersonations.list': ({ client, given, org_domain, user }) => ({
    async create() {
      const { id: application_id } = await given.application({
        org_domain,
        initiate_login_uri: 'https://store.example/auth/sign-in',
      })
      const of = { org_domain, user_id: user.id, application_id }
      await client.impersonations.create({ ...of, reason: 'Ticket 4711', actor: { id: 'staff-7' } })
    },
    sorts: [],
  }),
  'passkeys.list': ({ service, client, org_domain, user }) => ({
    create: () => givePasskey(service, { org_domain, user_id: user.id, environment: 'sandbox' }),
    remove: ({ id }) => client.passkeys.delete({ org_domain, user_id: user.id, passkey_id: id }),
    sorts: [],
  }),
  'outbox.list': ({ service, client, given, org_domain }) => ({
    async create() {
      const { email } = await given.user({ org_domain })
      await client.magicLink.createChallenge({ org_domain, user_email: email })
      await service.runJobs()
    },
    sorts: [],
  }),
}

/** The recipe of a list, or that of a resource which creates a record as the contract shows it. */
export function recipeOf(route: Route): Recipe | undefined {
  const [create, remove] = ['create', 'delete'].map((verb) =>
    routes().find(({ name }) => name === `${route.resource}.${verb}`),
  )
  if (create === undefined || route.verb !== 'list') return recipes[route.name]
  const derived: Recipe = ({ service, token, references }) => ({
    create() {
      const body = { ...bodyFor(create, references), ...freshMembers(create.name) }
      return send(create, { baseUrl: service.baseUrl, token, references, body })
    },
    ...(remove && {
      remove({ id }) {
        const named = { ...references, [remove.pathParameters.at(-1) ?? '']: id }
        return send(remove, { baseUrl: service.baseUrl, token, references: named })
      },
    }),
    sorts: [],
  })
  return recipes[route.name] ?? derived
}

/** The longest address that a label can be part of: 64 characters before the @, labels of 63 after it. */
function emailOf(label: string): string {
  const host = [label.slice(0, 60), 'x'.repeat(60), 'y'.repeat(50), 'example'].join('.')
  return `${label.slice(0, 50)}@${host}`
}

/** An account for the records of a list, which has none yet. */
export async function newAccount(service: Service, route: Route) {
  const account = await service.createAccount()
  const client = await service.client({ account })
  const given = givenOf(client)
  // The list of organizations itself begins empty.
  const isUnder = route.name !== 'organizations.list'
  const { domain: org_domain, id: organization_id } = isUnder
    ? await given.organization()
    : { domain: '', id: '' }
  const idp_id = route.pathParameters.includes('idp_id')
    ? (await ssoGivenOf(client).configured(organization_id)).idp_id
    : ''
  const directory =
    route.resource === 'directorySync' ? await scimGivenOf(client).directory({ org_domain }) : undefined
  if (route.name === 'outbox.list') await given.application({ org_domain })
  const user = route.pathParameters.includes('user_id')
    ? await given.user({ org_domain })
    : { id: '', email: '' }
  const webhook_id = route.pathParameters.includes('webhook_id')
    ? (await client.webhooks.create({ name: 'Receiver', target_url: receiver, event_codes: ['user.all'] })).id
    : ''
  const token = await service.token({ account })
  const references: References = { org_domain, organization_id, user_id: user.id, webhook_id, idp_id }
  return {
    service,
    client,
    given,
    org_domain,
    user,
    webhook_id,
    idp_id,
    directory,
    token,
    references,
  }
}
