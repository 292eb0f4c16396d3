import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { secretVariables, Variables } from '@portico/server/variables'
import { transform } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { digestOf, isKnown, remember } from '../checked-before.js'
import { freePort } from '../given/free-port.js'
import { longTest } from '../sampled.js'
import { chooseAtTestIdp } from '../given/test-idp-given.js'
import { createVisitor } from '../given/visitor.js'
import { besideService } from './beside-start.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The files that affect whether code blocks compile: documents, called code, and the checker. */
const checkedFiles = /^(?:[\w.-]+\.(?:md|json)|(?:docs|sdk|contract|server)\/.*\.(?:md|tsx?|js|json))$/

longTest(
  'every code block of the guides compiles or parses as what it says it is',
  async () => {
    const inputs = await digestOf(checkedFiles)
    if (await isKnown('blocks', inputs)) return
    const check = run(process.execPath, ['--import', 'tsx', 'docs/check-blocks.ts'], { cwd: root })

    await expect(check).resolves.toMatchObject({ stderr: '' })
    await remember('blocks', inputs)
  },
  120_000,
)

test('every link between the documents leads to a document and to a heading in it', () => {
  expect(documents().flatMap(brokenLinks)).toEqual([])
})

test('every file of the repository that a document names is there', () => {
  expect(documents().flatMap(missingFiles)).toEqual([])
})

test('the README is read in a minute: 150 lines at most, and every cell of its comparison leads to its source', () => {
  const lines = read('README.md').trimEnd().split('\n')
  const start = lines.findIndex((line) => line.includes('[WorkOS](https://workos.com) '))
  const rows = lines.slice(start + 2, lines.indexOf('', start))
  const cells = rows.flatMap((row) => row.split('|').slice(2, -1))

  expect(lines.length).toBeLessThanOrEqual(150)
  expect(cells.length).toBeGreaterThanOrEqual(35)
  expect(cells.filter((cell) => !/^ \[[^\]]+\]\([^)]+\) +$/.test(cell))).toEqual([])
})

test('docs/guides/operate.md explains every setting, and no other', () => {
  const [, settings = ''] = read('docs/guides/operate.md').split('## Settings')
  const [table = ''] = settings.split('\n## ')
  const explained = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  // NODE_ENV belongs to Node.
  const names = [
    ...Object.keys(Variables.shape).filter((name) => name !== 'NODE_ENV'),
    ...secretVariables.map((name) => `${name}_FILE`),
  ]
  expect(explained.toSorted()).toEqual(names.toSorted())
})

describe.each(manifests())('docs/dependencies.md, %s', (manifest) => {
  test('lists every direct dependency with its exact version, and no other', () => {
    expect(listedDependencies(manifest)).toEqual(declaredDependencies(manifest))
  })
})

longTest(
  'the README: the journey, pasted into a shell beside npm start, ends with tokens',
  async () => {
    await besideService(async (home) => {
      const { stdout } = await runShell(home, journeyOf('README.md'))

      const tokens = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as {
        access_token: string
        id_token: string
      }
      const claims = claimsOf(tokens.access_token)
      expect(claims).toMatchObject({ dbs: 'sandbox', jtt: 'access_token', org: 'awesome-company' })
      expect(claimsOf(tokens.id_token)).toMatchObject({ jtt: 'id_token', sub: claims.sub, aud: claims.aud })
    })
  },
  180_000,
)

longTest(
  'docs/guides/curl.md: the journey, pasted into a shell beside npm start, ends with tokens, and its programs with what they say',
  async () => {
    await besideService(async (home) => {
      const { stdout } = await runShell(home, journeyOf('docs/guides/curl.md'))
      const [list = '', program = ''] = programsOf('docs/guides/curl.md')
      const listed = await runProgram(home, list)
      const verified = await runProgram(home, program)

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
      expect(listed).toBe('awesome-company\n')
      expect(verified).toContain(`sub: '${String(claims.sub)}'`)
    })
  },
  180_000,
)

test.each([['README.md'], ['docs/guides/curl.md']])(
  'the journey of %s stops at an answer that is an error, and shows it',
  async (file) => {
    const [member = ''] = /^member\(\) \{.*\n[^]*?^\}$/m.exec(journeyOf(file).join('\n')) ?? []
    const script = `${member}\nTOKEN=$(echo '{"error": {"code": "unauthorized"}}' | member access_token)`

    await expect(run('bash', ['--norc', '-euo', 'pipefail', '-c', script])).rejects.toMatchObject({
      code: 1,
      stderr: '{"error": {"code": "unauthorized"}}\n\n',
    })
  },
)

longTest(
  'start.ts of docs/guides/start.md, run beside npm start, ends with the address of the user',
  async () => {
    await besideService(async (home) => {
      const [program = ''] = programsOf('docs/guides/start.md')

      expect(await runProgram(home, program)).toMatch(/^[0-9a-f-]{36} ada@people\.example\n$/)
    })
  },
  180_000,
)

longTest(
  'sso.ts of docs/guides/sso.md, run beside npm start, ends with the user who has signed in at the test identity provider',
  async () => {
    await besideService(async (home) => {
      const [program = ''] = programsOf('docs/guides/sso.md')
      const args = await writeProgram(home, program)
      const env = { ...process.env, PORT: String(await freePort()) }
      const running = run(process.execPath, args, { cwd: home, env })
      try {
        const address = await firstIn(running.child.stdout, /^http\S+$/m)
        const visitor = createVisitor(new URL(address).origin)
        const page = await visitor.visit(address)
        const landed = await chooseAtTestIdp(visitor, page, { email: 'ada@awesome.example' })
        const shown = await fetch(landed.location ?? '')

        expect(await shown.text()).toBe('Signed in: ada@awesome.example')
        expect((await running).stdout).toMatch(/\n[0-9a-f-]{36} ada@awesome\.example\n$/)
      } finally {
        running.child.kill()
      }
    })
  },
  180_000,
)

longTest(
  'the commands of docs/guides/directory-sync.md, pasted beside npm start after those of the journey with curl, answer as it says',
  async () => {
    await besideService(async (home) => {
      const first = journeyOf('docs/guides/curl.md').slice(0, 2)
      const { stdout } = await runShell(home, [...first, ...journeyOf('docs/guides/directory-sync.md')])

      expect(stdout.trim().split('\n')).toEqual([
        'awesome-company',
        'false',
        '2',
        expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
        'Engineers',
        'Engineers',
      ])
    })
  },
  180_000,
)

longTest(
  'the commands of docs/guides/onboarding.md, pasted beside npm start after those of the journey with curl, answer as it says',
  async () => {
    await besideService(async (home) => {
      const first = journeyOf('docs/guides/curl.md').slice(0, 2)
      const { stdout } = await runShell(home, [...first, ...journeyOf('docs/guides/onboarding.md')])

      expect(stdout.trim().split('\n')).toEqual([
        'awesome-company',
        expect.stringMatching(/^awesome_company_\w{22}$/),
        'not_initialized',
        'ada@awesome.example',
        'not_initialized',
        '0',
        'false',
        'not_initialized',
      ])
    })
  },
  180_000,
)

test('the program of docs/guides/import.md makes of a Keycloak export the lines that an import takes', async () => {
  const home = await mkdtemp(join(tmpdir(), 'portico-docs-'))
  const credential = (algorithm: string) => ({
    type: 'password',
    secretData: JSON.stringify({ value: 'aGFzaA==', salt: 'c2FsdA==', additionalParameters: {} }),
    credentialData: JSON.stringify({ hashIterations: 27_500, algorithm, additionalParameters: {} }),
  })
  const user = { emailVerified: true, enabled: true }
  const users = [
    { ...user, email: 'ada@people.example', firstName: 'Ada', credentials: [credential('pbkdf2-sha256')] },
    { ...user, email: 'alan@people.example', enabled: false, credentials: [credential('md5')] },
    { ...user, username: 'without-address' },
  ]
  await writeFile(join(home, 'realm.json'), JSON.stringify({ realm: 'example', users }))
  try {
    const [program = ''] = programsOf('docs/guides/import.md')
    await runProgram(home, program)

    const lines = readFileSync(join(home, 'users.jsonl'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      {
        email: 'ada@people.example',
        email_verified: true,
        active: true,
        given_name: 'Ada',
        password_hash: '$pbkdf2-sha256$27500$c2FsdA==$aGFzaA==',
      },
      { email: 'alan@people.example', email_verified: true, active: false },
    ])
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}, 60_000)

/** The first match in the output of a running program. */
function firstIn(output: Readable | null, form: RegExp): Promise<string> {
  let said = ''
  return new Promise((found, missed) => {
    output?.on('data', (chunk) => {
      said += String(chunk)
      const [first] = form.exec(said) ?? []
      if (first !== undefined) found(first)
    })
    output?.on('end', () => missed(new Error(`the program ended, and said: ${said}`)))
  })
}

/** The paths of all documents, from the root of the repository. */
function documents(): string[] {
  const guides = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    // The site is built there, with the Markdown of its pages.
    .filter((name) => name.endsWith('.md') && !name.startsWith('dist'))
    .map((name) => `docs/${name}`)
  return [...readdirSync(root).filter((name) => name.endsWith('.md')), 'sdk/README.md', ...guides]
}

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

/** A document without its code blocks, which are not prose. */
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

/** The anchors that repository hosts generate for headings. */
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
    ...[
      'contract',
      'server',
      'sdk',
      'docs',
      'docs/examples/next-product',
      'test',
      'test/clients/sdk/toolchain',
    ].map((name) => `${name}/package.json`),
  ]
}

/** Name and version in the form of a table row. Workspaces are not dependencies. */
function declaredDependencies(manifest: string): string[] {
  const parsed = JSON.parse(read(manifest)) as Record<string, Record<string, string> | undefined>
  const groups = ['dependencies', 'optionalDependencies', 'peerDependencies', 'devDependencies']
  return groups
    .flatMap((group) => Object.entries(parsed[group] ?? {}))
    .filter(([name]) => !name.startsWith('@portico/'))
    .map(([name, version]) => `${name} ${version}`)
    .toSorted()
}

/** The rows of the table under the heading of the manifest. */
function listedDependencies(manifest: string): string[] {
  const sections = read('docs/dependencies.md').split(/^## /m)
  const section = sections.find((text) => text.split('\n')[0] === manifest) ?? ''
  return [...section.matchAll(/^\| `([^`]+)` +\| ([^ |]+) +\|/gm)]
    .map(([, name, version]) => `${name ?? ''} ${version ?? ''}`)
    .toSorted()
}

/** The blocks of a document marked as its journey. */
function journeyOf(file: string): string[] {
  return [...read(file).matchAll(/^```sh journey\n([^]*?)^```$/gm)].map(([, block]) => block ?? '')
}

/** Runs blocks as one script, as if pasted into a shell. */
function runShell(home: string, blocks: readonly string[]) {
  return run('bash', ['--norc', '-euo', 'pipefail', '-c', blocks.join('\n')], { cwd: home })
}

/** The TypeScript blocks of a document. */
function programsOf(file: string): string[] {
  return [...read(file).matchAll(/^```ts[^\n]*\n([^]*?)^```$/gm)].map(([, block]) => block ?? '')
}

/** Runs a program as if it were in the repository, with the `.data` of another directory. */
async function runProgram(home: string, program: string): Promise<string> {
  const { stdout } = await run(process.execPath, await writeProgram(home, program), { cwd: home })
  return stdout
}

/**
 * Writes a program as TypeScript, run by tsx, in the full run; otherwise as compiled JavaScript, which starts in a tenth
 * of the time.
 *
 * @returns The arguments of Node to run it.
 */
async function writeProgram(home: string, program: string): Promise<string[]> {
  await rm(join(home, 'node_modules'), { force: true })
  await symlink(join(root, 'node_modules'), join(home, 'node_modules'), 'junction')
  await writeFile(join(home, 'package.json'), read('package.json'))
  if (process.env.PORTICO_TEST_FULL === '1') {
    await writeFile(join(home, 'program.ts'), program)
    return ['--import', 'tsx', 'program.ts']
  }
  const { code } = await transform(program, { loader: 'ts', target: 'node20' })
  await writeFile(join(home, 'program.js'), code)
  return ['program.js']
}

function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8')) as Record<
    string,
    unknown
  >
}
