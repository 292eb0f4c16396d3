import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { givenFolder, removeFolders } from '../../cli/portico.js'
import { givenEmulator } from './emulator.js'
import { blockOf } from './runners.js'

// The examples of the guide are in runners.long.test.ts: each takes a runner and an emulator of its own.

afterAll(removeFolders)

test('the seed of the guide can be planted', async () => {
  const path = join(givenFolder(), 'seed.yaml')
  await writeFile(path, blockOf('unchecked'))

  const portico = await givenEmulator({ seed: path })
  const users = await portico.client({ name: 'Reader' }).users.list({ org_domain: 'awesome-company' })

  expect(users.total).toBe(1)
})
