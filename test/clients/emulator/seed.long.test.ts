import { describe, test } from 'vitest'
import { givenFolder, porticoProcess } from '../../cli/portico.js'
import { expectTold, faultsForTheService } from './seed-faults.js'

// Each case starts an emulator, which takes about 3 s; the first one is in seed.test.ts.
describe('a fault of a seed', () => {
  test.each(faultsForTheService.slice(1))('%s is told with file, line and path', async (_, text, message) => {
    await expectTold(porticoProcess, givenFolder(), text, message)
  })
})
