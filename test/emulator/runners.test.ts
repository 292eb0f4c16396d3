import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenEmulator } from './emulator.js'
import { blockOf, runnersFolder, runNode } from './runners.js'

// The examples of the other runners are in runners.long.test.ts: each takes a runner and an emulator of its own.

const folder = runnersFolder(['tsx'])

test('the example of node:test passes', async () => {
  await writeFile(join(folder(), 'seed.node.ts'), blockOf('node-test'))

  const { stdout } = await runNode(folder(), ['--import', 'tsx', '--test', join(folder(), 'seed.node.ts')])

  expect(stdout).toMatch(/^(?:#|ℹ) pass 1$/m)
}, 120_000)

test('the seed of the guide can be planted', async () => {
  const path = join(folder(), 'seed.yaml')
  await writeFile(path, blockOf('unchecked'))

  const portico = await givenEmulator({ seed: path })
  const users = await portico.client({ name: 'Reader' }).users.list({ org_domain: 'awesome-company' })

  expect(users.total).toBe(1)
})
