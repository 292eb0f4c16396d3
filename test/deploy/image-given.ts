import { execFile, execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atFileEnd } from '../file-end.js'
import { readDockerfile, type Dockerfile, type DockerStep } from './dockerfile.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Whether this machine can run a program as another user on a file system that is read-only for it alone. */
export function canConfine(): boolean {
  const isThere = (command: string, ...args: string[]) => spawnSync(command, args).status === 0
  return process.getuid?.() === 0 && isThere('unshare', '--mount', 'true') && isThere('setpriv', '--version')
}

export interface Image {
  readonly dockerfile: Dockerfile
  /** Of the last stage: the folder that is / in the image. */
  readonly folder: string
  /** Of its own layers, in bytes. */
  readonly compressedSize: number
  /** Runs a program as a container would: the user of the image, everything read-only, these variables and no others. */
  start(command: readonly string[], variables: Readonly<Record<string, string>>): ChildProcess
  /** Runs it until its end. */
  run(
    command: readonly string[],
    variables: Readonly<Record<string, string>>,
  ): Promise<{ code: number; stdout: string; stderr: string }>
}

/** Does what the Dockerfile says, in folders of this machine and with its Node; each stage is a folder. */
export async function buildImage(): Promise<Image> {
  const dockerfile = readDockerfile(readFileSync(join(root, 'Dockerfile'), 'utf8'))
  const home = mkdtempSync(join(tmpdir(), 'portico-image-'))
  atFileEnd(() => rmSync(home, { recursive: true, force: true }))
  chmodSync(home, 0o755)
  const context = join(home, 'context')
  cpSync(root, context, { recursive: true, filter: isSent })
  const folders = new Map<string, string>()
  let folder = ''
  let workdir = '/'
  for (const { name, steps } of dockerfile.stages) {
    folder = join(home, name)
    folders.set(name, folder)
    for (const step of steps) workdir = await take(step, { folder, workdir, context, folders })
  }
  const packed = execFileSync('sh', ['-c', 'tar -cz . | wc -c'], { cwd: folder, encoding: 'utf8' })
  // A place that any user can read, which the Node of a version manager is not.
  const programs = join(home, 'bin')
  mkdirSync(programs)
  copyFileSync(process.execPath, join(programs, 'node'))
  chmodSync(join(programs, 'node'), 0o755)

  const start: Image['start'] = (command, variables) =>
    spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-euc', confine, 'sh', ...command], {
      cwd: join(folder, workdir),
      env: {
        PATH: `${programs}:/usr/bin:/bin:/usr/sbin:/sbin`,
        CONTAINER_USER: dockerfile.user,
        ...variables,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  return {
    dockerfile,
    folder,
    compressedSize: Number(packed),
    start,
    run(command, variables) {
      const child = start(command, variables)
      let [stdout, stderr] = ['', '']
      child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
      child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
      return new Promise((resolve) =>
        child.once('close', (code) => resolve({ code: code ?? -1, stdout, stderr })),
      )
    },
  }
}

/** Every mount but those of the kernel becomes read-only, for this process; then it becomes the user without any right. */
const confine = `
while read -r _ place kind _; do
  case $kind in proc | sysfs | cgroup* | devpts | mqueue | devtmpfs) continue ;; esac
  mount -o remount,bind,ro "$(printf %b "$place")" 2>/dev/null || true
done <<MOUNTS
$(cat /proc/self/mounts)
MOUNTS
user=\${CONTAINER_USER%:*} group=\${CONTAINER_USER#*:}
unset CONTAINER_USER
cd "$PWD"
exec setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
`

/** What .dockerignore leaves of the repository. */
function isSent(path: string): boolean {
  const name = relative(root, path).replaceAll('\\', '/')
  const patterns = readFileSync(join(root, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  return !patterns.some((pattern) => {
    const anywhere = pattern.startsWith('**/')
    const text = pattern.replace('**/', '').replaceAll('.', '\\.').replaceAll('*', '[^/]*')
    return new RegExp(anywhere ? `(?:^|/)${text}$` : `^${text}$`).test(name)
  })
}

interface Place {
  readonly folder: string
  readonly workdir: string
  readonly context: string
  readonly folders: ReadonlyMap<string, string>
}

/** Takes a step; the answer is the working directory after it. */
async function take({ kind, from, args }: DockerStep, place: Place): Promise<string> {
  const { folder, workdir, context, folders } = place
  if (kind === 'WORKDIR') {
    const [next = '/'] = args
    mkdirSync(join(folder, next), { recursive: true })
    return next
  }
  const here = join(folder, workdir)
  if (kind === 'RUN') {
    const [line = ''] = args
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, npm_config_prefer_offline: 'true' }
    await promisify(execFile)('sh', ['-euc', line], { cwd: here, env, maxBuffer: 64 * 1024 * 1024 })
    return workdir
  }
  const source = from === undefined ? context : (folders.get(from) ?? '')
  const target = args.at(-1) ?? ''
  for (const name of args.slice(0, -1)) {
    const origin = join(source, name)
    const isFolder = statSync(origin).isDirectory()
    const to = join(here, target, isFolder || !target.endsWith('/') ? '' : (name.split('/').at(-1) ?? ''))
    mkdirSync(isFolder ? to : dirname(to), { recursive: true })
    cpSync(origin, to, { recursive: true, verbatimSymlinks: true })
  }
  return workdir
}
