import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { transform } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { command, givenEmulator } from './emulator.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const guide = readFileSync(join(root, 'docs/guides/testing.md'), 'utf8')
let folder = ''

// Outside of the repository, whose own settings of the runners would count here.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'portico-runners-'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{}')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The one code block of the guide that is marked so. */
function blockOf(mark: string): string {
  const [, text = ''] = new RegExp(`^\`\`\`\\w+ ${mark}\\n([^]*?)^\`\`\`$`, 'm').exec(guide) ?? []
  if (text === '') throw new Error(`the guide has no block ${mark}`)
  return text
}

function runNode(args: readonly string[]) {
  const { PATH, HOME } = process.env
  return run(process.execPath, [...args], {
    cwd: folder,
    env: { PATH, HOME, PORTICO_COMMAND: command.join(' '), CI: '1' },
  })
}

test('the example of vitest passes', async () => {
  await writeFile(join(folder, 'link.test.ts'), blockOf('vitest'))

  const { stdout } = await runNode([join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder])

  expect(stdout).toMatch(/1 passed/)
}, 120_000)

test('the example of jest passes, as CommonJS', async () => {
  const { code } = await transform(blockOf('jest'), { loader: 'ts', format: 'cjs' })
  await writeFile(join(folder, 'faults.jest.cjs'), code)

  const jest = join(root, 'node_modules/jest/bin/jest.js')
  const { stderr } = await runNode([jest, '--rootDir', folder, '--testMatch', '**/*.jest.cjs'])

  expect(stderr).toMatch(/Tests: +1 passed, 1 total/)
  expect(stderr).not.toMatch(/did not exit|force exited/)
}, 120_000)

test('the example of node:test passes', async () => {
  await writeFile(join(folder, 'seed.node.ts'), blockOf('node-test'))

  const { stdout } = await runNode(['--import', 'tsx', '--test', join(folder, 'seed.node.ts')])

  expect(stdout).toMatch(/^(?:#|ℹ) pass 1$/m)
}, 120_000)

test('the seed of the guide can be planted', async () => {
  const path = join(folder, 'seed.yaml')
  await writeFile(path, blockOf('unchecked'))

  const portico = await givenEmulator({ seed: path })
  const users = await portico.client({ name: 'Reader' }).users.list({ org_domain: 'awesome-company' })

  expect(users.total).toBe(1)
})
