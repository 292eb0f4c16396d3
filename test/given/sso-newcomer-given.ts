import type { Client } from '@portico/sdk'
import { callback, type FlowGiven } from './flow-given.js'
import { anyEmail } from './given.js'
import type { Service } from './harness.js'
import { leadOf } from './saml-given.js'
import { chooseAtTestIdp } from './test-idp-given.js'

/** An organization whose users come by the built-in identity provider. */
export async function ssoPlace(service: Service, client: Client) {
  const { id: organization_id, domain: org_domain } = await service.given.organization()
  const application = await service.given.application({
    org_domain,
    organization_domain_scope: org_domain,
    allowed_redirect_urls: [callback],
  })
  const { idp_id } = await client.ssoConnections.create({
    ...{ organization_id, application_id: application.id, provider_type: 'test' },
  })
  return { org_domain, application, idp_id }
}

/** Has a newcomer sign in there; the page that this leads to. */
export async function comeByTestIdp(
  flows: FlowGiven,
  { idp_id: idp_hint, ...place }: Awaited<ReturnType<typeof ssoPlace>>,
  members: Record<string, string> = {},
) {
  const visitor = flows.visitorOf()
  const url = flows.authorizeUrl(place, { ...members, idp_hint })
  const atProvider = await visitor.visit(leadOf(await visitor.visit(url)))
  const page = await chooseAtTestIdp(visitor, atProvider, { name_id: anyEmail(), email: anyEmail() })
  return { visitor, page }
}
