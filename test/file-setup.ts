import { expect } from 'vitest'
import { faultsInCluster } from './cluster-statements.js'
import { atFileEnd, registerFileEnd } from './file-end.js'
import { faultsOf, newStatements, watchStatements } from './tenant-statements.js'

registerFileEnd()
watchStatements()
atFileEnd(() => {
  const statements = newStatements()
  const refused = statements.flatMap(faultsInCluster)
  if (refused.length > 0) throw new Error(`Statements that a cluster refuses:\n${refused.join('\n')}`)
  // Operators' commands read all accounts, or search for one; the suites of faults run them, too.
  if (/\/test\/(?:cli|resilience|citus)\//.test(expect.getState().testPath ?? '')) return
  const faults = statements.flatMap(faultsOf)
  if (faults.length > 0)
    throw new Error(`Statements without an account or environment:\n${faults.join('\n')}`)
})
