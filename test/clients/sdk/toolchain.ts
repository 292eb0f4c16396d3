import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { npm, root } from './packed.js'

const described = fileURLToPath(new URL('toolchain', import.meta.url))
const lock = readFileSync(join(described, 'package-lock.json'))
const cache = join(root, 'node_modules/.cache')

/** The folder of other versions of Node and of the compiler, one per set of versions, so that a complete one is never changed. */
export const toolchain = join(
  cache,
  `portico-toolchain-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`,
)

/** Path of a version of Node, which is installed if missing. */
export async function nodeOf(version: '20' | '22' | '24'): Promise<string> {
  if (!(await installToolchain())) throw new Error(`Node ${version} cannot be fetched from the registry`)
  return join(toolchain, `node_modules/node-${version}/bin/node`)
}

/** Installs toolchain/package-lock.json once; false if the registry cannot be reached. */
export async function installToolchain(): Promise<boolean> {
  if (existsSync(toolchain)) return true
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, 'portico-toolchain-'))
  try {
    await cp(described, folder, { recursive: true })
    await npm(['ci'], folder)
    await rename(folder, toolchain)
    return true
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (existsSync(toolchain)) return true
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH/.test(String(error))) throw error
    process.stderr.write(`No other versions are tried: the registry cannot be reached.\n${String(error)}\n`)
    return false
  }
}
