import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'
import { join } from 'node:path'

/** Whether processes can be pinned to cores; if not, all cores are shared and the report says so. */
export const isPinned = canRun('taskset', ['--version']) && availableParallelism() >= 2
export const hasWrk = canRun('wrk', ['--version'])

/** The server and Postgres share a core, so that a rate includes the work of both; the load uses another. */
const serverCore = '0'
const loadCore = '1'

/** Starts a program on the core of the server or of the load. */
export function startOn(side: 'server' | 'load', command: string[], options: SpawnOptions): ChildProcess {
  const core = side === 'server' ? serverCore : loadCore
  const [program = '', ...args] = isPinned ? ['taskset', '-c', core, ...command] : command
  return spawn(program, args, options)
}

/** Puts a process that runs already, and its children, onto the server's core. */
export function moveToServerCore(pid: number): void {
  if (!isPinned) return
  for (const each of [pid, ...childrenOf(pid)])
    execFileSync('taskset', ['-apc', serverCore, String(each)], { stdio: 'ignore' })
}

interface GroupKind {
  readonly folder: string
  /** What a limit of so many microseconds in each period is written to. */
  readonly filesOf: (quotaUs: number) => readonly (readonly [file: string, text: string])[]
  readonly controllers?: string
}

const periodUs = 20_000

/** Control groups of the CPU, of version 2 and of version 1 (cgroups(7)). */
const groupKinds: readonly GroupKind[] = [
  {
    folder: '/sys/fs/cgroup',
    controllers: 'cgroup.subtree_control',
    filesOf: (quotaUs) => [['cpu.max', `${quotaUs} ${periodUs}`]],
  },
  {
    folder: '/sys/fs/cgroup/cpu',
    filesOf: (quotaUs) => [
      ['cpu.cfs_period_us', String(periodUs)],
      ['cpu.cfs_quota_us', String(quotaUs)],
    ],
  },
]

/**
 * Limits a process and its children together, also those that it starts later, to a share of a core.
 *
 * @returns Removes the limit; undefined where control groups cannot be written, as without Linux or without root.
 */
export function limitCpu(pid: number, share: number): (() => void) | undefined {
  for (const { folder, filesOf, controllers } of groupKinds) {
    const group = join(folder, `portico-bench-${pid}`)
    const remove = () => {
      for (let left = membersOf(group); left.length > 0; left = membersOf(group)) moveToGroup(folder, left)
      rmdirSync(group)
    }
    if (!makeGroup(folder, group, controllers)) continue
    try {
      for (const [file, text] of filesOf(share * periodUs)) writeSystemFile(join(group, file), text)
      // What the process starts from here on is in its group.
      moveToGroup(group, [pid])
      moveToGroup(group, childrenOf(pid))
      return remove
    } catch (error) {
      remove()
      throw error
    }
  }
  return undefined
}

/** Whether it is made: not where control groups are of the other version, or cannot be written. */
function makeGroup(folder: string, group: string, controllers: string | undefined): boolean {
  try {
    if (controllers !== undefined) writeSystemFile(join(folder, controllers), '+cpu')
    if (controllers === undefined && !existsSync(folder)) return false
    mkdirSync(group, { recursive: true })
    return true
  } catch {
    return false
  }
}

/** Fails where the file does not exist: where no control groups are, it would become a file of its own. */
function writeSystemFile(file: string, text: string): void {
  writeFileSync(file, text, { flag: 'r+' })
}

function membersOf(group: string): number[] {
  return (readFileSync(join(group, 'cgroup.procs'), 'utf8').match(/\d+/g) ?? []).map(Number)
}

function moveToGroup(group: string, pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      writeSystemFile(join(group, 'cgroup.procs'), String(pid))
    } catch (error) {
      const hasEnded = statOf(pid) === undefined
      if (!hasEnded) throw error
    }
  }
}

/**
 * The CPU time in seconds that a process has used, with its children, also those that have ended; undefined where the
 * system has no /proc.
 */
export function cpuSecondsOf(pid: number): number | undefined {
  const own = statOf(pid)
  if (own === undefined) return undefined
  const children = childrenOf(pid).map((child) => statOf(child)?.own ?? 0)
  return (own.own + own.ended + children.reduce((sum, ticks) => sum + ticks, 0)) / ticksPerSecond
}

/** Ticks that a process has used itself, and those of the children it has waited for (proc(5), fields 14 to 17). */
function statOf(pid: number): { parent: number; own: number; ended: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name, in parentheses, may hold blanks and parentheses itself.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const field = (number: number) => Number(fields[number - 3])
    return { parent: field(4), own: field(14) + field(15), ended: field(16) + field(17) }
  } catch {
    return undefined
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(Number(name))?.parent === pid)
    .map(Number)
}

const ticksPerSecond = Number(output('getconf', ['CLK_TCK']) ?? 100)

/** What the figures were measured on, a line each. */
export function describeMachine(): string[] {
  const [cpu] = cpus()
  return [
    `${cpus().length} cores, ${cpu?.model ?? 'unknown CPU'}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}`,
    `Node ${process.versions.node}; load by ${hasWrk ? 'wrk' : 'node:http, one process'}`,
    isPinned
      ? 'the server and Postgres on one core, the load on another'
      : 'nothing pinned to a core: only the ratios say something',
  ]
}

function canRun(program: string, args: string[]): boolean {
  return output(program, args) !== undefined
}

/** What a program prints, whatever its exit code; undefined when there is no such program. */
function output(program: string, args: string[]): string | undefined {
  try {
    return execFileSync(program, args, { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' })
  } catch (error) {
    return error instanceof Error && 'status' in error && error.status !== null ? '' : undefined
  }
}
