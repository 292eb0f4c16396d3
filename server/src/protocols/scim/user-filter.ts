import { userSchema, type ScimAttribute } from '@portico/contract/scim'
import { sql, type RawBuilder } from 'kysely'
import { normalizeEmail } from '../../platform/email.js'
import type { Comparison, ElementFilter, ScimFilter } from './filter.js'
import { leafOf, type SchemaPath } from '../../directory/directory-sync/schema-path.js'
import { badRequest } from './scim-error.js'
import { claimPaths } from './user-record.js'
import { sameTenant } from '../../platform/db/tenant-predicate.js'

type Text = RawBuilder<string | null>
type Condition = RawBuilder<boolean>

/**
 * Converts a filter to a condition on `users`, left-joined with `directory_users` as `known`. Values are parameters; names
 * are those of the schema.
 *
 * @throws ScimError 400 `invalidFilter`
 */
export function userCondition(filter: ScimFilter): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joined(filter.kind, filter.filters.map(userCondition))
    case 'not':
      return sql`not ${userCondition(filter.filter)}`
    case 'element':
      return someElement(filter.list, (element) => elementCondition(element, filter.filter))
    case 'present':
      return presence(filter.subject)
    case 'comparison':
      return comparison(filter)
  }
}

function joined(kind: 'and' | 'or', parts: readonly Condition[]): Condition {
  return sql`(${sql.join(parts, kind === 'and' ? sql` and ` : sql` or `)})`
}

function presence(subject: SchemaPath): Condition {
  const { attribute, sub } = subject
  if (attribute.multiValued)
    return someElement(subject, (element) =>
      sub === undefined ? sql`true` : sql`${element} ->> ${sub.name} is not null`,
    )
  if (attribute.type === 'complex' && sub === undefined) {
    const subs = attribute.subAttributes ?? []
    return joined(
      'or',
      subs.map((member) => presence({ ...subject, sub: member })),
    )
  }
  if (attribute.type === 'boolean' && subject.schema === userSchema) return sql`true`
  return sql`coalesce(${filterTextOf(subject)}, '') <> ''`
}

function comparison({ subject, operator, value }: Extract<ScimFilter, { kind: 'comparison' }>): Condition {
  const { schema, attribute, sub } = subject
  if (attribute.multiValued)
    return someElement(subject, (element) => memberCondition(element, sub ?? attribute, operator, value))
  if (schema !== userSchema) return simpleCondition(filterTextOf(subject), leafOf(subject), operator, value)
  if (attribute.name === 'active')
    return operator === 'eq' ? sql`users.active = ${value}` : sql`users.active <> ${value}`
  const text = String(value)
  // Compared in the form of the indexes.
  if (operator === 'eq' && attribute.name === 'userName')
    return sql`${filterTextOf(subject)} = ${normalizeEmail(text)}`
  if (leafOf(subject).type === 'dateTime') return timeCondition(subject, operator, text)
  return compared(filterTextOf(subject), leafOf(subject), operator, text)
}

/** Of a simple value that the directory has, whatever its type. */
function simpleCondition(
  text: Text,
  leaf: ScimAttribute,
  operator: Comparison,
  value: string | number | boolean,
): Condition {
  if (leaf.type === 'boolean') {
    const isSame = (value === true) === (operator === 'eq')
    return sql`coalesce(${text}, 'false') = ${String(isSame)}`
  }
  if (typeof value !== 'number') return compared(text, leaf, operator, String(value))
  const number = numberIn(text)
  if (operator === 'ne') return sql`${number} is distinct from ${value}::numeric`
  return sql`coalesce(${number} ${sql.raw(orders[operator] ?? '=')} ${value}::numeric, false)`
}

/** The number that a text is, null for any other: the type of an attribute may have been another one before. */
export function numberIn(text: RawBuilder<unknown>): RawBuilder<number | null> {
  return sql`case when (${text}) ~ '^-?[0-9]+([.][0-9]+)?(e[+-]?[0-9]{1,3})?$' then (${text})::numeric end`
}

function timeCondition({ sub }: SchemaPath, operator: Comparison, text: string): Condition {
  const column = sub?.name === 'created' ? sql`users.inserted_at` : sql`users.updated_at`
  const order = orders[operator]
  if (order === undefined)
    throw badRequest('invalidFilter', `${sub?.name ?? 'a time'} cannot be compared by ${operator}`)
  return sql`${column} ${sql.raw(order)} ${new Date(text)}`
}

const orders: Readonly<Partial<Record<Comparison, string>>> = {
  eq: '=',
  ne: '<>',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
}

/**
 * Claims that callers of the API can also write: if set, they override the directory's attribute. A locale is compared
 * in the directory's spelling, which the record normalizes.
 */
const columns: Readonly<Record<string, Text>> = Object.fromEntries(
  Object.entries(claimPaths)
    .filter(([claim]) => claim !== 'locale')
    .map(([claim, path]) => [path.join('.'), sql`users.profile ->> ${sql.lit(claim)}`]),
)

/** A userName in the form in which it is compared. */
export const userNameText: Text = sql`coalesce(known.user_name_normalized, users.email_normalized)`

/** The value of a single-valued attribute, as text. */
export function filterTextOf({ schema, attribute, sub }: SchemaPath): Text {
  const name = sub === undefined ? attribute.name : `${attribute.name}.${sub.name}`
  const stored: Text =
    sub === undefined
      ? sql`known.attributes -> ${schema.id} ->> ${attribute.name}`
      : sql`known.attributes -> ${schema.id} -> ${attribute.name} ->> ${sub.name}`
  if (schema !== userSchema) return stored
  const column = columns[name]
  if (column !== undefined) return sql`coalesce(${column}, ${stored})`
  switch (name) {
    case 'id':
      return sql`users.id::text`
    case 'externalId':
      return sql`known.external_id`
    case 'userName':
      return userNameText
    case 'displayName':
      return sql`coalesce(${stored}, case when known.user_id is null then nullif(concat_ws(' ', users.profile ->> 'given_name', users.profile ->> 'family_name'), '') end)`
    case 'active':
      return sql`users.active::text`
    case 'meta.resourceType':
      return sql`'User'`
    case 'meta.created':
      return sql`users.inserted_at::text`
    case 'meta.lastModified':
      return sql`users.updated_at::text`
    case 'meta.version':
    case 'meta.location':
      throw badRequest('invalidFilter', `${name} cannot be compared`)
    default:
      return stored
  }
}

/** Compares text by the caseExact of its attribute, mostly case-insensitively (RFC 7643 section 2.2). */
function compared(text: Text, { caseExact }: ScimAttribute, operator: Comparison, value: string): Condition {
  const [left, right] = caseExact
    ? [text, sql`${value}::text`]
    : [sql`lower(${text})`, sql`lower(${value}::text)`]
  switch (operator) {
    case 'eq':
      return sql`coalesce(${left} = ${right}, false)`
    case 'ne':
      return sql`${left} is distinct from ${right}`
    case 'co':
      return sql`coalesce(strpos(${left}, ${right}) > 0, false)`
    case 'sw':
      return sql`coalesce(starts_with(${left}, ${right}), false)`
    case 'ew':
      return sql`coalesce(right(${left}, length(${right})) = ${right}, false)`
    default:
      return sql`coalesce(${left} collate "C" ${sql.raw(orders[operator] ?? '=')} ${right} collate "C", false)`
  }
}

/** Whether any element of a list meets a condition. */
function someElement(list: SchemaPath, condition: (element: Text) => Condition): Condition {
  return sql`exists (
    select from jsonb_array_elements(${elementsOf(list)}) element where ${condition(sql`element`)}
  )`
}

/** The elements of a list, as in answers. */
export function elementsOf({ schema, attribute }: SchemaPath): RawBuilder<unknown> {
  const stored = sql`coalesce(known.attributes -> ${schema.id} -> ${attribute.name}, '[]')`
  // An attribute of this name may have been no list before.
  if (schema !== userSchema)
    return sql`case when jsonb_typeof(${stored}) = 'array' then ${stored} else '[]' end`
  switch (attribute.name) {
    case 'emails':
      return sql`case
        when known.user_id is not null and (
          exists (
            select from jsonb_array_elements(${stored}) said
            where lower(trim(said ->> 'value')) = lower(users.email)
          )
          or (${stored} = '[]' and known.user_name_normalized = users.email_normalized)
        ) then ${stored}
        else jsonb_build_array(jsonb_build_object('value', users.email, 'type', 'work', 'primary', true))
      end`
    case 'phoneNumbers':
      return sql`case when known.user_id is null then users.phone_numbers else ${stored} end`
    case 'groups':
      return sql`(
        select coalesce(jsonb_agg(jsonb_build_object('value', directory_group.id, 'display', directory_group.display_name) order by directory_group.display_name, directory_group.id), '[]')
        from directory_group_members member
        join directory_groups directory_group
          on ${sameTenant('directory_group', 'member')}
          and directory_group.id = member.group_id
        where ${sameTenant('member', 'users')}
          and member.user_id = users.id
      )`
    default:
      return stored
  }
}

function elementCondition(element: Text, filter: ElementFilter): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joined(
        filter.kind,
        filter.filters.map((part) => elementCondition(element, part)),
      )
    case 'not':
      return sql`not ${elementCondition(element, filter.filter)}`
    case 'present':
      return sql`${element} ->> ${filter.subject.name} is not null`
    case 'comparison':
      return memberCondition(element, filter.subject, filter.operator, filter.value)
  }
}

function memberCondition(
  element: Text,
  member: ScimAttribute,
  operator: Comparison,
  value: string | number | boolean,
): Condition {
  // A missing primary counts as false (RFC 7643 section 2.4).
  return simpleCondition(sql`(${element} ->> ${member.name})`, member, operator, value)
}
