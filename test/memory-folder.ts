import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const prefix = 'portico-tests-'
/** A run needs less than half of it. */
const neededBytes = 4 * 2 ** 30

/**
 * If Linux has an in-memory file system that is large enough and permits execution, the temporary files of this process and
 * its children are placed there, because each test file has a database of 1,600 files. An existing TMPDIR is respected.
 */
export function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !isUsable()) return
  removeAbandoned(memory)
  const folder = createFolder(memory)
  process.env.TMPDIR = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

function isUsable(): boolean {
  if (process.platform !== 'linux') return false
  try {
    if (processSpace() === '') return false
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize >= neededBytes && !mountOptions().includes('noexec')
  } catch {
    return false
  }
}

/** The mount options in /proc/mounts, of the last mount; empty if it is not a mount point. */
function mountOptions(): string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n').toReversed()
  const [, , , options = 'noexec'] = mounts.find((line) => line.split(' ')[1] === memory)?.split(' ') ?? []
  return options.split(',')
}

/** Creates a folder with a unique name that contains the id of the owning process. */
export function createFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, `${prefix}${processSpace()}-${process.pid}-`))
  // Programs of other users have folders in it.
  chmodSync(folder, 0o711)
  return folder
}

/** Removes folders of killed runs of a user; never throws. */
export function removeAbandoned(parent: string, uid = process.getuid?.()): void {
  try {
    for (const name of readdirSync(parent)) if (isAbandoned(name)) removeOwn(join(parent, name), uid)
  } catch {
    // A remaining folder only occupies memory.
  }
}

/** Whether it belongs to an ended process of this container; processes of other containers are not visible. */
function isAbandoned(name: string): boolean {
  const [, space, pid = ''] = /^portico-tests-(\d+)-(\d+)-\w+$/.exec(name) ?? []
  return space === processSpace() && !existsSync(`/proc/${pid}`)
}

function removeOwn(folder: string, uid: number | undefined): void {
  try {
    const entry = lstatSync(folder)
    if (entry.isDirectory() && entry.uid === uid) rmSync(folder, { recursive: true, force: true })
  } catch {
    // Another run is removing it at the same time, or a file in it belongs to another user.
  }
}

/** The namespace of process ids, because containers that share /dev/shm each have their own. */
function processSpace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
}
