import { expect } from 'vitest'
import { atFileEnd, registerFileEnd } from './file-end.js'
import { faultsOfStatements, watchStatements } from './tenant-statements.js'

registerFileEnd()
watchStatements()
// Operators' commands read all accounts, or search for one; the suites of faults run them, too.
atFileEnd(() => {
  const faults = faultsOfStatements()
  if (/\/test\/(?:cli|resilience)\//.test(expect.getState().testPath ?? '')) return
  if (faults.length > 0)
    throw new Error(`Statements without an account or environment:\n${faults.join('\n')}`)
})
