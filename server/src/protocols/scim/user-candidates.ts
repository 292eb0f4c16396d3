import { id as idForm } from '@portico/contract/fields'
import { userSchema } from '@portico/contract/scim'
import { sql, type RawBuilder } from 'kysely'
import { normalizeEmail } from '../../platform/email.js'
import type { ElementFilter, ScimFilter } from './filter.js'
import { keyOf, type DirectoryKey, type ScimCaller } from './scim-caller.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'

type Ids = RawBuilder<string>

/**
 * A query that finds, only by indexes, the ids of a superset of the users that match a filter; the filter itself must
 * still be applied. Undefined when the filter has no indexed attribute.
 */
export function candidateUserIds(caller: ScimCaller, filter: ScimFilter): Ids | undefined {
  switch (filter.kind) {
    case 'and':
      return filter.filters.map((part) => candidateUserIds(caller, part)).find((ids) => ids !== undefined)
    case 'or': {
      const parts = filter.filters.map((part) => candidateUserIds(caller, part))
      const known = parts.filter((ids) => ids !== undefined)
      return known.length === parts.length ? unionOf(known) : undefined
    }
    case 'element': {
      const { schema, attribute } = filter.list
      const isEmails = schema === userSchema && attribute.name === 'emails'
      const address = isEmails ? valueDemandedBy(filter.filter) : undefined
      return address === undefined ? undefined : withEmail(caller, address)
    }
    case 'comparison':
      return filter.operator === 'eq' ? havingValue(caller, filter) : undefined
    default:
      return undefined
  }
}

function havingValue(
  caller: ScimCaller,
  { subject, value }: Extract<ScimFilter, { kind: 'comparison' }>,
): Ids | undefined {
  const { schema, attribute, sub } = subject
  const text = String(value)
  if (schema !== userSchema) return undefined
  switch (sub === undefined ? attribute.name : `${attribute.name}.${sub.name}`) {
    case 'id':
      return withId(text)
    case 'userName':
      return unionOf([
        named(keyOf(caller), 'user_name_normalized', normalizeEmail(text)),
        addressed(keyOf(caller), addressIn(text)),
      ])
    case 'externalId':
      return named(keyOf(caller), 'external_id', text)
    case 'emails.value':
      return withEmail(caller, text)
    case 'active':
      return value === false ? inactive(caller) : undefined
    default:
      return undefined
  }
}

function unionOf(parts: readonly Ids[]): Ids {
  return sql`${sql.join(parts, sql` union all `)}`
}

function withId(text: string): Ids {
  return idForm().safeParse(text).success ? sql`select ${text}::uuid` : sql`select null::uuid`
}

/** The user with this name in the directory. */
export function named(
  directory: DirectoryKey,
  column: 'user_name_normalized' | 'external_id',
  value: string,
): Ids {
  return sql`
    select named.user_id from directory_users named
    where ${ofOwner(directory, 'named')}
      and named.directory_id = ${directory.directoryId}
      and ${sql.ref(`named.${column}`)} = ${value}`
}

/** By the address of the record. */
export function addressed(directory: DirectoryKey, normalizedAddress: string): Ids {
  return sql`
    select addressed.id from users addressed
    where ${ofOwner(directory, 'addressed')}
      and addressed.email_normalized = ${normalizedAddress}
      and addressed.deleted_at is null`
}

/** An address as records have it: trimmed. */
export function addressIn(text: string): string {
  return normalizeEmail(text.trim())
}

/** A single address is that of the record; lists of several have a separate index. */
function withEmail(caller: ScimCaller, address: string): Ids {
  // A literal, as in the index expression: a parameter would not match the index.
  const emails = sql`listed.attributes -> ${sql.lit(userSchema.id)} -> 'emails'`
  const listed: Ids = sql`
    select listed.user_id from directory_users listed
    where ${ofOwner(keyOf(caller), 'listed')}
      and listed.directory_id = ${caller.directoryId}
      and (${emails} -> 1) is not null
      and lower((${emails})::text)::jsonb @> lower(${JSON.stringify([{ value: address }])}::text)::jsonb`
  return unionOf([addressed(keyOf(caller), addressIn(address)), listed])
}

function inactive(caller: ScimCaller): Ids {
  return sql`
    select inactive.id from users inactive
    where ${ofOwner(keyOf(caller), 'inactive')}
      and not inactive.active
      and inactive.deleted_at is null`
}

/** The value that a filter requires of an element; undefined when other values match, too. */
function valueDemandedBy(filter: ElementFilter): string | undefined {
  if (filter.kind === 'and') return filter.filters.map(valueDemandedBy).find((value) => value !== undefined)
  const isDemand = filter.kind === 'comparison' && filter.operator === 'eq' && filter.subject.name === 'value'
  return isDemand ? String(filter.value) : undefined
}
