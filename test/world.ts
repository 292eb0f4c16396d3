import { bodyOf, queryOf, type Route } from '@portico/contract/walk'
import { openMagicLink, type Client } from '@portico/sdk'
import { z } from 'zod/v4'
import { anyEmail, anything, givenOf } from './given.js'
import type { Service } from './harness.js'
import type { References } from './request-of.js'

type Key = NonNullable<Parameters<Service['client']>[0]>

/** One of every kind of object that a route can name, all of one organization, account and environment. */
export async function createWorld(service: Service, key: Key = {}, orgDomain?: string): Promise<References> {
  const client = await service.client(key)
  const webhook = await client.webhooks.create({
    name: 'Receiver',
    target_url: 'https://127.0.0.1:9999/events',
    event_codes: ['metakey.all'],
  })
  const organization = await createOrganizationWorld(client, orgDomain)
  const { data: deliveries } = await client.webhooks.listDeliveries({ webhook_id: webhook.id })
  const { org_domain, user_email, partner_redirect_uri } = organization
  const relay = await client.relays.create({ partner_domain: org_domain, partner_redirect_uri })
  return {
    ...organization,
    webhook_id: webhook.id,
    delivery_id: deliveries[0]?.id ?? '',
    relay_id: relay.id,
    partner_domain: org_domain,
    access_token: await signIn(client, { org_domain, user_email }),
  }
}

/** The same for a route that names neither webhooks nor relays, and quicker. */
export async function createWorldFor(route: Route, service: Service): Promise<References> {
  const names = [...route.pathParameters, ...membersOf(bodyOf(route)), ...membersOf(queryOf(route))]
  const isWhole = ['webhook_id', 'relay_id', 'partner_domain', 'access_token'].some((name) =>
    names.includes(name),
  )
  return isWhole ? createWorld(service) : createOrganizationWorld(await service.client())
}

function membersOf(schema: z.ZodType | undefined): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

async function createOrganizationWorld(client: Client, orgDomain?: string) {
  const given = givenOf(client)
  const org_domain = orgDomain ?? (await given.organization()).domain
  const user = await given.user({ org_domain, email: anyEmail() })
  const application = await given.application({ org_domain, organization_domain_scope: org_domain })
  const metaKey = await given.metaKey({ org_domain, name: `key_${anything()}` })
  await client.users.addMetadata({ org_domain, user_id: user.id, key: metaKey.name, value: 'value' })
  return {
    org_domain,
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

/** Signs a user in, and answers with the access token. */
export async function signIn(
  client: Client,
  user: { readonly org_domain: string; readonly user_email: string },
): Promise<string> {
  const { magic_link } = await client.magicLink.createChallenge({ ...user, send_email: false })
  const { code } = await openMagicLink(magic_link ?? '')
  const tokens = await client.oauth.token({ grant_type: 'authorization_code', code })
  return tokens.access_token
}

/** The same world, with an application of the whole account in the place of the organization's own. */
export async function withAccountApplication(
  service: Service,
  world: References,
  key: Key = {},
): Promise<References> {
  const given = givenOf(await service.client(key))
  const application = await given.application({ org_domain: world['org_domain'] ?? '' })
  return { ...world, client_id: application.id, application_id: application.id }
}
