import type { Client } from '@portico/sdk'
import type { Service } from '../given/harness.js'

type NewChallenge = Parameters<Client['magicLink']['createChallenge']>[0]
type NewApplication = Parameters<Client['applications']['create']>[0]

/** An organization with a user and an application. */
export interface Place {
  readonly org_domain: string
  readonly user_id: string
  readonly user_email: string
  readonly application_id: string
}

export type SignInGiven = ReturnType<typeof signInGivenOf>

/** Organizations to sign in to, and magic links. */
export function signInGivenOf(service: Service, client: Client) {
  return {
    /** An organization with a user and an application of its own. */
    async place(application: Partial<NewApplication> = {}): Promise<Place> {
      const { domain } = await service.given.organization()
      const user = await service.given.user({ org_domain: domain })
      const { id } = await service.given.application({
        org_domain: domain,
        organization_domain_scope: domain,
        ...application,
      })
      return { org_domain: domain, user_id: user.id, user_email: user.email, application_id: id }
    },

    async link(place: Place, members: Partial<NewChallenge> = {}): Promise<string> {
      const { magic_link } = await client.magicLink.createChallenge({
        org_domain: place.org_domain,
        user_email: place.user_email,
        application_id: place.application_id,
        send_email: false,
        ...members,
      })
      return magic_link ?? ''
    },
  }
}
