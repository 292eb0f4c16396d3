import { groupSchema } from '@portico/contract/scim'
import type { Selectable } from 'kysely'
import type { DirectoryGroups } from '../../platform/db/schema.js'
import type { Member } from './group-members.js'
import type { ScimComplex, ScimResource } from './values.js'
import { tagOf } from './versions.js'

export const groupColumns = [
  'id',
  'external_id',
  'display_name',
  'version',
  'inserted_at',
  'updated_at',
] as const
export type ScimGroupRow = Pick<Selectable<DirectoryGroups>, (typeof groupColumns)[number]>

/** A group, with its members if they are given. */
export function toGroupResource(
  row: ScimGroupRow,
  members: readonly Member[] | undefined,
  baseUrl: string,
): ScimResource {
  return {
    [groupSchema.id]: {
      id: row.id,
      ...(row.external_id !== null && { externalId: row.external_id }),
      displayName: row.display_name,
      ...(members !== undefined && { members: members.map((member) => toElement(member, baseUrl)) }),
      meta: {
        resourceType: groupSchema.name,
        created: row.inserted_at.toISOString(),
        lastModified: row.updated_at.toISOString(),
        location: groupLocation(baseUrl, row.id),
        version: tagOf(row.version),
      },
    },
  }
}

/** A member as an element of the list. */
export function toElement({ userId, userName }: Member, baseUrl: string): ScimComplex {
  return { value: userId, $ref: `${baseUrl}/Users/${userId}`, display: userName, type: 'User' }
}

export function groupLocation(baseUrl: string, id: string): string {
  return `${baseUrl}/Groups/${id}`
}

/** The attributes of a group in events. */
export function toGroupRecord(row: Pick<ScimGroupRow, 'external_id' | 'display_name' | 'updated_at'>) {
  return {
    external_id: row.external_id,
    display_name: row.display_name,
    updated_at: row.updated_at.toISOString(),
  }
}
