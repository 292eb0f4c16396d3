import { randomBytes } from 'node:crypto'
import { link, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ensureDataDir } from '../data-dir.js'
import { isErrorWithCode, readUnlessMissing } from '../system-error.js'

const fileName = 'master-keys'

/** Reads the master keys that an earlier start made in this directory; without a file, makes keys and does not store them. */
export async function readMasterKeys(dataDir: string): Promise<string> {
  return (await readUnlessMissing(join(dataDir, fileName)))?.trim() ?? newMasterKeys()
}

/** Reads the master keys that an earlier start made in this directory, or makes the first one, readable only by its owner. */
export async function readOrMakeMasterKeys(dataDir: string): Promise<string> {
  const path = join(dataDir, fileName)
  await ensureDataDir(dataDir, 'MASTER_KEYS')
  const made = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(made, `${newMasterKeys()}\n`, { mode: 0o600, flag: 'wx' })
  try {
    // Fails when the file exists: of several processes that start at once, one makes the key and all read it.
    await link(made, path)
  } catch (error) {
    if (!isErrorWithCode(error, 'EEXIST')) throw error
  } finally {
    await unlink(made)
  }
  return (await readFile(path, 'utf8')).trim()
}

function newMasterKeys(): string {
  return `v1:${randomBytes(32).toString('base64')}`
}
