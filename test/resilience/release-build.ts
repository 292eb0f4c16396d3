import { execFile, execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { atFileEnd } from '../file-end.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const named = join(root, 'contract/released/release-before')
const workspaces = ['.', 'contract', 'server', 'sdk']

/** The commit of the version that is running elsewhere while this one is installed. */
const commit = readFileSync(named, 'utf8').trim()

/** Whether the history of the repository has that commit: a copy of the files alone, or a shallow one, does not. */
export function hasReleaseBefore(): boolean {
  try {
    git('cat-file', '-e', `${commit}^{commit}`)
    return true
  } catch {
    return false
  }
}

/** The migrations that the version before has, by name. */
export function migrationsBefore(): string[] {
  const listed = git('ls-tree', '--name-only', commit, 'server/src/platform/db/migrations/')
  return listed
    .split('\n')
    .flatMap((path) => /([^/]+)\.ts$/.exec(path)?.[1] ?? [])
    .toSorted()
}

/**
 * Checks out the version before, with the packages that are installed here, and compiles it. It is removed at the end of the file.
 *
 * @returns Its program, as `server/portico.js` is the one of this version.
 */
export async function buildReleaseBefore(): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), 'portico-release-before-')), 'tree')
  git('worktree', 'prune')
  git('worktree', 'add', '--quiet', '--detach', folder, commit)
  atFileEnd(() => git('worktree', 'remove', '--force', folder))
  for (const workspace of workspaces) {
    const installed = join(root, workspace, 'node_modules')
    if (existsSync(installed)) symlinkSync(installed, join(folder, workspace, 'node_modules'))
  }
  const program = join(folder, 'server/portico.js')
  await promisify(execFile)(process.execPath, [program, '--version'], { cwd: folder })
  return program
}

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
