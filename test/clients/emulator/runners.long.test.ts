import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../sdk/packed.js'
import { blockOf, runnersFolder, runNode } from './runners.js'

const folder = runnersFolder(['tsx', 'vitest', 'jest', '@jest/globals'])

test('the example of node:test passes', async () => {
  await writeFile(join(folder(), 'seed.node.ts'), blockOf('node-test'))

  const { stdout } = await runNode(folder(), ['--import', 'tsx', '--test', join(folder(), 'seed.node.ts')])

  expect(stdout).toMatch(/^(?:#|ℹ) pass 1$/m)
}, 120_000)

test('the example of vitest passes', async () => {
  await writeFile(join(folder(), 'link.test.ts'), blockOf('vitest'))

  const { stdout } = await runNode(folder(), [
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--root',
    folder(),
  ])

  expect(stdout).toMatch(/1 passed/)
}, 120_000)

test('the example of jest passes, as CommonJS', async () => {
  const { code } = await transform(blockOf('jest'), { loader: 'ts', format: 'cjs' })
  await writeFile(join(folder(), 'faults.jest.cjs'), code)

  const jest = join(root, 'node_modules/jest/bin/jest.js')
  const { stderr } = await runNode(folder(), [jest, '--rootDir', folder(), '--testMatch', '**/*.jest.cjs'])

  expect(stderr).toMatch(/Tests: +1 passed, 1 total/)
  expect(stderr).not.toMatch(/did not exit|force exited/)
}, 120_000)
