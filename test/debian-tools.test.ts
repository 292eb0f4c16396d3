import { expect, test } from 'vitest'
import { toolsFor } from './debian-tools.js'

const packagesFor = (...files: string[]) => toolsFor(files).map((tool) => tool.package)

test('what is tested on Postgres 15 installs it', () => {
  expect(packagesFor('test/resilience/postgres-15.long.test.ts')).toContain('postgresql-15')
})

test('what needs no tool installs none', () => {
  expect(packagesFor('test/lint-rules.test.ts')).toEqual([])
})
