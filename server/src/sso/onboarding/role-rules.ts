import { maxRoleRules, type RoleMapping, type RoleRule } from '@portico/contract/role-mapping'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { limit } from '../../delivery/limits/limits.js'
import { areAssignable, listShownRoles, type ShownRole } from '../../directory/roles/assignable.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { AdminSession } from '../admins/admin-session.js'

/** Changes of rules by one administrator. */
const ruleChanges = limit('role-rule', { windowSeconds: 60 * 60, most: () => 120 })

/** What rules are of, as it is when a request arrives, and how its mapping is replaced. */
export interface RulesOwner {
  readonly tenant: Tenant
  readonly mapping: RoleMapping
  readonly version: number
  /** @throws ApiError `precondition_failed` where it is of another version by now */
  readonly replace: (deps: Deps, mapping: RoleMapping) => Promise<Changed<unknown>>
}

/** A rule as an administrator sees it. */
export interface OnboardingRule extends Omit<RoleRule, 'roles'> {
  readonly roles: readonly ShownRole[]
  /** Whether the administrator may give all of its roles, and so remove it. */
  readonly isRemovable: boolean
}

/** The rules that give roles, and the roles that another one can give. */
export interface OnboardingRules {
  readonly mode: RoleMapping['mode']
  readonly rules: readonly OnboardingRule[]
  readonly roles: readonly ShownRole[]
  /** To be sent with a change. */
  readonly version: number
}

/** The rules of a directory or connection. */
export async function listRoleRules(
  { db }: Pick<Deps, 'db'>,
  { tenant, mapping: { mode, rules }, version }: Omit<RulesOwner, 'replace'>,
): Promise<OnboardingRules> {
  // A change must be on the page at once: no replica is read.
  const shown = await listShownRoles(db, tenant, [...new Set(rules.flatMap(({ roles }) => roles))])
  return {
    mode,
    version,
    rules: rules.map((rule) => toOnboardingRule(rule, shown)),
    roles: shown.filter(({ isAssignable }) => isAssignable),
  }
}

function toOnboardingRule({ roles: names, ...rule }: RoleRule, shown: readonly ShownRole[]): OnboardingRule {
  const roles = shown.filter(({ name }) => names.includes(name))
  return { ...rule, roles, isRemovable: roles.every(({ isAssignable }) => isAssignable) }
}

/**
 * Why rules were not changed: they are others by now, there are as many as there may be, or the rule gives a role that
 * administrators may not give.
 */
export type RulesRefusal = 'changed' | 'full' | 'notAssignable'

/**
 * Adds a rule, with an event as by the API.
 *
 * @param shownVersion The version that the page of the form has shown.
 * @param rule With 1 to 5 roles, each once.
 * @returns Undefined where it was added.
 * @throws ApiError `rate_limited` after too many changes in the last hour.
 */
export async function addRoleRule(
  deps: Deps,
  session: AdminSession,
  owner: RulesOwner,
  shownVersion: number,
  rule: RoleRule,
): Promise<RulesRefusal | undefined> {
  const { rules } = owner.mapping
  if (rules.length >= maxRoleRules.rules) return 'full'
  return changeRules(deps, session, owner, { shownVersion, rules: [...rules, rule], roles: rule.roles })
}

/**
 * Removes a rule, unless it gives a role that administrators may not give.
 *
 * @param shownVersion As of addRoleRule()
 * @param position Of the rule, from 0.
 * @returns Undefined where it was removed.
 * @throws ApiError as addRoleRule()
 */
export async function removeRoleRule(
  deps: Deps,
  session: AdminSession,
  owner: RulesOwner,
  shownVersion: number,
  position: number,
): Promise<RulesRefusal | undefined> {
  const { rules } = owner.mapping
  const removed = rules[position]
  if (removed === undefined) return 'changed'
  const others = rules.filter((rule) => rule !== removed)
  return changeRules(deps, session, owner, { shownVersion, rules: others, roles: removed.roles })
}

interface ChangeOfRules {
  readonly shownVersion: number
  readonly rules: RoleRule[]
  /** The roles of the rule that comes or goes. */
  readonly roles: readonly string[]
}

async function changeRules(
  deps: Deps,
  session: AdminSession,
  { tenant, mapping: { mode }, version, replace }: RulesOwner,
  { shownVersion, rules, roles }: ChangeOfRules,
): Promise<RulesRefusal | undefined> {
  // The rules that stay are those of the version that was read.
  if (shownVersion !== version) return 'changed'
  await deps.limits.take(ruleChanges, { ...tenant, address: session.adminId })
  try {
    const { record } = await change<{ record: RulesRefusal | undefined }>(deps, tenant.cause, async (trx) => {
      if (!(await areAssignable(trx, tenant, roles))) return { record: 'notAssignable' }
      await replace({ ...deps, db: trx }, { mode, rules })
      return { record: undefined }
    })
    return record
  } catch (error) {
    if (error instanceof ApiError && error.code === 'precondition_failed') return 'changed'
    throw error
  }
}
