import { randomBytes } from 'node:crypto'
import type { Application, Client, MetaKey, Organization, User } from '@portico/sdk'

type NewApplication = Parameters<Client['applications']['create']>[0]
type NewUser = Parameters<Client['users']['create']>[0]

export type Given = ReturnType<typeof givenOf>

/** Arranges state through the API with few calls. Members that a test omits get made-up values. */
export function givenOf(client: Client) {
  return {
    organization(
      members: Partial<Parameters<Client['organizations']['create']>[0]> = {},
    ): Promise<Organization> {
      return client.organizations.create({ name: `Organization ${anything()}`, ...members })
    },

    /** The domain of a new organization. */
    async domain(): Promise<string> {
      const { domain } = await this.organization()
      return domain
    },
    user(members: Partial<NewUser> & { org_domain: string }, as = client): Promise<User> {
      return as.users.create({ email: anyEmail(), ...members })
    },
    application(
      members: Partial<NewApplication> & { org_domain: string },
      as = client,
    ): Promise<Application> {
      return as.applications.create({
        name: 'Storefront',
        application_type: 'react',
        allowed_redirect_urls: ['https://store.example/callback'],
        allowed_origins_cors: ['https://store.example'],
        allowed_logout_urls: ['https://store.example/signed-out'],
        ...members,
      })
    },
    metaKey(
      members: Partial<Parameters<Client['tokenCustomization']['createMetaKey']>[0]> & { org_domain: string },
    ): Promise<MetaKey> {
      return client.tokenCustomization.createMetaKey({
        name: `key_${anything()}`,
        type: 'string',
        ...members,
      })
    },
  }
}

export function anything(): string {
  return randomBytes(4).toString('hex')
}

export function anyEmail(): string {
  return `${anything()}@people.example`
}
