import type { DirectorySyncEvent, ScimResourceType } from '@portico/contract/directory-sync'
import type { JsonValue } from '@portico/contract/fields'
import type { Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod/v4'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { emit } from '../../delivery/events/emit.js'
import type { ScimCaller } from './scim-caller.js'

/** A change by the provider of a directory. */
interface DirectoryChange {
  readonly type: ScimResourceType
  readonly change: DirectorySyncEvent['change']
  readonly id: string
  /** The record before the change; undefined: created. */
  readonly before: object | undefined
  /** The record after the change; undefined: deleted. */
  readonly after: object | undefined
  /** The user of the change; the event is erased with that user. */
  readonly userId?: string
  readonly email?: string
}

type Values = Record<string, z.output<typeof JsonValue>>

/** Emits the event of a provider's change, with the changed members of the record. */
export async function emitDirectoryChange(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  { tenant, organizationId, directoryId, providerType }: ScimCaller,
  { type, change, id, before, after, userId, email }: DirectoryChange,
): Promise<void> {
  const kind = type === 'User' ? 'user' : 'group'
  await emit(deps, trx, tenant, {
    code: `dir_sync.${kind}.${change}.success`,
    record: {
      __type__: 'DirectorySyncEvent',
      __domain__: tenant.domain,
      __environment__: tenant.environment,
      change,
      directory_sync_id: directoryId,
      provider: providerType,
      resource: { id, type, changes: changedMembers(before ?? {}, after ?? {}) },
    },
    organizationId,
    subjectId: userId,
    email,
  })
}

/** The members in which two records differ, with the values of both. */
export function changedMembers(before: object, after: object): DirectorySyncEvent['resource']['changes'] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(Reflect.get(before, name), Reflect.get(after, name)),
  )
  const valuesIn = (record: object) =>
    // Records are JSON.
    Object.fromEntries(
      names.filter((name) => name in record).map((name) => [name, Reflect.get(record, name) as unknown]),
    ) as Values
  return { new_values: valuesIn(after), previous_values: valuesIn(before) }
}
