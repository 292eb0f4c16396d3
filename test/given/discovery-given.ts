import type { Client, Discovery } from '@portico/sdk'
import { createVisitor, type Seen, type Visitor } from './visitor.js'

/** A person, and the application that they want to use. */
interface Seeker {
  readonly user_email: string
  readonly application_id: string
  readonly redirect_uri?: string
}

/** Discoveries on pages of an application's own. */
export function discoveryGivenOf(service: { readonly baseUrl: string }, client: Client) {
  async function linkOf(seeker: Seeker): Promise<string> {
    const { magic_link: link } = await client.discovery.createChallenge({ ...seeker, send_email: false })
    return link ?? ''
  }

  /** Opens a page of a single button, and presses it. */
  async function press(url: string, visitor: Visitor = createVisitor(service.baseUrl)): Promise<Seen> {
    const page = await visitor.visit(url)
    return page.status === 200 ? pressOn(page, url, visitor) : page
  }

  function pressOn(page: Seen, url: string, visitor: Visitor): Promise<Seen> {
    return visitor.send(page, '', { token: new URL(url).searchParams.get('token') ?? '' })
  }

  /** The code that the application gets from a link. */
  async function codeOf(link: string): Promise<string> {
    const { location, html } = await press(link)
    const code = location === null ? null : new URL(location).searchParams.get('discovery_code')
    if (code === null) throw new Error(`the link led to no code: ${html}`)
    return code
  }

  async function discover(seeker: Seeker): Promise<Discovery> {
    const discovery_code = await codeOf(await linkOf(seeker))
    return client.discovery.exchange({ discovery_code })
  }

  return { linkOf, press, pressOn, codeOf, discover }
}
