import type { Application, Client, User } from '@portico/sdk'
import { flowLinkGivenOf } from '../given/flow-link-given.js'
import { anyEmail } from '../given/given.js'
import type { Service } from '../given/harness.js'
import type { Seen, Visitor } from '../given/visitor.js'
import { idpMetadata } from '../given/sso-given.js'
import { callback } from '../given/flow-given.js'
import { accountGivenOf } from './account-given.js'

/** Sign-ins at the issuer of the service's account that name no organization. */
export function accountSignInGivenOf(service: Service, client: Client) {
  const given = accountGivenOf(service, client)
  const { flows } = given
  const links = flowLinkGivenOf(service, client, flows)

  /** An application of the whole account; its first organization is one with links alone. */
  async function application(): Promise<Application> {
    return service.given.application({
      org_domain: await service.given.domain(),
      allowed_redirect_urls: [callback],
    })
  }

  /** A user of a new organization whose links sign in. */
  async function member(
    email = anyEmail(),
    members: Parameters<typeof service.given.organization>[0] = {},
  ): Promise<{ readonly org_domain: string; readonly user: User }> {
    const { domain: org_domain } = await service.given.organization(members)
    return { org_domain, user: await service.given.user({ org_domain, email }) }
  }

  /** A person with users in two organizations, and an application of both. */
  async function inTwo() {
    const email = anyEmail()
    const of = await application()
    const first = await member(email, { name: 'Alpha' })
    const second = await member(email, { name: 'Beta' })
    return { email, application: of, first, second, visitor: flows.visitorOf() }
  }

  /** The first page of a sign-in. */
  function begin(
    of: Application,
    visitor: Visitor,
    members: Record<string, string | undefined> = {},
  ): Promise<Seen> {
    const url = given.authorizeUrl(
      { org_domain: '', application: of },
      { organization: undefined, ...members },
    )
    return visitor.visit(url)
  }

  /** Opens a link in a browser, and goes on to the page that it leads to. */
  async function open(link: string, visitor: Visitor): Promise<Seen> {
    const opened = await links.open(link, visitor)
    return opened.location === null || opened.location.startsWith(callback)
      ? opened
      : visitor.visit(opened.location)
  }

  /** The page after a mailbox was proved in a new sign-in. */
  async function prove(
    of: Application,
    email: string,
    visitor = flows.visitorOf(),
    members: Record<string, string | undefined> = {},
  ): Promise<Seen> {
    await visitor.press(await begin(of, visitor, members), 'identify', { email })
    return open(await links.newestLinkTo(email), visitor)
  }

  /** Chooses an organization of a list. */
  function enter(page: Seen, organization: string, visitor: Visitor): Promise<Seen> {
    const round = /name="round" value="(\d+)"/.exec(page.html)?.[1] ?? ''
    return visitor.press(page, 'enter', { organization, round })
  }

  return { ...given, links, application, member, inTwo, begin, open, prove, enter }
}

/** Makes addresses of each kind that a page must not tell apart. */
export function addressesOf(client: Client, given: ReturnType<typeof accountSignInGivenOf>) {
  return {
    known: async () => (await given.member()).user.email,
    unknown: async () => anyEmail(),
    async inactive() {
      const { org_domain, user } = await given.member()
      await client.users.update({ org_domain, user_id: user.id, active: false })
      return user.email
    },
    /** Of an organization whose users sign in by its identity provider alone, and whose connection owns no domain. */
    async ssoOnly() {
      const { org_domain, user } = await given.member()
      await client.magicLink.updateConnection({ org_domain, active: false })
      const { id: organization_id } = await client.organizations.get({ org_domain })
      const { idp_id } = await client.ssoConnections.create({ organization_id })
      await client.ssoConnections.update({ idp_id, metadata: idpMetadata(), active: true })
      return user.email
    },
  } satisfies Record<string, () => Promise<string>>
}

/** An answer without what is of one sign-in. */
export function sameForAll({ html, status, headers }: Seen, email: string): string {
  const [local = '', domain = ''] = email.split('@')
  const plain = (text: string) =>
    text
      .replaceAll(local, 'local')
      .replaceAll(domain, 'domain')
      .replace(/sign-in\/[\w-]+/g, 'sign-in/id')
      .replace(/name="csrf" value="[\w-]+"/g, '')
  const lines = [...headers].filter(([name]) => !ofOneAnswer.has(name)).map((line) => line.join(': '))
  return plain(`${status}\n${lines.join('\n')}\n${html}`)
}

/** The length is that of the address. */
const ofOneAnswer = new Set(['date', 'x-request-id', 'content-length', 'set-cookie'])

/** The domains of the organizations on a page, in their order. */
export function listedOn({ html }: Seen): string[] {
  return [...html.matchAll(/name="organization" value="([^"]*)"/g)].map(([, domain]) => domain ?? '')
}
