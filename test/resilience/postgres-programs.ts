import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'

/** A running Postgres whose superuser postgres needs no password. */
interface RunningServer {
  /** The process of it. */
  readonly pid: number
  stop(): Promise<void>
}

/** Programs of a Postgres in a folder, run as the user postgres if this process is root, under which they refuse to run. */
export function postgresPrograms(bin: string) {
  function run(program: string, args: readonly string[]): void {
    execFileSync(join(bin, program), args, { ...asPostgres(), cwd: '/', stdio: 'ignore' })
  }
  return {
    run,
    /** Makes the files of a new server. */
    initialize(data: string): void {
      const access = ['-U', 'postgres', '-A', 'trust']
      run('initdb', ['-D', data, ...access, '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'])
    },
    /** Starts a server on its files, at an address of this machine. */
    async start(data: string, port: number, settings: readonly string[]): Promise<RunningServer> {
      const all = ['listen_addresses=127.0.0.1', `port=${port}`, 'fsync=off', ...settings]
      const args = ['-D', data, ...all.flatMap((setting) => ['-c', setting])]
      // A server that connects to others looks for certificates at home, which is not that of this process's user.
      const env = { ...process.env, HOME: data }
      const started = spawn(join(bin, 'postgres'), args, { ...asPostgres(), env, cwd: '/', stdio: 'ignore' })
      while (!(await isReady(`postgres://postgres@127.0.0.1:${port}/postgres`))) {
        if (started.exitCode !== null) throw new Error(`Postgres ended with ${started.exitCode}`)
        await pause(50)
      }
      return {
        pid: started.pid ?? 0,
        async stop() {
          if (started.exitCode !== null) return
          const exit = once(started, 'exit')
          started.kill('SIGINT')
          await exit
        },
      }
    },
  }
}

/** The user postgres if this process is root, under which Postgres refuses to run. */
export function asPostgres(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? identityOf('postgres') : undefined
}

/** Creates a folder that the user of Postgres owns. */
export async function makePostgresFolder(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'portico-postgres-'))
  const identity = asPostgres()
  if (identity !== undefined) await chown(path, identity.uid, identity.gid)
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 }) }
}

async function isReady(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await client.end()
    return true
  } catch {
    return false
  }
}

function identityOf(user: string): { uid: number; gid: number } {
  const [uid, gid] = ['-u', '-g'].map((flag) => Number(outputOf('id', [flag, user])))
  if (!uid || !gid) throw new Error(`there is no user ${user} for Postgres to run as`)
  return { uid, gid }
}

/** What a program writes; nothing where it is not there. */
export function outputOf(command: string, args: readonly string[]): string {
  if (command.startsWith('/') && !existsSync(command)) return ''
  return spawnSync(command, args, { encoding: 'utf8' }).stdout ?? ''
}
