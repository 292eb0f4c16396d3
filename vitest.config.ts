import { fileURLToPath } from 'node:url'

import { configDefaults, defineConfig } from 'vitest/config'

import { tallyReporter } from './test/tally-reporter.js'

// *.long.test.ts takes minutes (statistical timing, kills, version matrices): `npm run test:full` asks for it.
const full = process.env.PORTICO_TEST_FULL === '1'
const exclude = [...configDefaults.exclude, ...(full ? [] : ['**/*.long.test.ts'])]

// Tests run from the sources. Those that start the service as a process of its own (test/cli, test/docs,
// test/resilience) run server/dist, which is built before them.
export const alias = [
  { find: /^@portico\/contract$/, replacement: from('contract/src/contract.ts') },
  { find: /^@portico\/contract\/(.+)$/, replacement: from('contract/src/$1.ts') },
  { find: /^@portico\/server\/(config|deps|log|variables|worker)$/, replacement: from('server/src/$1.ts') },
  { find: /^@portico\/server\/(app|server)$/, replacement: from('server/src/http/$1.ts') },
  { find: /^@portico\/server\/(accounts|api-keys)$/, replacement: from('server/src/$1/$1.ts') },
  { find: /^@portico\/server\/(embedded|migrate)$/, replacement: from('server/src/db/$1.ts') },
  { find: /^@portico\/server\/(purge|erase-user|export-user)$/, replacement: from('server/src/purge/$1.ts') },
  { find: /^@portico\/server\/(saml|promotion)\/(.+)$/, replacement: from('server/src/$1/$2.ts') },
  { find: /^@portico\/server\/mailer$/, replacement: from('server/src/mail/recording-mailer.ts') },
  { find: /^@portico\/server\/sms-sender$/, replacement: from('server/src/sms/recording-sender.ts') },
  { find: /^@portico\/sdk$/, replacement: from('sdk/src/index.ts') },
  { find: /^@portico\/sdk\/(.+)$/, replacement: from('sdk/src/$1.ts') },
]

export default defineConfig({
  resolve: { alias },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  test: {
    pool: 'forks',
    // What a file imports stays for the next one: to load the server anew for each took a quarter of the time.
    isolate: false,
    maxWorkers: 2,
    // For what hangs: a machine that does other work as well takes several times as long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', tallyReporter()],
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

function from(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}
