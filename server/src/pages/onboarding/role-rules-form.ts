import { maxRoleRules } from '@portico/contract/role-mapping'
import type { AdminSession } from '../../sso/admins/admin-session.js'
import {
  addRoleRule,
  removeRoleRule,
  type RulesOwner,
  type RulesRefusal,
} from '../../sso/onboarding/role-rules.js'
import type { Exchange } from '../frame/page-route.js'
import { formOf, textOf } from '../frame/site.js'
import type { RoleRuleFault, RoleRuleNotice } from '../texts/en/role-rules.js'

/** What a rule compares, by the names of its fields in the form. */
export type RuleField = 'group' | 'attribute' | 'value'

/** A rule that was not added. */
export interface EnteredRule extends Partial<Record<RuleField, string>> {
  readonly roles: readonly string[]
  readonly fault: RoleRuleFault
}

/** Why a form about the rules did nothing. */
export interface RulesTold {
  readonly status: 403 | 409 | 422
  readonly notice?: RoleRuleNotice
  readonly entered?: EnteredRule
}

/** A form about the rules of a directory or connection. */
interface RulesForm {
  readonly session: AdminSession
  readonly owner: RulesOwner
  readonly action: 'add_rule' | 'remove_rule'
  /** The fields of a rule. */
  readonly fields: readonly RuleField[]
}

/**
 * Adds or removes a rule.
 *
 * @returns Undefined where that was done.
 */
export async function takeRulesForm(
  { deps, req }: Pick<Exchange, 'deps' | 'req'>,
  { session, owner, action, fields }: RulesForm,
): Promise<RulesTold | undefined> {
  const form = formOf(req)
  const version = numberOf(form['version'])
  if (action === 'remove_rule')
    return toNotice(await removeRoleRule(deps, session, owner, version, numberOf(form['rule'])))
  const compared: Partial<Record<RuleField, string>> = Object.fromEntries(
    fields.map((name) => [name, comparedOf(form[name])]),
  )
  const entered = {
    ...compared,
    roles: [...new Set([form['roles']].flat().map((name) => textOf(name)))].filter((name) => name !== ''),
  }
  const fault = faultOf(entered, fields)
  if (fault !== undefined) return { status: 422, entered: { ...entered, fault } }
  return toNotice(await addRoleRule(deps, session, owner, version, entered))
}

/** A number of a form; -1 for anything else, which is neither a version nor a position. */
export function numberOf(field: unknown): number {
  const text = textOf(field)
  return /^\d{1,9}$/.test(text) ? Number(text) : -1
}

/** A name or value that a rule compares; '' for one that Postgres does not store, or that is too long. */
function comparedOf(field: unknown): string {
  const text = textOf(field, maxRoleRules.characters).trim()
  return text.isWellFormed() && !text.includes('\0') ? text : ''
}

const missing = {
  group: 'noGroup',
  attribute: 'noAttribute',
  value: 'noValue',
} as const satisfies Record<RuleField, RoleRuleFault>

function faultOf(
  { roles, ...entered }: Omit<EnteredRule, 'fault'>,
  fields: readonly RuleField[],
): RoleRuleFault | undefined {
  const empty = fields.find((name) => (entered[name] ?? '') === '')
  if (empty !== undefined) return missing[empty]
  if (roles.length === 0) return 'noRole'
  return roles.length > maxRoleRules.rolesOfRule ? 'manyRoles' : undefined
}

function toNotice(notice: RulesRefusal | undefined): RulesTold | undefined {
  return notice && { status: notice === 'notAssignable' ? 403 : 409, notice }
}
