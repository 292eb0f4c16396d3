import { id as idForm } from '@portico/contract/fields'
import { groupSchema } from '@portico/contract/scim'
import { sql, type RawBuilder } from 'kysely'
import { normalizeEmail } from '../../platform/email.js'
import type { Comparison, ElementFilter, ScimFilter } from './filter.js'
import { userNameOfMember } from './group-members.js'
import { groupSchemas, pathTextOf, type SchemaPath } from '../../directory/directory-sync/schema-path.js'
import { keyOf, type ScimCaller } from './scim-caller.js'
import { badRequest, type ScimError } from './scim-error.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

type Condition = RawBuilder<boolean>

/** A filterable value of a row, and how the text of the filter is compared with it. */
interface Operand {
  readonly expression: RawBuilder<unknown>
  readonly kind: 'text' | 'uuid' | 'time'
  /** Whether text is compared case-insensitively. */
  readonly isFolded?: boolean
}

/** A filter as a condition on a row of directory_groups. */
export function toGroupCondition(filter: ScimFilter, caller: ScimCaller): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joined(
        filter.kind,
        filter.filters.map((part) => toGroupCondition(part, caller)),
      )
    case 'not':
      return sql`(${toGroupCondition(filter.filter, caller)}) is not true`
    case 'element':
      return hasMember(filter.filter, caller)
    default: {
      const { subject } = filter
      if (subject.attribute.name === 'members') {
        const member = subject.sub ?? subject.attribute
        return hasMember({ ...filter, subject: member }, caller)
      }
      const operand = operandOf(subject, caller.baseUrl)
      if (operand === undefined) throw unfiltered(pathTextOf(subject, groupSchemas))
      return filter.kind === 'present'
        ? sql`${operand.expression} is not null`
        : toComparison(operand, filter.operator, String(filter.value))
    }
  }
}

/** The sort expression of an attribute; undefined when groups cannot be sorted by it. */
export function sortedBy(path: SchemaPath, baseUrl: string): RawBuilder<unknown> | undefined {
  const operand = operandOf(path, baseUrl)
  if (operand === undefined) return undefined
  return operand.kind === 'text' ? sql`${operand.expression} collate "C"` : operand.expression
}

function operandOf(path: SchemaPath, baseUrl: string): Operand | undefined {
  switch (pathTextOf(path, groupSchemas)) {
    case 'id':
      return { expression: sql.ref('directory_groups.id'), kind: 'uuid' }
    case 'externalId':
      return { expression: sql.ref('directory_groups.external_id'), kind: 'text' }
    case 'displayName':
      return {
        expression: sql.ref('directory_groups.display_name_normalized'),
        kind: 'text',
        isFolded: true,
      }
    case 'meta.resourceType':
      return { expression: sql`${groupSchema.name}::text`, kind: 'text' }
    case 'meta.created':
      return { expression: sql.ref('directory_groups.inserted_at'), kind: 'time' }
    case 'meta.lastModified':
      return { expression: sql.ref('directory_groups.updated_at'), kind: 'time' }
    case 'meta.location':
      return { expression: sql`(${`${baseUrl}/Groups/`}::text || directory_groups.id)`, kind: 'text' }
    case 'meta.version':
      return { expression: sql`('W/"' || directory_groups.version || '"')`, kind: 'text' }
    default:
      return undefined
  }
}

function hasMember(filter: ElementFilter, caller: ScimCaller): Condition {
  const userId = userIdDemandedBy(filter)
  // A known member narrows the candidates to a few groups, found by an index.
  const candidates =
    userId === undefined
      ? sql`true`
      : sql`directory_groups.id = any(array(
          select candidate.group_id from directory_group_members candidate
          where ${ofOwner(keyOf(caller), 'candidate')}
            and candidate.user_id = ${userId}::uuid
        ))`
  // The offset keeps the planner from turning the subselect into a join; see userNameOfMember().
  return sql`${candidates} and exists (
    select from directory_group_members member
    where ${sameTenant('member', 'directory_groups')}
      and member.group_id = directory_groups.id
      and ${toMemberCondition(filter)}
    offset 0
  )`
}

/** The member's user id that a filter requires; undefined when other members match, too. */
function userIdDemandedBy(filter: ElementFilter): string | undefined {
  if (filter.kind === 'and') return filter.filters.map(userIdDemandedBy).find((id) => id !== undefined)
  const isDemand = filter.kind === 'comparison' && filter.operator === 'eq' && filter.subject.name === 'value'
  const id = isDemand ? String(filter.value) : undefined
  return idForm().safeParse(id).success ? id : undefined
}

function toMemberCondition(filter: ElementFilter): Condition {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return joined(
        filter.kind,
        filter.filters.map((part) => toMemberCondition(part)),
      )
    case 'not':
      return sql`(${toMemberCondition(filter.filter)}) is not true`
    case 'present':
      // Every member has all of its attributes.
      return sql`true`
    case 'comparison': {
      const operand = memberOperandOf(filter.subject.name)
      if (operand === undefined) throw unfiltered(`members.${filter.subject.name}`)
      return toComparison(operand, filter.operator, String(filter.value))
    }
  }
}

function memberOperandOf(name: string): Operand | undefined {
  switch (name) {
    case 'value':
      return { expression: sql.ref('member.user_id'), kind: 'uuid' }
    case 'display':
      return { expression: userNameOfMember('user_name_normalized'), kind: 'text', isFolded: true }
    case 'type':
      return { expression: sql`'user'`, kind: 'text', isFolded: true }
    default:
      return undefined
  }
}

function joined(kind: 'and' | 'or', conditions: readonly Condition[]): Condition {
  return sql`(${sql.join(conditions, kind === 'and' ? sql` and ` : sql` or `)})`
}

const orders = { gt: sql`>`, ge: sql`>=`, lt: sql`<`, le: sql`<=` }

function toComparison(operand: Operand, operator: Comparison, text: string): Condition {
  const { expression, kind } = operand
  if (kind === 'time') return toTimeComparison(expression, operator, new Date(text))
  // A malformed id matches no row; a valid one is compared as uuid, to use the index.
  if (kind === 'uuid' && operator === 'eq')
    return idForm().safeParse(text).success ? sql`${expression} = ${text}::uuid` : sql`false`
  const subject = kind === 'uuid' ? sql`${expression}::text` : expression
  const value = sql`${operand.isFolded === true ? normalizeEmail(text) : text}::text`
  switch (operator) {
    case 'eq':
      return sql`${subject} = ${value}`
    case 'ne':
      return sql`${subject} is distinct from ${value}`
    case 'co':
      return sql`strpos(${subject}, ${value}) > 0`
    case 'sw':
      return sql`starts_with(${subject}, ${value})`
    case 'ew':
      return sql`right(${subject}, length(${value})) = ${value}`
    default:
      return sql`${subject} collate "C" ${orders[operator]} ${value}`
  }
}

function toTimeComparison(expression: RawBuilder<unknown>, operator: Comparison, time: Date): Condition {
  const value = sql`${time}::timestamptz`
  switch (operator) {
    case 'eq':
      return sql`${expression} = ${value}`
    case 'ne':
      return sql`${expression} <> ${value}`
    case 'co':
    case 'sw':
    case 'ew':
      throw badRequest(
        'invalidFilter',
        `times are compared by eq, ne, gt, ge, lt and le, and not by ${operator}`,
      )
    default:
      return sql`${expression} ${orders[operator]} ${value}`
  }
}

function unfiltered(name: string): ScimError {
  return badRequest('invalidFilter', `${name} is no attribute of groups that can be filtered by`)
}
