import type { DirectorySyncEvent, ScimResourceType } from '@portico/contract/directory-sync'
import type { JsonValue } from '@portico/contract/fields'
import type { User } from '@portico/contract/users'
import type { Transaction } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod/v4'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { emit, maxDataBytes } from '../../delivery/events/emit.js'
import { toDirectoryAttributes } from '../../directory/users/directory-attributes.js'
import type { ScimCaller } from './scim-caller.js'
import type { ScimResource } from './values.js'

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
type Changes = DirectorySyncEvent['resource']['changes']

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
      resource: { id, type, changes: fitting(changedMembers(before ?? {}, after ?? {})) },
    },
    organizationId,
    subjectId: userId,
    email,
  })
}

/** What an event has besides the changes, in bytes; more than it ever is. */
const envelopeBytes = 1000

/** Changes that fit into an event: the directory's attributes must not cost it the record. */
function fitting(changes: Changes): Changes {
  if (Buffer.byteLength(JSON.stringify(changes)) <= maxDataBytes - envelopeBytes) return changes
  const cut = (values: Values): Values =>
    values['directory_attributes'] ? { ...values, directory_attributes: { truncated: true } } : values
  return { new_values: cut(changes.new_values), previous_values: cut(changes.previous_values) }
}

/** A user as an event tells of it: the record, and what the directory says beside it. */
export function withDirectoryAttributes(
  { extensionSchemas }: Pick<ScimCaller, 'extensionSchemas'>,
  user: User,
  resource: ScimResource,
): User {
  // The manager is a user of the directory or not: the event does not ask the database.
  return { ...user, directory_attributes: toDirectoryAttributes(resource, extensionSchemas, null) }
}

/** The members in which two records differ, with the values of both; of the directory's attributes those that differ. */
export function changedMembers(before: object, after: object): Changes {
  const { newValues, previousValues } = differences(before, after)
  const said = [before, after].map((record) => attributesIn(record))
  if ('directory_attributes' in newValues && said[0] !== undefined && said[1] !== undefined) {
    const attributes = differences(said[0], said[1])
    newValues['directory_attributes'] = attributes.newValues
    previousValues['directory_attributes'] = attributes.previousValues
  }
  return { new_values: newValues, previous_values: previousValues }
}

/** The names of the members in which two users differ, as the request log has them. */
export function changedNames(before: object, after: object): string[] {
  const { new_values: changed } = changedMembers(before, after)
  return Object.entries(changed).flatMap(([name, value]) =>
    name === 'directory_attributes' && attributesIn(before) !== undefined
      ? Object.keys(value ?? {}).map((inner) => `${name}.${inner}`)
      : [name],
  )
}

function attributesIn(record: object): object | undefined {
  const value: unknown = Reflect.get(record, 'directory_attributes')
  return typeof value === 'object' && value !== null ? value : undefined
}

function differences(before: object, after: object) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(Reflect.get(before, name), Reflect.get(after, name)),
  )
  const valuesIn = (record: object) =>
    // Records are JSON.
    Object.fromEntries(
      names.filter((name) => name in record).map((name) => [name, Reflect.get(record, name) as unknown]),
    ) as Values
  return { newValues: valuesIn(after), previousValues: valuesIn(before) }
}
