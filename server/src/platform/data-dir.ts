import { access, constants, mkdir, mkdtemp, rmdir, stat } from 'node:fs/promises'
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

/** Whether a data directory can be written, or made where there is none yet. It makes nothing. */
export async function isWritable(place: string): Promise<boolean> {
  const absolute = path.resolve(place)
  try {
    if (!(await stat(absolute)).isDirectory()) return false
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT', 'ENOTDIR')) return isWritable(path.dirname(absolute))
    if (isErrorWithCode(error, 'EACCES')) return false
    throw error
  }
  return access(absolute, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  )
}

async function isFolder(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isDirectory()
  } catch (error) {
    if (isErrorWithCode(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}
