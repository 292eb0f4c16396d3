import { createHash } from 'node:crypto'
import { affectedByPermission, affectedByRoles, type Affected } from '../../directory/roles/affected.js'
import type { Deps } from '../../delivery/deps.js'
import type { Path } from './address.js'
import type { ConfigurationPlan, PlannedStep } from './plan.js'

/** A permission or a role that goes, or a role that loses permissions: programs may ask about it, and users lose it. */
export interface BreakingStep extends Affected {
  readonly path: Path
}

/** A plan with what of it breaks. */
export interface CheckedPlan extends ConfigurationPlan {
  readonly breaking: readonly BreakingStep[]
}

/**
 * Finds what of a plan breaks. The digest of such a plan is also that of the roles that lose something; not of the users, who
 * come and go.
 */
export async function withBreaking(deps: Pick<Deps, 'db'>, plan: ConfigurationPlan): Promise<CheckedPlan> {
  const breaking: BreakingStep[] = []
  for (const step of plan.steps) {
    const affected = await affectedBy(deps, step)
    if (affected !== undefined) breaking.push({ path: step.path, ...affected })
  }
  if (breaking.length === 0) return { ...plan, breaking }
  const content = JSON.stringify([plan.digest, breaking.map(({ path, roles }) => [path, roles])])
  return { ...plan, breaking, digest: createHash('sha256').update(content).digest('hex') }
}

async function affectedBy({ db }: Pick<Deps, 'db'>, step: PlannedStep): Promise<Affected | undefined> {
  const { kind, action, place, id, key } = step
  if (id === null || key === null) return undefined
  if (kind.section === 'permissions' && action === 'delete') return affectedByPermission(db, place, key)
  if (kind.section === 'roles' && (action === 'delete' || losesPermissions(step)))
    return affectedByRoles(db, place, [id])
  return undefined
}

function losesPermissions({ before, after }: PlannedStep): boolean {
  const [has, keeps] = [before, after].map((members) => namesIn(members?.['permissions']))
  return has !== undefined && keeps !== undefined && has.some((name) => !keeps.includes(name))
}

function namesIn(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? value : undefined
}
