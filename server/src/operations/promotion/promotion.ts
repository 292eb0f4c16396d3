import { nameOfPath, pathOf } from './address.js'
import type { Planner } from './apply.js'
import { withBreaking } from './breaking.js'
import { findOrganizations, readConfiguration, type Scope } from './configuration.js'
import { organizationsOf, toDesired } from './desired.js'
import { ConfigurationFaults } from './faults.js'
import type { ConfigurationFile } from './file.js'
import { listApplies } from './history.js'
import { planChanges } from './plan.js'
import { followed, statesBefore, type Extent } from './rollback.js'

/** Plans the steps from an environment to a file; faults are reported with their line. */
export function plannerOfFile(scope: Scope, file: ConfigurationFile, isPruned: boolean): Planner {
  return async (deps) => {
    const desired = toDesired(file.data)
    const configuration = await readConfiguration(deps, scope, organizationsOf(desired))
    return withBreaking(deps, planChanges(scope, configuration, desired, isPruned))
  }
}

/**
 * Plans the rollback of the newest apply, or of all after one, with or without that one. Things of a deleted
 * organization are left alone, and so are other things that have a changed thing's name by now.
 */
export function plannerOfRollback(scope: Scope, extent: Extent): Planner {
  return async (deps) => {
    const earlier = statesBefore(await listApplies(deps, scope), extent)
    const named = organizationsOf({ wanted: earlier, told: [] })
    const domains = (await findOrganizations(deps, scope, named)).map(({ domain }) => domain)
    const isThere = (organization: string | null) => organization === null || domains.includes(organization)
    const configuration = await readConfiguration(deps, scope, domains)
    const reachable = earlier.filter(({ organization }) => isThere(organization))
    const { wanted, replaced } = followed(configuration, reachable)
    const plan = planChanges(scope, configuration, { wanted, told: [] }, false)
    const gone = earlier.filter(({ organization }) => !isThere(organization))
    return withBreaking(deps, { ...plan, leftAlone: gone.map(pathOf), replaced })
  }
}

/**
 * Runs work on a file, and adds the position in the file to each fault.
 *
 * @throws Error sentences with line and column.
 */
export async function withFilePositions<Result>(
  file: ConfigurationFile,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ConfigurationFaults)) throw error
    const lines = error.faults.map(
      ({ path, message }) => `${file.where(path)} ${nameOfPath(path)} ${message}${file.remarkOn(path)}`,
    )
    throw new Error(lines.join('\n'), { cause: error })
  }
}
