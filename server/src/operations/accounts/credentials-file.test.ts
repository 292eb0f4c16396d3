import { chmod, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { credentialsPath, readCredentials, refreshCredentials, writeCredentials } from './credentials-file.js'

let dataDir: string

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'portico-credentials-'))
})
afterEach(() => rm(dataDir, { recursive: true, force: true }))

const credentials = {
  base_url: 'http://localhost:3000',
  domain: 'acme',
  sandbox: { client_id: 'a', client_secret: 'keysandbox_a' },
  production: { client_id: 'b', client_secret: 'keyproduction_b' },
}

async function modeOf(file: string): Promise<string> {
  return ((await stat(file)).mode & 0o777).toString(8)
}

test('the file is readable by its owner alone, says what was written, and no draft stays beside it', async () => {
  await writeCredentials(dataDir, credentials)

  expect(await modeOf(credentialsPath(dataDir))).toBe('600')
  expect(await readCredentials(dataDir)).toEqual(credentials)
  expect(await readdir(dataDir)).toEqual(['credentials.json'])
})

test('a file that others could read is their owner’s alone once another address is in it', async () => {
  await writeCredentials(dataDir, credentials)
  await chmod(credentialsPath(dataDir), 0o644)

  await refreshCredentials(dataDir, 'http://localhost:3001')

  expect(await modeOf(credentialsPath(dataDir))).toBe('600')
  expect(await readCredentials(dataDir)).toEqual({ ...credentials, base_url: 'http://localhost:3001' })
})
