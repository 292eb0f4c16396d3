import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders: string[] = []

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** A checkout with the program and these files, by the path of a symbolic link to it. */
function givenLinkedCheckout(program: string, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'portico-linked-'))
  folders.push(folder)
  const checkout = join(folder, 'checkout')
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(checkout, path)), { recursive: true })
    writeFileSync(join(checkout, path), text)
  }
  cpSync(join(root, program), join(checkout, program))
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'), 'junction')
  symlinkSync(checkout, join(folder, 'link'), 'junction')
  return join(folder, 'link')
}

const run = (program: string) => promisify(execFile)(process.execPath, [program])

test('a checkout behind a symbolic link is compiled', async () => {
  const sources = ['index', 'mock', 'testing', 'webhooks'].map((name) => [`sdk/src/${name}.ts`, 'export {}'])
  const checkout = givenLinkedCheckout('server/compile.js', {
    ...Object.fromEntries(sources),
    'package.json': '{ "type": "module" }',
    'contract/src/webhook-signature.ts': 'export {}',
    'server/src/main.ts': 'export {}',
    'sdk/package.json': '{}',
  })
  await run(join(checkout, 'server/compile.js'))

  expect(existsSync(join(checkout, 'server/dist/main.js'))).toBe(true)
})

test('a checkout behind a symbolic link builds its site', async () => {
  const checkout = givenLinkedCheckout('docs/build-when-stale.js', {
    'package.json': '{ "type": "module" }',
    'docs/site/main.ts': "import { writeFileSync } from 'node:fs'\nwriteFileSync('built', '')",
  })
  await run(join(checkout, 'docs/build-when-stale.js'))

  expect(existsSync(join(checkout, 'built'))).toBe(true)
})
