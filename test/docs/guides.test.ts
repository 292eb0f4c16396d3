import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Variables } from '@portico/server/config'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

test('every code block of the guides compiles or parses as what it says it is', async () => {
  const check = run(process.execPath, ['--import', 'tsx', 'docs/check-blocks.ts'], { cwd: root })

  await expect(check).resolves.toMatchObject({ stderr: '' })
}, 120_000)

test('every link between the documents leads to a document and to a heading in it', () => {
  expect(documents().flatMap(brokenLinks)).toEqual([])
})

test('every file of the repository that a document names is there', () => {
  expect(documents().flatMap(missingFiles)).toEqual([])
})

test('docs/guides/operate.md explains every setting, and no other', () => {
  const [, settings = ''] = read('docs/guides/operate.md').split('## Settings')
  const [table = ''] = settings.split('\n## ')
  const explained = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  // NODE_ENV is Node's own.
  const names = Object.keys(Variables.shape).filter((name) => name !== 'NODE_ENV')
  expect(explained.toSorted()).toEqual(names.toSorted())
})

describe.each(manifests())('docs/dependencies.md, %s', (manifest) => {
  test('lists every direct dependency with its exact version, and no other', () => {
    expect(listedDependencies(manifest)).toEqual(declaredDependencies(manifest))
  })
})

test('the journey of the README, pasted into a shell beside npm start, ends with tokens', async () => {
  const home = await mkdtemp(join(tmpdir(), 'portico-readme-'))
  const service = await startBeside(home)
  try {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', journey()], { cwd: home })

    const [answer = '', keys = ''] = stdout.trim().split('\n').slice(-2)
    const tokens = JSON.parse(answer) as { access_token: string; id_token: string }
    const claims = claimsOf(tokens.access_token)
    expect(claims).toMatchObject({
      dbs: 'sandbox',
      jtt: 'access_token',
      meta_data: { employee_number: 1815 },
    })
    expect(claimsOf(tokens.id_token)).toMatchObject({ jtt: 'id_token', sub: claims.sub, aud: claims.aud })
    expect(JSON.parse(keys)).toMatchObject({
      keys: expect.arrayContaining([expect.objectContaining({ alg: 'ES256' })]),
    })
  } finally {
    await stop(service)
    await rm(home, { recursive: true, force: true })
  }
}, 180_000)

/** Paths from the root of the repository. */
function documents(): string[] {
  const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
  return [...readdirSync(root).filter((name) => name.endsWith('.md')), 'sdk/README.md', ...guides]
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** A document without its code blocks, whose text is not the document's own. */
function proseOf(file: string): string {
  return read(file).replace(/^ *(`{3,}).*\n[^]*?^ *\1 *$/gm, '')
}

function brokenLinks(file: string): string[] {
  const targets = [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '')
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#')
      const linked = path === '' ? file : join(dirname(file), path)
      if (!existsSync(join(root, linked))) return true
      return anchor !== undefined && !anchorsOf(linked).includes(anchor)
    })
    .map((target) => `${file}: ${target}`)
}

/** The addresses that headings get on the pages of a repository's host. */
function anchorsOf(file: string): string[] {
  const headings = [...proseOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading ?? '')
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function missingFiles(file: string): string[] {
  const named = [...read(file).matchAll(/`((?:contract|server|sdk|docs|test)\/[\w./-]+\.\w+)`/g)]
  return named.map(([, path]) => path ?? '').filter((path) => !existsSync(join(root, path)))
}

function manifests(): string[] {
  return [
    'package.json',
    ...['contract', 'server', 'sdk', 'docs', 'test'].map((name) => `${name}/package.json`),
  ]
}

/** Name and version, as a line of the list. The workspaces themselves are not dependencies. */
function declaredDependencies(manifest: string): string[] {
  const parsed = JSON.parse(read(manifest)) as Record<string, Record<string, string> | undefined>
  const groups = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies']
  return groups
    .flatMap((group) => Object.entries(parsed[group] ?? {}))
    .filter(([name]) => !name.startsWith('@portico/'))
    .map(([name, version]) => `${name} ${version}`)
    .toSorted()
}

/** The rows of the table under the heading that names the manifest. */
function listedDependencies(manifest: string): string[] {
  const sections = read('docs/dependencies.md').split(/^## /m)
  const section = sections.find((text) => text.split('\n')[0] === manifest) ?? ''
  return [...section.matchAll(/^\| `([^`]+)` +\| ([^ |]+) +\|/gm)]
    .map(([, name, version]) => `${name ?? ''} ${version ?? ''}`)
    .toSorted()
}

/** The blocks of the README that are marked as its journey, as one script. */
function journey(): string {
  return [...read('README.md').matchAll(/^```sh journey\n([^]*?)^```$/gm)]
    .map(([, block]) => block)
    .join('\n')
}

const startDeadlineMs = 120_000

/** Runs `npm start` with its data in `.data` of another directory, and waits until it is ready. */
async function startBeside(home: string): Promise<ChildProcess> {
  const port = await freePort()
  const { PATH, HOME } = process.env
  const service = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: {
      PATH,
      HOME,
      DATA_DIR: join(home, '.data'),
      PORT: String(port),
      METRICS_PORT: '0',
      LOG_LEVEL: 'warn',
    },
    // A group of its own, so that it ends together with what npm started.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (text) => (said += String(text)))

  const deadline = performance.now() + startDeadlineMs
  while (!(await isReady(port))) {
    if (service.exitCode !== null) throw new Error(`the service ended before it was ready: ${said}`)
    if (performance.now() > deadline) {
      await stop(service)
      throw new Error(`the service was not ready in time: ${said}`)
    }
    await sleep(100)
  }
  return service
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://localhost:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

async function stop(service: ChildProcess): Promise<void> {
  if (service.pid === undefined || service.exitCode !== null) return
  const ended = once(service, 'exit')
  process.kill(-service.pid, 'SIGTERM')
  await ended
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  // A TCP server that listens has an address with a port.
  const { port } = probe.address() as AddressInfo
  probe.close()
  return port
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<
    string,
    unknown
  >
}
