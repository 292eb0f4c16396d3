import type { User } from '@portico/contract/users'
import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { findPath, type ResourceSchemas } from '../../directory/directory-sync/schema-path.js'
import { mappedValues, type MappedValues, type Said } from '../../directory/users/mapped-values.js'
import { toMetaDataRows } from '../../directory/users/stored-metadata.js'
import type { ScimCaller } from './scim-caller.js'
import { preferredElement } from './user-record.js'
import { isComplex, isList, type NoteQuirk, type ScimResource } from './values.js'

const nothing: MappedValues = { metadata: [], profile: {}, unfit: [] }

/** What the rules of a directory make of a resource. */
export function mappedOf(
  { mapping, userSchemas }: Pick<ScimCaller, 'mapping' | 'userSchemas'>,
  resource: ScimResource,
): MappedValues {
  if (mapping === null) return nothing
  return mappedValues(mapping, (from) => saidAt(userSchemas, resource, from))
}

/** The values that a user does not have yet, as the statements take them; undefined where there are none. */
export function mappedChanges({ metadata, profile }: MappedValues, user: User) {
  const before = new Map(user.metadata.map(({ key, value }) => [key.id, value]))
  const changed = metadata.filter(({ key, value }) => (before.get(key.id) ?? null) !== value)
  const claims = Object.entries(profile).filter(
    ([claim, value]) => Reflect.get(user.profile, claim) !== value,
  )
  return {
    metadata:
      changed.length === 0
        ? undefined
        : {
            rows: toMetaDataRows(changed),
            removed: changed.filter(({ value }) => value === null).map(({ key }) => key.id),
          },
    profile: claims.length === 0 ? undefined : Object.fromEntries(claims),
  }
}

/** Tells the log of the request, and the account's, of values that did not fit. */
export async function noteUnfit(
  deps: Pick<Deps, 'now' | 'metrics'>,
  trx: Transaction<DB>,
  { tenant, organizationId }: Pick<ScimCaller, 'tenant' | 'organizationId'>,
  { unfit }: Pick<MappedValues, 'unfit'>,
  quirk: NoteQuirk,
): Promise<void> {
  if (unfit.length === 0) return
  quirk('value_not_mapped')
  await logEvent(deps, trx, {
    ...tenant,
    organizationId,
    code: 'ATTRIBUTE_NOT_MAPPED',
    reason: unfit.join(' ').slice(0, maxReasonLength),
  })
}

const maxReasonLength = 500

function saidAt(schemas: ResourceSchemas, resource: ScimResource, from: string): Said | undefined {
  const path = findPath(schemas, from)
  const value = path && resource[path.schema.id]?.[path.attribute.name]
  if (path === undefined || value === undefined) return undefined
  const { attribute, sub } = path
  const isPart = sub !== undefined || (attribute.multiValued && attribute.type !== 'complex')
  const wanted = sub?.name ?? 'value'
  if (isList(value)) {
    const one = preferredElement(value)?.[wanted]
    const parts = value.flatMap((element) => element[wanted] ?? [])
    if (isPart && parts.length === 0) return undefined
    return { one, whole: isPart ? parts : value }
  }
  if (!isComplex(value)) return { one: value, whole: value }
  const one = value[wanted]
  if (sub !== undefined) return one === undefined ? undefined : { one, whole: one }
  return { one, whole: value }
}
