import type { Application, Client, Relay, User } from '@portico/sdk'
import { anyEmail, givenOf } from './given.js'
import { signIn } from './world.js'

/** An organization with a signed-in user, a partner, and a relay between them. */
export interface RelayScene {
  /** The organization of the user. */
  readonly org_domain: string
  readonly user: User
  readonly access_token: string
  readonly partner_domain: string
  readonly partner_application: Application
  readonly relay: Relay
}

/** The redirect URL of the partners in these fixtures. */
export const partnerCallback = 'https://partner.example/callback'

/** The answer to a browser that opened the URL of a relay. */
export interface Arrival {
  readonly status: number
  /** The authorization code of the redirect; null on a page. */
  readonly code: string | null
  readonly location: URL | null
  readonly html: string
}

/** Opens a URL like a browser, without following the redirect. */
export async function arriveBy(relayUri: string, init: RequestInit = {}): Promise<Arrival> {
  const answer = await fetch(relayUri, { redirect: 'manual', ...init })
  const address = answer.headers.get('location')
  const location = address === null ? null : new URL(address)
  const html = await answer.text()
  return { status: answer.status, code: location?.searchParams.get('code') ?? null, location, html }
}

/** Relays, and what they need. */
export function relayGivenOf(client: Client) {
  const given = givenOf(client)

  return {
    async scene(members: { email?: string } = {}): Promise<RelayScene> {
      const [{ domain: org_domain }, { domain: partner_domain }] = await Promise.all([
        given.organization(),
        given.organization(),
      ])
      await given.application({ org_domain, organization_domain_scope: org_domain })
      const user = await given.user({ org_domain, email: anyEmail(), ...members })
      const partner_application = await given.application({
        org_domain: partner_domain,
        organization_domain_scope: partner_domain,
        allowed_redirect_urls: [partnerCallback],
      })
      const relay = await client.relays.create({ partner_domain, partner_redirect_uri: partnerCallback })
      const access_token = await signIn(client, { org_domain, user_email: user.email })
      return { org_domain, user, access_token, partner_domain, partner_application, relay }
    },

    async address({ relay, access_token }: Pick<RelayScene, 'relay' | 'access_token'>): Promise<string> {
      const { relay_uri } = await client.relays.request({ relay_id: relay.id, access_token })
      return relay_uri
    },
  }
}
