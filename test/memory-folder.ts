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
/** A run takes less than half of it. */
const neededBytes = 4 * 2 ** 30

/**
 * Where Linux has a file system in memory that is large enough and runs programs, the temporary files of this process and
 * of those it starts are there: each test file has a database of 1,600 files. A TMPDIR that is given is kept.
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

/** What /proc/mounts says of it, the last mount first; nothing where it is no mount of its own. */
function mountOptions(): string[] {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n').toReversed()
  const [, , , options = 'noexec'] = mounts.find((line) => line.split(' ')[1] === memory)?.split(' ') ?? []
  return options.split(',')
}

/** Makes a folder that nobody else can have made, and whose name says which process has it. */
export function createFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, `${prefix}${processSpace()}-${process.pid}-`))
  // Programs that run as somebody else have folders in it.
  chmodSync(folder, 0o711)
  return folder
}

/** Removes what runs of a user left that were killed; never throws. */
export function removeAbandoned(parent: string, uid = process.getuid?.()): void {
  try {
    for (const name of readdirSync(parent)) if (isAbandoned(name)) removeOwn(join(parent, name), uid)
  } catch {
    // Nothing of it is needed; at worst it takes memory.
  }
}

/** Whether it is the folder of a process of this container that has ended; of other containers nobody knows here. */
function isAbandoned(name: string): boolean {
  const [, space, pid = ''] = /^portico-tests-(\d+)-(\d+)-\w+$/.exec(name) ?? []
  return space === processSpace() && !existsSync(`/proc/${pid}`)
}

function removeOwn(folder: string, uid: number | undefined): void {
  try {
    const entry = lstatSync(folder)
    if (entry.isDirectory() && entry.uid === uid) rmSync(folder, { recursive: true, force: true })
  } catch {
    // Another run removes it at the same time, or something in it is not ours.
  }
}

/** Within which process ids mean something: containers that share /dev/shm each have their own. */
function processSpace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? ''
}
