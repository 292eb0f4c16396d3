import { expect } from 'vitest'
import { atFileEnd, registerFileEnd } from './file-end.js'
import { faultsOfStatements, watchStatements } from './tenant-statements.js'

registerFileEnd()
watchStatements()
// Commands of operators are about all accounts, or about one that they look for.
atFileEnd(() => {
  const faults = faultsOfStatements()
  if (expect.getState().testPath?.includes('/test/cli/') === true) return
  if (faults.length > 0) throw new Error(`Statements without an account:\n${faults.join('\n')}`)
})
