import { expect } from 'vitest'
import { atFileEnd, registerFileEnd } from './file-end.js'
import { faultsOfStatements, watchStatements } from './tenant-statements.js'

registerFileEnd()
watchStatements()
// Commands of operators are about all accounts, or about one that they look for; the suites of faults run them, too.
atFileEnd(() => {
  const faults = faultsOfStatements()
  if (/\/test\/(?:cli|resilience)\//.test(expect.getState().testPath ?? '')) return
  if (faults.length > 0) throw new Error(`Statements without an account:\n${faults.join('\n')}`)
})
