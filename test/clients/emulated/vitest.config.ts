import { readdirSync } from 'node:fs'
import { join, sep } from 'node:path'
import { defineConfig } from 'vitest/config'
import root from '../../../vitest.config.js'
import { root as repository } from '../sdk/packed.js'
import { exclusionReporter } from './exclusion-reporter.js'
import { findUsersOfSdk } from './users-of-sdk.js'

// The folder into which main.ts unpacked the SDK.
const sdk = process.env.PORTICO_TEST_SDK
if (sdk === undefined) throw new Error('PORTICO_TEST_SDK is not set: run npm run test:emulator')

const files = readdirSync(join(repository, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file.split(sep).join('/')}`)
  .filter((file) => /^test\/(?!node_modules\/).*(?<!\.long)\.test\.ts$/.test(file))
// The console's are left out: they call its operations within the process, or make its first owner there. So are those of cells,
// which are databases of a service.
const include = findUsersOfSdk(files).filter((file) => !/^test\/(console|cells)\//.test(file))

export default defineConfig({
  root: repository,
  resolve: {
    alias: [
      { find: /^@portico\/sdk$/, replacement: join(sdk, 'dist/index.mjs') },
      { find: /^@portico\/sdk\/(.+)$/, replacement: join(sdk, 'dist/$1.mjs') },
    ],
  },
  oxc: root.oxc,
  test: {
    ...root.test,
    projects: undefined,
    include,
    setupFiles: 'test/clients/emulated/setup.ts',
    // What test/global-setup.ts provides, as far as tests of the emulator ask.
    provide: { citusWorkers: [] },
    env: { PORTICO_TEST_SERVICE: 'emulator' },
    reporters: ['default', exclusionReporter(repository, files.length - include.length)],
  },
})
