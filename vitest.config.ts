import { configDefaults, defineConfig } from 'vitest/config'

import { compile } from '@portico/server/compile'
import { LongestFirst } from './test/longest-first.js'
import { keepTemporaryFilesInMemory } from './test/memory-folder.js'
import { isQuickRun, slowFiles } from './test/slow-files.js'
import { tallyReporter } from './test/tally-reporter.js'

// *.long.test.ts takes minutes (statistical timing, kills, version matrices): `npm run test:full` asks for it.
const full = process.env.PORTICO_TEST_FULL === '1'
const exclude = [
  ...configDefaults.exclude,
  ...(full ? [] : ['**/*.long.test.ts']),
  ...(isQuickRun ? slowFiles : []),
]

// Tests import the workspaces as programs do, and get what npm start runs; a unit test imports the source beside it.
await compile()

keepTemporaryFilesInMemory()

export default defineConfig({
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    pool: 'forks',
    // Node loads what is compiled, because the runner takes ten times as long to transform the sources.
    server: { deps: { external: [/\/(contract|server|sdk)\/dist\//] } },
    // What a file imports stays loaded for the next one: loading the server for each would be a quarter of the time.
    isolate: false,
    maxWorkers: 2,
    // For what hangs: a machine that does other work as well takes several times as long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', tallyReporter()],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['{contract,server,sdk}/src/**/*.test.{ts,tsx}', 'contract/gate/**/*.test.ts'],
          exclude,
        },
      },
      {
        extends: true,
        test: {
          name: 'service',
          include: ['test/**/*.test.ts'],
          exclude,
          globalSetup: 'test/global-setup.ts',
          setupFiles: 'test/file-setup.ts',
        },
      },
    ],
  },
})
