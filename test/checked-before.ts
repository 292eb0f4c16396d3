import { createHash } from 'node:crypto'
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isFullRun } from './sampled.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const cache = join(root, 'node_modules/.cache/portico')

/** A digest of all files of the repository whose path from its root matches, and of the version of Node. */
export async function digestOf(form: RegExp): Promise<string> {
  const digest = createHash('sha256').update(`${process.version} ${String(form)}`)
  for (const file of (await filesBelow(root)).toSorted()) {
    const path = relative(root, file).split(sep).join('/')
    if (!form.test(path)) continue
    const text = await readFile(file)
    digest.update(`${path} ${text.length} `).update(text)
  }
  return digest.digest('hex').slice(0, 16)
}

/** The files of a folder, without generated output and installed packages. */
async function filesBelow(folder: string): Promise<string[]> {
  const files: string[] = []
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile()) files.push(path)
    const isSource = !/^(?:\.|dist$|types$|node_modules$|released$)/.test(entry.name)
    if (entry.isDirectory() && isSource) files.push(...(await filesBelow(path)))
  }
  return files
}

/** Whether a check already passed on exactly these inputs, which alone determine its result. The full run repeats it. */
export async function isKnown(check: string, inputs: string): Promise<boolean> {
  if (isFullRun) return false
  return access(join(cache, `passed-${check}-${inputs}`)).then(
    () => true,
    () => false,
  )
}

/** Records that a check passed on these inputs. */
export async function remember(check: string, inputs: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  await writeFile(join(cache, `passed-${check}-${inputs}`), '')
}
