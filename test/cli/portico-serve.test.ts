// Start and end of one process; portico-serve.long.test.ts has two concurrent ones.

import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../given/free-port.js'
import { createVisitor } from '../given/visitor.js'
import { longDescribe, longTest } from '../sampled.js'
import { givenFolder, portico, porticoJson, porticoProcess } from './portico.js'
import { given, masterKeys, tokenOf, type Variables } from './portico-given.js'
import { credentialsIn, givenDataDir } from './serve-given.js'

longDescribe('portico serve', () => {
  test('keeps account and keys at later starts', async () => {
    const dataDir = await givenDataDir()
    const first = await given.service({ DATA_DIR: dataDir })
    const { sandbox } = credentialsIn(dataDir)
    expect(await first.stop()).toBe(0)

    const second = await given.service({ DATA_DIR: dataDir })
    expect(second.credentials).toBe('kept')
    expect(credentialsIn(dataDir)).toMatchObject({ base_url: second.baseUrl, domain: 'acme', sandbox })
    expect((await tokenOf(second.baseUrl, 'acme', sandbox)).status).toBe(200)
    expect(await second.stop('SIGINT')).toBe(0)
  }, 60_000)

  test('tells a link that makes the first owner, another one at each start, and none to a process that joins or once there is one', async () => {
    const dataDir = await givenDataDir()
    const first = await given.service({ DATA_DIR: dataDir })
    const joining = await given.service({ DATA_DIR: dataDir })
    expect(joining.consoleLink).toBeUndefined()
    await joining.stop()
    await first.stop()

    const second = await given.service({ DATA_DIR: dataDir })
    const [before = '', link = ''] = [first.consoleLink, second.consoleLink]
    expect(link).toMatch(new RegExp(`^${second.baseUrl}/console/start\\?token=[\\w-]{43}$`))
    const visitor = createVisitor(second.baseUrl)
    expect((await visitor.visit(before.replace(first.baseUrl, second.baseUrl))).status).toBe(404)
    const page = await visitor.visit(link)
    const begun = await visitor.send(page, 'start', { email: 'ada@acme.example', name: 'Ada Lovelace' })
    expect([begun.status, begun.location]).toEqual([303, '/console/acme/sandbox'])
    await second.stop()

    const third = await given.service({ DATA_DIR: dataDir })
    expect(third.consoleLink).toBeUndefined()
  }, 60_000)

  test('gives a backup that serves elsewhere, with the keys of its account', async () => {
    const dataDir = await givenDataDir()
    const first = await given.service({ DATA_DIR: dataDir })
    const { sandbox } = credentialsIn(dataDir)
    const file = join(givenFolder(), 'backup')
    await porticoJson(['backup', file], { DATA_DIR: dataDir })
    expect(await first.stop()).toBe(0)

    const elsewhere = await givenDataDir()
    await porticoJson(['restore', file], { DATA_DIR: elsewhere })
    const early = await portico(['account', 'list'], { DATA_DIR: elsewhere })
    expect(early.stderr).toContain('not the keys that this database was sealed with')
    // Keys that are made here would be taken for those of the database.
    expect(existsSync(join(elsewhere, 'master-keys'))).toBe(false)
    copyFileSync(join(dataDir, 'master-keys'), join(elsewhere, 'master-keys'))
    const second = await given.service({ DATA_DIR: elsewhere })
    expect(second.credentials).toBe('missing')
    expect((await tokenOf(second.baseUrl, 'acme', sandbox)).status).toBe(200)
  }, 60_000)

  test('is not ready on a database that lacks migrations, and says what to run', async () => {
    const service = await given.service({ ...(await given.database()), METRICS_HOST: '0.0.0.0' })

    const answer = await fetch(`${service.baseUrl}/readyz`)

    expect(answer.status).toBe(503)
    expect(await answer.text()).toContain('portico migrate')
    expect(new URL(service.metricsUrl).hostname).toBe('0.0.0.0')
    const figures = await (await fetch(service.metricsUrl)).text()
    expect(figures).toContain('portico_http_request_duration_seconds')
    expect(figures).toContain('portico_db_up 0')
  })

  test('logs more from SIGUSR2 on, and as LOG_LEVEL says after the next one', async () => {
    const service = await given.service(await given.database())
    const probes = () => service.output().split('"route":"healthz"').length - 1
    const signalled = async (switched: string) => {
      service.child.kill('SIGUSR2')
      await expect.poll(service.output, { timeout: 10_000 }).toContain(switched)
      await fetch(`${service.baseUrl}/healthz`)
    }

    await fetch(`${service.baseUrl}/healthz`)
    await signalled('"from":"warn","to":"debug"')
    await expect.poll(probes, { timeout: 10_000 }).toBe(1)
    await signalled('"from":"debug","to":"warn"')
    expect(await service.stop()).toBe(0)
    expect(probes()).toBe(1)
  }, 60_000)

  test('refuses a port that is in use, with a sentence', async () => {
    const taken = createServer()
    const port = await freePort()
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => void taken.close())

    const outcome = await portico(['serve'], {
      ...(await given.database()),
      PORT: String(port),
      METRICS_PORT: '0',
    })

    expect(outcome).toMatchObject({ code: 1, stdout: '' })
    expect(outcome.stderr).toBe(
      `portico: Port ${port} is in use: stop the process that has it, or set PORT to another one.\n`,
    )
  })
})

describe('a failure', () => {
  test.each<[string, string[], Variables, string]>([
    ['an unknown command', ['server'], {}, "portico: unknown command 'server'"],
    ['an unknown option', ['serve', '--port'], {}, "portico: unknown option '--port'"],
    ['a missing name', ['account', 'create'], {}, 'See portico account create --help.'],
    ['a wrong value', ['api-key', 'create', '--environment', 'staging'], {}, 'It is sandbox or production.'],
    [
      'a data directory that cannot be made',
      ['serve'],
      { DATA_DIR: '/proc/portico' },
      'portico: The data directory /proc/portico cannot be made or written: set DATA_DIR to one that belongs to the account',
    ],
    [
      'a database that is away',
      ['account', 'list'],
      { DATABASE_URL: 'postgres://a@127.0.0.1:1/a' },
      'check DATABASE_URL',
    ],
    ['a file that is not there', ['restore', '/nowhere'], {}, '/nowhere does not exist: check the path.'],
    ['a production without its settings', ['serve'], { HOST: '0.0.0.0' }, 'SMTP_URL must name a mail server'],
  ])('%s is a sentence on stderr and exit code 1', async (_what, args, variables, sentence) => {
    const outcome = await portico(args, { DATA_DIR: givenFolder(), MASTER_KEYS: masterKeys, ...variables })

    expect(outcome).toMatchObject({ code: 1, stdout: '' })
    expect(outcome.stderr).toContain(sentence)
    expect(outcome.stderr).not.toMatch(/\n\s+at /)
  })

  longTest('of a process is the same sentence and exit code', async () => {
    const args = ['account', 'list']
    const variables = { DATABASE_URL: 'postgres://a@127.0.0.1:1/a', MASTER_KEYS: masterKeys }

    const outcome = await porticoProcess(args, variables)

    expect(outcome).toEqual(await portico(args, variables))
    expect(outcome.code).toBe(1)
  })

  test('on a database without migrations says to run them', async () => {
    const variables = await given.database()

    expect((await portico(['account', 'list'], variables)).stderr).toMatch(
      /lacks \d+ migrations: run portico migrate/,
    )
    const { pending } = await porticoJson<{ pending: { onlyAdds: boolean }[] }>(
      ['migrate', '--plan'],
      variables,
    )
    expect(pending.length).toBeGreaterThan(5)
  })

  longTest('in a .env file is told like one in the environment', async () => {
    const folder = givenFolder()
    writeFileSync(join(folder, '.env'), 'LOG_LEVEL=loud\n')

    const { stderr } = await porticoProcess(['account', 'list'], { DATA_DIR: folder }, folder)

    expect(stderr).toContain('LOG_LEVEL')
  })
})
