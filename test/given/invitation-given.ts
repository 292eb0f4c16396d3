import type { Client, Invitation } from '@portico/sdk'
import { callback } from './flow-given.js'
import { anyEmail } from './given.js'
import type { Service } from './harness.js'
import { createVisitor, type Seen, type Visitor } from './visitor.js'

type NewInvitation = Parameters<Client['invitations']['create']>[0]

/** An organization that invites, with an application that needs no proof of its own request. */
export interface InvitingScene {
  readonly org_domain: string
}

/** Invitations of users, and browsers that open them. */
export function invitationGivenOf(service: Service, client: Client) {
  async function scene(organization: { allowed_email_domains?: string[] } = {}): Promise<InvitingScene> {
    const { domain: org_domain } = await service.given.organization(organization)
    await service.given.application({
      org_domain,
      organization_domain_scope: org_domain,
      allowed_redirect_urls: [callback],
    })
    return { org_domain }
  }

  function invite({ org_domain }: InvitingScene, members: Partial<NewInvitation> = {}): Promise<Invitation> {
    return client.invitations.create({ org_domain, email: anyEmail(), ...members })
  }

  /** The newest URL that was mailed to an address. */
  async function mailedUrl(email: string): Promise<string> {
    await service.runJobs()
    const { data } = await client.outbox.list({ to: email })
    const [url] = data.flatMap(({ text }) => /http\S+\/invitations\/[\w-]{43}/.exec(text)?.[0] ?? [])
    if (url === undefined) throw new Error(`no invitation was mailed to ${email}`)
    return url
  }

  /** An invitation with its mailed URL, in a scene of its own where none is given. */
  async function invited(of?: InvitingScene, members: Partial<NewInvitation> = {}) {
    const at = of ?? (await scene())
    const invitation = await invite(at, members)
    return { ...at, invitation, email: invitation.email, url: await mailedUrl(invitation.email) }
  }

  /** Opens a URL and presses the button; returns the opened page if it has none. */
  async function open(url: string, visitor: Visitor = visitorOf()): Promise<Seen> {
    const page = await visitor.visit(url)
    return page.status === 200 ? visitor.press(page, 'begin') : page
  }

  function visitorOf(): Visitor {
    return createVisitor(service.baseUrl)
  }

  /** The state of an invitation, as its record has it. */
  async function stateOf({ org_domain }: InvitingScene, { id }: Pick<Invitation, 'id'>): Promise<string> {
    return (await client.invitations.get({ org_domain, invitation_id: id })).state
  }

  /** The codes of the events about invitations of an organization, in their order. */
  async function eventsOf({ org_domain }: InvitingScene): Promise<string[]> {
    const rows = await service.query<{ code: string }>(
      `select code from events where domain = $1 and code like 'invitation.%' order by issued_at, id`,
      [org_domain],
    )
    return rows.map(({ code }) => code.replace('invitation.invitation.', ''))
  }

  return { scene, invite, mailedUrl, invited, open, visitorOf, stateOf, eventsOf }
}
