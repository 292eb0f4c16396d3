import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { givenFolder } from '../../cli/portico.js'
import { givenEmulator } from './emulator.js'
import { blockOf } from './runners.js'

// runners.long.test.ts runs the examples of the guide, which need a runner and an emulator each.

test('the seed of the guide can be planted', async () => {
  const path = join(givenFolder(), 'seed.yaml')
  await writeFile(path, blockOf('unchecked', 'accounts:'))

  const portico = await givenEmulator({ seed: path })
  const users = await portico.client({ name: 'Reader' }).users.list({ org_domain: 'awesome-company' })

  expect(users.total).toBe(1)
})
