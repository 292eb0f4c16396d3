import { randomBytes } from 'node:crypto'
import type { Service } from '../../given/harness.js'
import type { ScimGiven, ScimProvider } from '../../given/scim-given.js'

type Directory = Awaited<ReturnType<ScimGiven['directory']>>['directory']

/** A group in an answer. */
export interface Group {
  readonly id: string
  readonly externalId?: string
  readonly displayName: string
  readonly members?: readonly {
    readonly value: string
    readonly $ref: string
    readonly display: string
    readonly type: string
  }[]
  readonly meta: {
    readonly resourceType: string
    readonly created: string
    readonly lastModified: string
    readonly location: string
    readonly version: string
  }
}

export interface GroupList {
  readonly totalResults: number
  readonly startIndex: number
  readonly itemsPerPage: number
  readonly Resources: readonly Group[]
}

const patchSchemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp']
const groupSchemas = ['urn:ietf:params:scim:schemas:core:2.0:Group']

/** Creates users of a directory concurrently, and returns their ids. */
export async function directoryUsers(
  { query, clock }: Service,
  { id }: Directory,
  count: number,
): Promise<readonly string[]> {
  const rows = await query<{ id: string }>(
    `with made as (
       insert into users (
         account_id, environment, organization_id, id, active, email, email_normalized, email_verified,
         phone_number_verified, phone_numbers, profile, address, avatar_hexa_color, inserted_at, updated_at
       )
       select account_id, environment, organization_id, gen_random_uuid(), true, name, name, true,
         false, '[]', '{}', '{}', '#000000', $3, $3
       from directories, lateral (
         select 'person-' || $4 || '-' || number || '@people.example' as name from generate_series(1, $2::integer) number
       ) names
       where directories.id = $1
       returning account_id, environment, organization_id, id, email
     )
     insert into directory_users (
       account_id, environment, organization_id, directory_id, user_id, user_name, user_name_normalized,
       attributes, inserted_at
     )
     select account_id, environment, organization_id, $1, id, email, email, '{}', $3 from made
     returning user_id as id`,
    [id, count, clock.now(), randomBytes(4).toString('hex')],
  )
  return rows.map((row) => row.id)
}

/** A directory with so many users, whose ids are in order. */
export async function groupScene(service: Service, given: ScimGiven, userCount = 0) {
  const { org_domain, directory, scim } = await given.directory()
  const users = userCount === 0 ? [] : await directoryUsers(service, directory, userCount)
  return { org_domain, directory, scim, groups: groupsOf(scim), users: users.toSorted() }
}

/** What a provider asks of groups. */
export function groupsOf(scim: ScimProvider) {
  return {
    async make(members: object = {}): Promise<Group> {
      const body = {
        schemas: groupSchemas,
        displayName: `Group ${randomBytes(4).toString('hex')}`,
        ...members,
      }
      const made = await scim('POST', '/Groups', { body })
      if (made.status !== 201) throw new Error(JSON.stringify(made.body))
      // The body of a 201.
      return made.body as Group
    },
    async read(id: string): Promise<Group> {
      return (await scim('GET', `/Groups/${id}`)).body as Group
    },
    async memberIds(id: string): Promise<readonly string[]> {
      const { members = [] } = (await scim('GET', `/Groups/${id}`)).body as Group
      return members.map(({ value }) => value).toSorted()
    },
    async list(query: Record<string, string> = {}): Promise<GroupList> {
      const listed = await scim('GET', `/Groups?${new URLSearchParams(query).toString()}`)
      if (listed.status !== 200) throw new Error(JSON.stringify([query, listed.body]))
      return listed.body as GroupList
    },
    patch(id: string, ...operations: object[]) {
      return scim('PATCH', `/Groups/${id}`, { body: { schemas: patchSchemas, Operations: operations } })
    },
    replace(id: string, members: object, headers: Record<string, string> = {}) {
      return scim('PUT', `/Groups/${id}`, { body: { schemas: groupSchemas, ...members }, headers })
    },
  }
}

/** Users as members of a group. */
export function asMembers(ids: readonly string[]) {
  return ids.map((value) => ({ value }))
}
