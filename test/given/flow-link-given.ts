import type { Client } from '@portico/sdk'
import type { FlowGiven, FlowScene } from './flow-given.js'
import type { Service } from './harness.js'
import type { Seen, Visitor } from './visitor.js'

/** Magic links mailed by the hosted pages, and browsers that open them. */
export function flowLinkGivenOf(service: Service, client: Client, given: FlowGiven) {
  /** The links mailed to an address, newest first. */
  async function linksTo(email: string): Promise<string[]> {
    await service.runJobs()
    const { data } = await client.outbox.list({ to: email })
    return data.flatMap(({ text }) => /http\S+token=[\w-]{43}/.exec(text)?.[0] ?? [])
  }

  async function newestLinkTo(email: string): Promise<string> {
    const [link] = await linksTo(email)
    if (link === undefined) throw new Error(`no link was mailed to ${email}`)
    return link
  }

  /** A flow at the step that waits for the link. */
  async function atLinkSent(
    of?: FlowScene,
    {
      visitor = given.visitorOf(),
      email,
      action = 'mail_link',
      ...members
    }: {
      visitor?: Visitor
      email?: string
      action?: string
      acr_values?: string
      ui_locales?: string
    } = {},
  ) {
    const { scene, page } = await given.begin(of, members, visitor)
    const atPassword = await visitor.press(page, 'identify', { email: email ?? scene.user.email })
    return { scene, visitor, page: await visitor.press(atPassword, action) }
  }

  /** The same with the link in hand. */
  async function linkSent(of?: FlowScene, options: Parameters<typeof atLinkSent>[1] = {}) {
    const at = await atLinkSent(of, options)
    return { ...at, link: await newestLinkTo(options.email ?? at.scene.user.email) }
  }

  /** Opens a link and presses its button; returns the opened page if it has none. */
  async function open(link: string, visitor = given.visitorOf()): Promise<Seen> {
    const page = await visitor.visit(link)
    return page.status === 200 ? pressButton(link, page, visitor) : page
  }

  function pressButton(link: string, page: Seen, visitor: Visitor): Promise<Seen> {
    return visitor.send(page, '', { token: tokenOf(link) })
  }

  /** The code that a link displays in another browser. */
  async function codeElsewhere(link: string): Promise<string> {
    return shownCode(await open(link))
  }

  /** The step of a flow, read from the database. */
  async function stepOf(flow: Seen): Promise<string> {
    const [row] = await service.query<{ step: string }>('select step from sign_in_flows where id = $1', [
      flowIdOf(flow),
    ])
    return row?.step ?? 'gone'
  }

  return { linksTo, newestLinkTo, atLinkSent, linkSent, open, pressButton, codeElsewhere, stepOf }
}

export function tokenOf(link: string): string {
  return new URL(link).searchParams.get('token') ?? ''
}

export function flowIdOf({ url }: Seen): string {
  return /sign-in\/([\w-]+)/.exec(url)?.[1] ?? ''
}

/** The six-digit code on a page; empty without one. */
export function shownCode({ html }: Seen): string {
  return /<output>(\d{6})<\/output>/.exec(html)?.[1] ?? ''
}

/** A different code. */
export function otherCode(code: string): string {
  return code === '000000' ? '111111' : '000000'
}

/** The form of an authorization code in a redirect. */
export const aCode = /^[\w-]{43}$/
