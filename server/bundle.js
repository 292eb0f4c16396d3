// @ts-check
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { fileURLToPath, URL } from 'node:url'
import { bundledProgram } from './compile.js'

/**
 * npm run bundle -- FOLDER: writes the service as a package that needs no workspace: the program with contract and SDK inside,
 * what it reads beside its code, and the documentation site, each at its place in the repository.
 */
const root = fileURLToPath(new URL('..', import.meta.url))

/** What the program reads at run time: the looks of pages, passwords, and what the emulator's template is named after. */
const isRead =
  /\.(?:css|bin|woff2)$|\/fonts\/LICENSE$|^pages\/.*(?<!\.test)\.js$|\/db\/(?:migrations\/.*(?<!\.test)|seed-statistics|concurrent-index)\.ts$/

/** @param {string} folder */
async function writeBundle(folder) {
  rmSync(folder, { recursive: true, force: true })
  const program = join(folder, 'server/dist/program')
  mkdirSync(program, { recursive: true })
  for (const { path, contents } of await bundledProgram(program, { sourcemap: false }))
    writeFileSync(path, contents)
  for (const file of filesBelow(join(root, 'server/src')).filter((name) => isRead.test(name)))
    copy(join('server/src', file), folder)
  copy('docs/dist/site', folder)
  copy('LICENSE', folder)
  const manifest = packageManifest()
  const { name, version, type } = manifest
  writeJson(join(folder, 'package.json'), manifest)
  writeJson(join(folder, 'server/package.json'), { name, version, type })
}

/** That of the server, without the packages that are inside and what only the repository needs. */
function packageManifest() {
  /** @type {{ name: string, version: string, type: string, dependencies: Record<string, string> } & Record<string, unknown>} */
  const manifest = JSON.parse(readFileSync(join(root, 'server/package.json'), 'utf8'))
  const { name, version, type, dependencies } = manifest
  const kept = Object.entries(manifest).filter(
    ([member]) => !['exports', 'scripts', 'devDependencies'].includes(member),
  )
  const outside = Object.entries(dependencies).filter(([each]) => !each.startsWith('@portico/'))
  return {
    ...Object.fromEntries(kept),
    ...{ name, version, type },
    bin: { portico: 'server/dist/program/main.js' },
    files: ['server', 'docs'],
    dependencies: Object.fromEntries(outside),
  }
}

/**
 * @param {string} path From the root.
 * @param {string} folder
 */
function copy(path, folder) {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  cpSync(join(root, path), join(folder, path), { recursive: true })
}

/**
 * @param {string} folder
 * @returns {string[]} From the folder, with slashes.
 */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'))
}

/**
 * @param {string} file
 * @param {object} value
 */
function writeJson(file, value) {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`)
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('npm run bundle -- FOLDER')
await writeBundle(resolve(folder))
