import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { hasPackage, toolsFor } from './debian-tools.js'

const packagesFor = (...files: string[]) => toolsFor(files).map((tool) => tool.package)

test('what is tested on Postgres 15 installs it', () => {
  expect(packagesFor('test/resilience/postgres-15.long.test.ts')).toContain('postgresql-15')
})

test('what needs no tool installs none', () => {
  expect(packagesFor('test/lint-rules.test.ts')).toEqual([])
})

// Every Debian machine has the C library, as a package of its architecture.
test.runIf(existsSync('/var/lib/dpkg/info'))(
  'a library is found that has its architecture in its name',
  () => {
    expect([hasPackage('libc6'), hasPackage('libc')]).toEqual([true, false])
  },
)
