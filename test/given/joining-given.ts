import type { Client, JoinRequest } from '@portico/sdk'
import { flowGivenOf } from './flow-given.js'
import { flowLinkGivenOf } from './flow-link-given.js'
import { anything } from './given.js'
import type { Service } from './harness.js'
import type { Seen, Visitor } from './visitor.js'

type Policy = Omit<Parameters<Client['organizationPolicy']['update']>[0], 'org_domain'>
type Scene = Awaited<ReturnType<ReturnType<typeof joiningGivenOf>['scene']>>

/** Organizations with a verified domain, and people who join them by it. */
export function joiningGivenOf(service: Service, client: Client) {
  const flows = flowGivenOf(service, client)
  const links = flowLinkGivenOf(service, client, flows)

  /** An organization whose links sign in, with a verified domain and an application. */
  async function scene(policy: Policy = { join_by_domain: 'request' }) {
    const { org_domain, application, user } = await flows.scene()
    const domain = `${anything()}.example`
    const { id: domain_id } = await client.domains.create({ org_domain, domain })
    await client.organizationPolicy.update({ org_domain, ...policy })
    return { org_domain, application, user, domain, domain_id, anybody: () => `${anything()}@${domain}` }
  }

  /** The page after the owner of an address has opened a link that their sign-in has mailed. */
  async function arrive(of: Scene, email: string, visitor: Visitor = flows.visitorOf()): Promise<Seen> {
    const { link } = await links.linkSent(of, { visitor, email })
    const opened = await links.open(link, visitor)
    return opened.location?.includes('/sign-in/') === true ? visitor.visit(opened.location) : opened
  }

  /** Asks to join, by mail and page. */
  async function ask(of: Scene, email = of.anybody()): Promise<JoinRequest> {
    const visitor = flows.visitorOf()
    await visitor.press(await arrive(of, email, visitor), 'ask')
    const { data } = await client.joinRequests.list({ org_domain: of.org_domain, email })
    const [request] = data
    if (request === undefined) throw new Error(`${email} has asked nothing`)
    return request
  }

  /** The codes of the events about join requests of an organization, in their order. */
  async function eventsOf({ org_domain }: Pick<Scene, 'org_domain'>): Promise<string[]> {
    const rows = await service.query<{ code: string }>(
      `select code from events where domain = $1 and code like 'invitation.join_request.%' order by issued_at, id`,
      [org_domain],
    )
    return rows.map(({ code }) => code.replace('invitation.join_request.', ''))
  }

  function userOf({ org_domain }: Pick<Scene, 'org_domain'>, user_email: string) {
    return client.users.getByEmail({ org_domain, user_email }).catch(() => undefined)
  }

  return { flows, links, scene, arrive, ask, eventsOf, userOf }
}
