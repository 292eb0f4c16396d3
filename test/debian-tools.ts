import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What some tests need from the operating system, and which tests are skipped without it. */
const debianTools = [
  { command: 'argon2', package: 'argon2', tests: 'the import of its hashes (test/contract)' },
  { command: 'chromium', package: 'chromium', tests: 'the hosted pages in a real browser (test/browser.ts)' },
  {
    command: 'oathtool',
    package: 'oathtool',
    tests: 'one-time codes of a program that is not ours (test/protocol/totp.test.ts)',
  },
  { command: 'openssl', package: 'openssl', tests: 'the signatures of events against openssl (test/sdk)' },
]

const updateTimeoutMs = 2 * 60_000
const installTimeoutMs = 5 * 60_000

/**
 * Installs the Debian packages that tests need and this machine lacks. Does nothing when all are there.
 *
 * Never throws: where apt-get or root is missing, or apt fails, it says loudly which tests will be skipped.
 *
 * @returns The commands that are still missing.
 */
export async function installDebianTools(): Promise<{ missing: string[] }> {
  const wanted = debianTools.filter((tool) => !hasTool(tool.command))
  if (wanted.length === 0) return { missing: [] }

  const failure = await install(wanted.map((tool) => tool.package))

  const missing = wanted.filter((tool) => !hasTool(tool.command))
  if (missing.length > 0) warn(missing, failure ?? 'apt-get installed the packages, but not these commands.')
  return { missing: missing.map((tool) => tool.command) }
}

/** Whether a command is on the PATH, so that a test can be skipped without it. */
export function hasTool(name: string): boolean {
  return toolPath(name) !== undefined
}

/** The absolute path of a command on the PATH; undefined when there is none. */
export function toolPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns why it failed, in words; undefined when it did not. */
async function install(packages: string[]): Promise<string | undefined> {
  if (!hasTool('apt-get')) return 'This system has no apt-get.'
  if (process.getuid?.() !== 0) return 'apt-get needs root.'

  process.stderr.write(
    `Installing what tests need, once: ${packages.join(', ')} (apt-get, a minute or two)\n`,
  )
  try {
    await aptGet(['update'], updateTimeoutMs)
    await aptGet(['install', '-y', '--no-install-recommends', ...packages], installTimeoutMs)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error)
  }
}

async function aptGet(args: string[], timeoutMs: number): Promise<void> {
  // Another apt-get (a parallel checkout, unattended upgrades) holds the lock for a while: wait instead of failing.
  await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=120', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: timeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  })
}

function warn(missing: typeof debianTools, failure: string): void {
  const rule = '!'.repeat(78)
  const lines = [
    rule,
    'SKIPPED TESTS: tools of the operating system are missing.',
    ...missing.map((tool) => `  ${tool.command} (Debian package ${tool.package}): skips ${tool.tests}`),
    failure,
    `To run them: apt-get install --no-install-recommends ${missing.map((tool) => tool.package).join(' ')}`,
    rule,
  ]
  process.stderr.write(`\n${lines.join('\n')}\n\n`)
}
