import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { givenFolder, porticoJson } from './portico.js'
import { given, tokenOf } from './portico-given.js'
import { credentialsIn, givenDataDir } from './serve-given.js'

// Two Postgres clusters are created, one of which is kept.
describe('portico serve', () => {
  test('makes one account with keys that work, readable by their owner alone, when two start first at once', async () => {
    const dataDir = join(givenFolder(), 'data')

    const [first, second] = await Promise.all([
      given.service({ DATA_DIR: dataDir }),
      given.service({ DATA_DIR: dataDir }),
    ])

    const { domain, sandbox, production } = credentialsIn(dataDir)
    const accounts = await porticoJson<{ domain: string }[]>(['account', 'list'], { DATA_DIR: dataDir })
    expect(statSync(join(dataDir, 'credentials.json')).mode & 0o777).toBe(0o600)
    expect([first.credentials, second.credentials].toSorted()).toEqual(['created', 'kept'])
    expect(accounts.map((account) => account.domain)).toEqual(['acme'])
    for (const { baseUrl } of [first, second]) {
      expect((await tokenOf(baseUrl, domain, sandbox)).status).toBe(200)
      expect((await tokenOf(baseUrl, domain, production)).status).toBe(200)
    }
  }, 60_000)

  test('leaves the address of the process that was first in the file of the keys', async () => {
    const dataDir = await givenDataDir()
    const first = await given.service({ DATA_DIR: dataDir })
    await given.service({ DATA_DIR: dataDir })

    expect(credentialsIn(dataDir).base_url).toBe(first.baseUrl)
  }, 60_000)

  test('ends with status 1 and a log line when its embedded Postgres has died, and serves again when started again', async () => {
    const dataDir = await givenDataDir()
    const service = await given.service({ DATA_DIR: dataDir })
    const [postmaster = ''] = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')
    const ended = once(service.child, 'close')
    process.kill(Number(postmaster), 'SIGKILL')

    expect(await ended).toEqual([1, null])
    expect(service.output()).toContain('has ended (SIGKILL): start this process again')
    const again = await given.service({ DATA_DIR: dataDir })
    expect((await fetch(`${again.baseUrl}/readyz`)).status).toBe(200)
  }, 60_000)
})
