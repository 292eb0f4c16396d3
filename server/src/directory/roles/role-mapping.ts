import type { FieldError } from '@portico/contract/errors'
import type { RoleMapping, RoleMappingMode, RoleRule } from '@portico/contract/role-mapping'
import { sql, type RawBuilder, type Transaction } from 'kysely'
import { insertFrom } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant, sameEnvironment, sameTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { Caller, Cause } from '../../platform/tenant.js'
import type { TenantKey } from '../users/whole-user.js'
import { findRoleIds, unknownRole } from '../role-ids.js'
import { ruleKey } from './rule-key.js'

/** A mapping as it is sent: rules of a connection have an attribute, always. */
export interface SentRoleMapping {
  readonly mode: RoleMappingMode
  readonly rules: readonly Omit<RoleRule, 'matched'>[]
}

/** The mapping of what has never had one. */
export const noRoleMapping: RoleMapping = { mode: 'add', rules: [] }

/** The directory or connection that rules are of. */
export interface RuleSource {
  readonly kind: 'directory_id' | 'connection_id'
  readonly id: string
}

/**
 * Refuses an API key that may not give roles. Others who send a mapping are operators.
 *
 * @throws ApiError `insufficient_scope`
 */
export function checkMayMapRoles({ cause, scopes = [] }: RoleMapper): void {
  if (cause.actor.type !== 'operator' && !scopes.includes('write:roles'))
    throw new ApiError('insufficient_scope', { message: 'role_mapping needs the scope write:roles as well.' })
}

/** The cause of a change of rules, and the scopes of its key. */
export type RoleMapper = { readonly cause: Cause } & Partial<Pick<Caller, 'scopes'>>

/**
 * Replaces the rules of a directory or connection, whose row the transaction has locked or written.
 *
 * @param isKnown Whether rules may have an attribute.
 * @throws ApiError `invalid_parameters` for a rule that is none, or with roles that users of the organization cannot have.
 */
export async function replaceRoleRules(
  trx: Transaction<DB>,
  tenant: TenantKey,
  source: RuleSource,
  { rules, isKnown }: Pick<SentRoleMapping, 'rules'> & { readonly isKnown: (attribute: string) => boolean },
): Promise<void> {
  const ids = await findRoleIds(trx, tenant, [...new Set(rules.flatMap(({ roles }) => roles))])
  const fields = rules.flatMap((rule, index) =>
    ruleFaults(rule, `role_mapping.rules.${index}`, { ids, isKnown }),
  )
  if (fields.length > 0) throw new ApiError('invalid_parameters', { fields })
  await trx
    .deleteFrom('role_mapping_rules')
    .where(ofTenant(tenant))
    .where('source_id', '=', source.id)
    .execute()
  const rows = rules.flatMap((rule, position) => toRows(rule, position, ids))
  if (rows.length > 0) {
    const owner = { ...tenantColumns(tenant), source_id: source.id, [source.kind]: source.id }
    const all = <Column extends keyof (typeof rows)[number]>(column: Column) => rows.map((row) => row[column])
    const columns = ['position', 'place', 'attribute', 'value', 'rule_key', 'role_id'] as const
    const written = Object.fromEntries(columns.map((column) => [column, sql.ref(`rule.${column}`)]))
    const said = sql`from unnest(
      ${all('position')}::integer[], ${all('place')}::integer[], ${all('attribute')}::text[],
      ${all('value')}::text[], ${all('rule_key')}::text[], ${all('role_id')}::uuid[]
    ) as rule (${sql.join(columns.map((column) => sql.ref(column)))})`
    await insertFrom(trx, 'role_mapping_rules', { ...owner, ...written }, said).execute()
  }
  if (source.kind === 'connection_id') await takeRolesWithoutRule(trx, tenant, source.id)
}

/** Takes the roles that sign-ins by a connection have given, and that no rule of it gives any more. */
async function takeRolesWithoutRule(
  trx: Transaction<DB>,
  tenant: TenantKey,
  connectionId: string,
): Promise<void> {
  await sql`
    delete from role_assignments as assignment
    where ${ofTenant(tenant, 'assignment')} and assignment.source = 'sso'
      and assignment.source_id in (
        select identity.id from user_identities as identity
        join sso_connections as connection
          on ${sameTenant('connection', 'identity')} and connection.idp_id = identity.idp_id
        where ${ofTenant(tenant, 'identity')} and connection.id = ${connectionId}
      )
      and assignment.role_id not in (
        select rule.role_id from role_mapping_rules as rule
        where ${ofTenant(tenant, 'rule')} and rule.source_id = ${connectionId}
      )`.execute(trx)
}

interface Known {
  readonly ids: ReadonlyMap<string, string>
  readonly isKnown: (attribute: string) => boolean
}

function ruleFaults(
  rule: SentRoleMapping['rules'][number],
  path: string,
  { ids, isKnown }: Known,
): FieldError[] {
  const { roles } = rule
  return [
    ...subjectFaults(rule, path, isKnown),
    ...roles.flatMap((name, index): FieldError[] => {
      const at = `${path}.roles.${index}`
      if (roles.indexOf(name) !== index)
        return [{ path: at, code: 'repeated', message: 'must be named once by a rule' }]
      return ids.has(name) ? [] : [{ path: at, ...unknownRole }]
    }),
  ]
}

function subjectFaults(
  { group, attribute, value }: SentRoleMapping['rules'][number],
  path: string,
  isKnown: Known['isKnown'],
): FieldError[] {
  const fault = (member: string, code: string, message: string) => [
    { path: `${path}.${member}`, code, message },
  ]
  if (group !== undefined && attribute !== undefined)
    return fault('group', 'contradictory', 'must not be sent with attribute')
  if (group !== undefined)
    return value === undefined ? [] : fault('value', 'contradictory', 'must be sent with attribute')
  if (attribute === undefined) return fault('group', 'invalid_type', 'must be here, or attribute and value')
  if (value === undefined) return fault('value', 'invalid_type', 'must be here beside attribute')
  if (isKnown(attribute)) return []
  return fault(
    'attribute',
    'not_mapped',
    'must be roles, entitlements, or a path that attribute_mapping names',
  )
}

function toRows(rule: SentRoleMapping['rules'][number], position: number, ids: ReadonlyMap<string, string>) {
  const { attribute, value } = subjectOf(rule)
  const rule_key = ruleKey(attribute, value)
  return rule.roles.map((name, place) => ({
    ...{ position, place, attribute, value, rule_key },
    // Names that are not there have been refused.
    role_id: ids.get(name) ?? '',
  }))
}

/** What a rule compares: of a group its name, without an attribute. */
function subjectOf({ group, attribute, value }: SentRoleMapping['rules'][number]) {
  return { attribute: attribute ?? null, value: value ?? group ?? '' }
}

/** A rule as aggregated by a statement. */
export interface RoleRuleRow {
  /** Null: the value is the name of a group. */
  readonly attribute: string | null
  readonly value: string
  readonly roles: string[]
  /** Of a rule with a group. */
  readonly is_matched: boolean | null
}

/**
 * The rules of a row, in their order.
 *
 * @param owner The table `directories` or `sso_connections` of the statement.
 */
export function roleRulesOf(owner: string): RawBuilder<RoleRuleRow[]> {
  const ownId = sql.ref(`${owner}.id`)
  return sql<RoleRuleRow[]>`(
    select coalesce(jsonb_agg(jsonb_build_object(
      'attribute', rules.attribute, 'value', rules.value, 'roles', rules.roles,
      'is_matched', case when rules.attribute is null then exists (
        select from directory_groups named
        where ${sameTenant('named', owner)} and named.directory_id = ${ownId}
          and named.display_name_normalized = substring(rules.rule_key from 2)
      ) end
    ) order by rules.position), '[]')
    from (
      select rule.position, rule.attribute, rule.value, rule.rule_key,
        jsonb_agg(role.name order by rule.place) as roles
      from role_mapping_rules rule
      join roles role on ${sameEnvironment('role', 'rule')} and role.id = rule.role_id
      where ${sameTenant('rule', owner)} and rule.source_id = ${ownId}
      group by rule.position, rule.attribute, rule.value, rule.rule_key
    ) rules
  )`
}

/** @param mode Null: there has never been a rule. */
export function toRoleMapping(mode: string | null, rules: readonly RoleRuleRow[]): RoleMapping {
  return { mode: mode === 'authoritative' ? mode : 'add', rules: rules.map(toRoleRule) }
}

function toRoleRule({ attribute, value, roles, is_matched: isMatched }: RoleRuleRow): RoleRule {
  return attribute === null
    ? { group: value, roles, matched: isMatched ?? false }
    : { attribute, value, roles }
}

/** The rules of a new directory, which has no groups yet, as its record shows them. */
export function toNewRoleRules({ rules }: Pick<SentRoleMapping, 'rules'>): RoleRuleRow[] {
  return rules.map((rule) => {
    const { attribute, value } = subjectOf(rule)
    return { attribute, value, roles: rule.roles, is_matched: attribute === null ? false : null }
  })
}

/** The distinct attributes that rules name, in one form. */
export function attributesOf(rules: SentRoleMapping['rules']): string[] {
  const named = rules.flatMap(({ attribute }) => (attribute === undefined ? [] : [attribute.toLowerCase()]))
  return [...new Set(named)].toSorted()
}

/**
 * The attributes that the rules of a row name; null where it has never had a rule.
 *
 * @param owner A table or alias of the statement, of directories or connections.
 */
export function roleAttributesOf(owner: string): RawBuilder<string[] | null> {
  return sql<string[] | null>`case when ${sql.ref(`${owner}.role_mapping_mode`)} is not null then array(
    select distinct rule.attribute from role_mapping_rules rule
    where ${sameTenant('rule', owner)} and rule.source_id = ${sql.ref(`${owner}.id`)} and rule.attribute is not null
  ) end`
}
