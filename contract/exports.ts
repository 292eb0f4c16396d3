import { readdirSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const sources = fileURLToPath(new URL('src', import.meta.url))

/**
 * The exports of package.json: each source under its file name, without its folder, so that moving a file changes no importer.
 * `source` is the condition under which the workspaces compile together.
 *
 * @throws Error when two files have the same name.
 */
export function exportsOfSources(): Readonly<Record<string, object>> {
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => file.split(sep).join('/').replace(/\.ts$/, ''))
    .toSorted()
  const byName = new Map(files.map((file) => [basename(file), file]))
  const other = files.find((file) => byName.get(basename(file)) !== file)
  if (other !== undefined)
    throw new Error(`${join('contract/src', other)}.ts has the name of another file of the contract`)
  const names = [...byName.keys()].toSorted()
  return Object.fromEntries([
    ['.', exported('contract')],
    ...names.map((name): [string, object] => [`./${name}`, exported(byName.get(name) ?? '')]),
  ])
}

function exported(file: string): object {
  return { source: `./src/${file}.ts`, types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` }
}
