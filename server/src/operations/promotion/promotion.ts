import { nameOfPath, pathOf } from './address.js'
import type { Planner } from './apply.js'
import { findOrganizations, readConfiguration, type Scope } from './configuration.js'
import { organizationsOf, toDesired } from './desired.js'
import { ConfigurationFaults } from './faults.js'
import type { ConfigurationFile } from './file.js'
import { listApplies } from './history.js'
import { planChanges } from './plan.js'
import { followed, toBefore, type Extent } from './rollback.js'

/** Plans what turns an environment into what a file says; what is wrong is told with its line. */
export function plannerOfFile(scope: Scope, file: ConfigurationFile, isPruned: boolean): Planner {
  return async (deps) => {
    const desired = toDesired(file.data)
    const configuration = await readConfiguration(deps, scope, organizationsOf(desired))
    return planChanges(scope, configuration, desired, isPruned)
  }
}

/**
 * Plans what takes back the newest apply, or all that came after one, or that one, too. What was of an organization that is gone by now is
 * left alone, and so is another thing that has the name of what was changed.
 */
export function plannerOfRollback(scope: Scope, extent: Extent): Planner {
  return async (deps) => {
    const earlier = toBefore(await listApplies(deps, scope), extent)
    const named = organizationsOf({ wanted: earlier, told: [] })
    const domains = (await findOrganizations(deps, scope, named)).map(({ domain }) => domain)
    const isThere = (organization: string | null) => organization === null || domains.includes(organization)
    const configuration = await readConfiguration(deps, scope, domains)
    const reachable = earlier.filter(({ organization }) => isThere(organization))
    const { wanted, replaced } = followed(configuration, reachable)
    const plan = planChanges(scope, configuration, { wanted, told: [] }, false)
    const gone = earlier.filter(({ organization }) => !isThere(organization))
    return { ...plan, leftAlone: gone.map(pathOf), replaced }
  }
}

/**
 * Does something with a file, and says where in it each fault is.
 *
 * @throws Error sentences with line and column.
 */
export async function inFile<Result>(file: ConfigurationFile, work: () => Promise<Result>): Promise<Result> {
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
