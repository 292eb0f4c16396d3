import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const prefix = 'portico-test-'
/** A run takes less than half of it. */
const neededBytes = 4 * 2 ** 30

/**
 * Where Linux has a file system in memory that is large enough and runs programs, the temporary files of this process and
 * of those it starts are there: each test file has a database of 1,600 files. A TMPDIR that is given is kept.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !isUsable()) return
  removeAbandoned()
  const folder = join(memory, `${prefix}${process.pid}`)
  // Programs that run as somebody else have folders in it.
  mkdirSync(folder, { recursive: true, mode: 0o711 })
  process.env.TMPDIR = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

function isUsable(): boolean {
  if (process.platform !== 'linux') return false
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes && !mountOptions().includes('noexec')
  } catch {
    return false
  }
}

/** What /proc/mounts says of it, the last mount first; nothing where it is no mount of its own. */
function mountOptions(): string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n').toReversed()
  const [, , , options = 'noexec'] = mounts.find((line) => line.split(' ')[1] === memory)?.split(' ') ?? []
  return options.split(',')
}

/** What a run left that was killed. */
function removeAbandoned(): void {
  for (const name of readdirSync(memory)) {
    const pid = name.slice(prefix.length)
    if (name.startsWith(prefix) && !existsSync(`/proc/${pid}`))
      rmSync(join(memory, name), { recursive: true, force: true })
  }
}
