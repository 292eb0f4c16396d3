import type { Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change } from '../../delivery/events/change.js'
import type { Path } from './address.js'
import type { CheckedPlan } from './breaking.js'
import { promotedMembersOf, type Scope } from './configuration.js'
import { toFaults } from './desired.js'
import { ConfigurationFaults } from './faults.js'
import { recordApply, type AppliedAction } from './history.js'
import type { Found, Members } from './kind.js'
import { lockConfiguration } from './lock.js'
import { assignNumbers } from './numbers.js'
import {
  creationMembers,
  differences,
  keyMemberOf,
  only,
  toStep,
  type PlannedStep,
  type PlanStep,
} from './plan.js'

/** Makes a plan from the current configuration. */
export type Planner = (deps: Deps) => Promise<CheckedPlan>

/** An executed plan: its steps with the values that the service has added. */
export interface AppliedPlan extends Omit<CheckedPlan, 'steps'> {
  readonly steps: readonly PlanStep[]
}

/**
 * Executes a plan in a transaction that is rolled back, to find what the service would refuse.
 *
 * @throws ConfigurationFaults
 */
export async function dryRunChanges(deps: Deps, scope: Scope, planner: Planner): Promise<AppliedPlan> {
  const tried: { carried?: AppliedPlan } = {}
  const rolledBack = new Error('a plan is rolled back')
  await change(deps, scope.cause, async (trx) => {
    tried.carried = await carryOut(deps, trx, { scope, planner })
    throw rolledBack
  }).catch((error: unknown) => {
    if (error !== rolledBack) throw error
  })
  if (tried.carried === undefined) throw new Error('a plan that was tried is missing')
  // The ids of things that were rolled back have no meaning.
  const steps = tried.carried.steps.map((step) => (step.action === 'create' ? { ...step, id: null } : step))
  return { ...tried.carried, steps }
}

/**
 * Executes a plan, all of it or nothing, and records what a rollback needs.
 *
 * @param digest Of the plan that was shown.
 * @returns The id for a rollback.
 * @throws ConfigurationFaults, and Error when the plan has changed.
 */
export async function applyChanges(
  deps: Deps,
  scope: Scope,
  planner: Planner,
  { digest, action }: { readonly digest: string; readonly action: AppliedAction },
): Promise<{ id: string }> {
  const { record } = await change(deps, scope.cause, async (trx) => {
    const { steps } = await carryOut(deps, trx, { scope, planner, digest })
    return { record: await recordApply(deps, trx, scope, { action, digest, steps }) }
  })
  return record
}

interface Order {
  readonly scope: Scope
  readonly planner: Planner
  /** The digest that the plan must have. */
  readonly digest?: string
}

async function carryOut(
  deps: Deps,
  trx: Transaction<DB>,
  { scope, planner, digest }: Order,
): Promise<AppliedPlan> {
  await lockConfiguration(trx, { accountId: scope.account.id, environment: scope.environment })
  const inside = { ...deps, db: trx, readDb: trx }
  const plan = await planner(inside)
  if (digest !== undefined && plan.digest !== digest)
    throw new Error('The configuration has changed since the plan, and nothing was done: look at a new plan.')
  const steps: PlanStep[] = []
  for (const step of plan.steps) steps.push(await carryOutStep(inside, step))
  return { ...plan, steps }
}

/** @throws ConfigurationFaults with the refusals of the service. */
async function carryOutStep(deps: Deps, step: PlannedStep): Promise<PlanStep> {
  const { kind, place, path, present, wanted } = step
  try {
    if (wanted !== null) return await converge(deps, step, wanted)
    await kind.remove(deps, place, present?.id ?? '')
    return toStep(step)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const faults = toFaults(path, error.fields ?? [{ path: '', message: error.message }])
    throw new ConfigurationFaults(faults, error)
  }
}

/**
 * Creates or changes a thing until it is as wanted. A creation does not accept every member, and changing one can change
 * another, as the method of TOTP does with its expiry: remaining differences are changed once more.
 */
async function converge(deps: Deps, step: PlannedStep, wanted: Members): Promise<PlanStep> {
  const { action, kind, place, path, present } = step
  let found =
    present === undefined
      ? await create(deps, step, wanted)
      : await kind.update(deps, place, present.id, step.after ?? {})
  const left = differences(wanted, promotedMembersOf(kind, found.record))
  if (left.length > 0) found = await kind.update(deps, place, found.id, only(left, wanted))
  const members = promotedMembersOf(kind, found.record)
  checkIsWanted(path, wanted, members)
  const { id } = found
  if (present === undefined) return { action, path, id, before: null, after: members }
  const changed = differences(members, present.members)
  return { action, path, id, before: only(changed, present.members), after: only(changed, members) }
}

/** Creates a thing under its name in the file. */
async function create(deps: Deps, { kind, key, place }: PlannedStep, wanted: Members): Promise<Found> {
  const naming = keyMemberOf(kind, key)
  const found = await kind.create(deps, place, { ...naming, ...creationMembers(kind, wanted) })
  if (kind.doubles === 'numbered')
    await assignNumbers(deps, place, kind.section, [{ id: found.id, name: String(Object.values(naming)[0]) }])
  return found
}

/** @throws ConfigurationFaults for values that the service stores in another form: they would differ forever. */
function checkIsWanted(path: Path, wanted: Members, members: Members): void {
  const faults = differences(wanted, members).map((name) => ({
    path: [...path, name],
    message: `is stored as ${JSON.stringify(members[name])}: write it so`,
  }))
  if (faults.length > 0) throw new ConfigurationFaults(faults)
}
