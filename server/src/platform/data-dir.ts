import { mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { isErrorWithCode } from './system-error.js'

/**
 * Makes sure that there is a data directory in which files can be made.
 *
 * @param instead The setting that makes it needless.
 * @throws Error a sentence that says what to do.
 */
export async function ensureDataDir(dataDir: string, instead: 'DATABASE_URL' | 'MASTER_KEYS'): Promise<void> {
  try {
    await makeFolder(path.resolve(dataDir))
    // Rights alone tell little to root, who may write even to /proc.
    await rmdir(await mkdtemp(path.join(dataDir, '.writable-')))
  } catch (error) {
    throw new Error(
      `The data directory ${dataDir} cannot be made or written: set DATA_DIR to one that belongs to the account that ` +
        `runs the service, or set ${instead}.`,
      { cause: error },
    )
  }
}

/**
 * Makes a folder and those above it, for their owner alone. Not by `recursive` of mkdir, which never ends in /proc: there the
 * parent exists and still answers that it is missing.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return
  await makeFolder(path.dirname(folder))
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have been faster.
    if (!isErrorWithCode(error, 'EEXIST') || !(await isFolder(folder))) throw error
  }
}

/** Whether nothing but a folder is in the place of a data directory, or of a folder above it. */
export async function mayBeFolder(place: string): Promise<boolean> {
  const above = path.dirname(path.resolve(place))
  try {
    return (await stat(place)).isDirectory()
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT', 'ENOTDIR')) return mayBeFolder(above)
    throw error
  }
}

async function isFolder(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isDirectory()
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}
