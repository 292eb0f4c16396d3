import type { Client } from '@portico/sdk'
import { anyEmail } from '../../given/given.js'
import { scimGivenOf, type ScimProvider, type ScimResponse } from '../../given/scim-given.js'

export const coreUser = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterpriseUser = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

/** The members of a SCIM user that tests read. */
export interface ScimUser {
  readonly id: string
  readonly userName: string
  readonly active: boolean
  readonly meta: { readonly version: string }
}

/** The body of a new user, by default with an address of their own. */
export function userBody(members: { readonly email?: string } & Record<string, unknown> = {}) {
  const { email = anyEmail(), ...others } = members
  return {
    schemas: [coreUser],
    userName: email,
    name: { givenName: 'Ada', familyName: 'Lovelace' },
    emails: [{ value: email, type: 'work', primary: true }],
    active: true,
    ...others,
  }
}

/** The body of a patch that replaces one attribute. */
export function replacing(path: string, value: unknown) {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path, value }],
  }
}

/** The user in an answer. */
export function userIn({ body }: ScimResponse): ScimUser {
  // Tests that need further members assert them.
  return body as ScimUser
}

type Event = Awaited<ReturnType<Client['events']['list']>>['data'][number]

/** Directories with users. */
export function scimUsersGivenOf(client: Client) {
  const scim = scimGivenOf(client)

  return {
    ...scim,
    async user(provider: ScimProvider, members: Parameters<typeof userBody>[0] = {}): Promise<ScimUser> {
      const made = await provider('POST', '/Users', { body: userBody(members) })
      if (made.status !== 201) throw new Error(`no user was made: ${JSON.stringify(made.body)}`)
      return userIn(made)
    },
    /** The events about the users of an organization, oldest first. */
    async events(org_domain: string): Promise<Event[]> {
      const events: Event[] = []
      for (let after: string | undefined; ;) {
        const { data, cursor } = await client.events.list({
          limit: 100,
          ...(after !== undefined && { after }),
        })
        events.push(...data)
        if (data.length < 100) break
        after = cursor
      }
      const isOfUser = ({ code }: Event) => /^(user\.user|dir_sync\.user)\./.test(code)
      return events
        .filter(isOfUser)
        .filter(({ data }) => '__domain__' in data && data.__domain__ === org_domain)
    },
  }
}
