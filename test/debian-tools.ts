import { execFile } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { importsIn } from './imports-in.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('..', import.meta.url))

/** Paths of the OASIS schemas on Debian, and of the W3C schemas that they import. */
export const samlSchemas = {
  metadata: '/usr/share/xml/opensaml/saml-schema-metadata-2.0.xsd',
  protocol: '/usr/share/xml/opensaml/saml-schema-protocol-2.0.xsd',
  signature: '/usr/share/xml/xmltooling/xmldsig-core-schema.xsd',
  encryption: '/usr/share/xml/xmltooling/xenc-schema.xsd',
  xml: '/usr/share/xml/xmltooling/xml.xsd',
}

interface DebianTool {
  /** The command looked up on the PATH; without one, the package itself is looked up. */
  readonly command?: string
  readonly package: string
  /** The tests that are skipped without it. */
  readonly tests: string
  /** Text by which files that need it are recognized; default: the command or package in quotes. */
  readonly sign?: string
}

/**
 * The browser of the tests: headless Chromium, which takes a third of the CPU, or the complete one if only that is
 * installed, and in the full run, which repeats every test with a browser.
 */
export const browserTool =
  process.env.PORTICO_TEST_FULL === '1' || (hasTool('chromium') && !hasTool('chromium-headless-shell'))
    ? 'chromium'
    : 'chromium-headless-shell'

/** Programs of the operating system that some tests need. */
const debianTools: readonly DebianTool[] = [
  { command: 'argon2', package: 'argon2', tests: 'the import of its hashes (test/api)' },
  {
    command: browserTool,
    package: browserTool,
    tests: 'the hosted pages in a real browser (test/given/browser.ts)',
    sign: 'browserTool',
  },
  {
    command: 'oathtool',
    package: 'oathtool',
    tests: 'one-time codes of a program that is not ours (test/protocols/totp.test.ts)',
  },
  {
    command: 'openssl',
    package: 'openssl',
    tests:
      'the signatures of events (test/clients/sdk), and SAML responses of a key that is not ours (test/protocols/saml)',
  },
  {
    command: 'xmlsec1',
    package: 'xmlsec1',
    tests: 'SAML responses that are not signed by us (test/protocols/saml)',
  },
  { command: 'xmllint', package: 'libxml2-utils', tests: 'our XML against schemas (test/protocols/saml)' },
  {
    package: 'opensaml-schemas',
    tests: 'our XML against the schemas of SAML (test/protocols/saml)',
    sign: 'samlSchemas',
  },
  {
    package: 'xmltooling-schemas',
    tests: 'our XML against the schemas of SAML, which import its own (test/protocols/saml)',
    sign: 'samlSchemas',
  },
  {
    package: 'postgresql-15',
    tests: 'the service on Postgres 15, a replica and a pooler (test/resilience)',
    sign: '/usr/lib/postgresql/15/bin',
  },
  {
    command: 'pgbouncer',
    package: 'pgbouncer',
    tests: 'the service behind a pooler (test/resilience/pooler.long.test.ts)',
  },
  {
    package: 'libfaketime',
    tests: 'a clock that jumps (test/resilience/faults.long.test.ts)',
    sign: 'libfaketime.so.1',
  },
  {
    command: 'prometheus',
    package: 'prometheus',
    tests: 'the alert rules and the dashboard in a Prometheus (test/api/prometheus.long.test.ts)',
  },
  {
    command: 'systemd-analyze',
    package: 'systemd',
    tests: 'the units of docs/deploy (test/deploy/files.test.ts)',
  },
  ...['nginx', 'caddy'].map((name) => ({
    command: name,
    package: name,
    tests: 'a rolling stop behind proxies (test/deploy/proxies.long.test.ts)',
  })),
  ...['python3-authlib', 'python3-flask', 'python3-requests', 'libapache2-mod-auth-openidc'].map((name) => ({
    package: name,
    tests: 'sign-ins of clients in other languages (test/clients/oidc/clients.long.test.ts)',
  })),
  { command: 'python3', package: 'python3', tests: 'the programs in Python of the guides (test/docs)' },
  ...['python3-jwt', 'python3-cryptography'].map((name) => ({
    package: name,
    tests: 'the verifier in Python (test/docs)',
  })),
  ...['simplesamlphp', 'php-cli', 'php-xml', 'php-mbstring'].map((name) => ({
    package: name,
    tests: 'sign-ins by an identity provider that others have written (test/given/simplesamlphp.ts)',
    sign: "'simplesamlphp'",
  })),
]

const updateTimeoutMs = 2 * 60_000
const installTimeoutMs = 5 * 60_000

/**
 * Installs the Debian packages that tests need and this machine lacks. Does nothing when all are there.
 *
 * @param files The test files that will run, from the root of the repository; tools that only others need are not installed.
 * Never throws: without apt-get or root, or if apt fails, it prints which tests will be skipped.
 *
 * @returns The commands and packages that are still missing.
 */
export async function installDebianTools(files: readonly string[]): Promise<{ missing: string[] }> {
  const lacking = debianTools.filter((tool) => !isInstalled(tool))
  if (lacking.length === 0) return { missing: [] }
  const needed = toolsFor(files)
  const wanted = lacking.filter((tool) => needed.includes(tool))
  if (wanted.length === 0) return { missing: [] }

  const failure = await install(wanted.map((tool) => tool.package))

  const missing = wanted.filter((tool) => !isInstalled(tool))
  if (missing.length > 0) warn(missing, failure ?? 'apt-get installed the packages, but not these.')
  return { missing: missing.map(nameOf) }
}

/** The tools that test files need, installed or not; paths are from the root of the repository. */
export function toolsFor(files: readonly string[]): readonly DebianTool[] {
  const texts = textsOf(files)
  return debianTools.filter((tool) => texts.some((text) => text.includes(tool.sign ?? `'${nameOf(tool)}'`)))
}

/** The texts of the files and of everything they import. */
function textsOf(files: readonly string[]): string[] {
  const reachedFrom = importsIn(root)
  const reached = new Set(files.flatMap((file) => [...reachedFrom(file)]))
  // This file itself contains the names of all tools.
  reached.delete('test/debian-tools.ts')
  return [...reached].map((file) => readFileSync(join(root, file), 'utf8'))
}

/** Whether a command is on the PATH, so that a test can be skipped without it. */
export function hasTool(name: string): boolean {
  return toolPath(name) !== undefined
}

const installedPackages = '/var/lib/dpkg/info'

/** Whether a Debian package without a command is installed. The file list of a library has its architecture in its name. */
export function hasPackage(name: string): boolean {
  if (!existsSync(installedPackages)) return false
  const lists = readdirSync(installedPackages)
  return lists.some(
    (file) => file === `${name}.list` || (file.startsWith(`${name}:`) && file.endsWith('.list')),
  )
}

/** The absolute path of a command on the PATH; undefined when there is none. */
export function toolPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean)
  return folders.map((folder) => join(folder, name)).find(isExecutable)
}

function isInstalled({ command, package: name }: DebianTool): boolean {
  return command === undefined ? hasPackage(name) : hasTool(command)
}

function nameOf({ command, package: name }: DebianTool): string {
  return command ?? name
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the error message, or undefined after success. */
async function install(packages: string[]): Promise<string | undefined> {
  if (!hasTool('apt-get')) return 'This system has no apt-get.'
  if (process.getuid?.() !== 0) return 'apt-get needs root.'

  process.stderr.write(
    `Installing what tests need, once: ${packages.join(', ')} (apt-get, a minute or two)\n`,
  )
  try {
    // Another run may have been ended while it installed; apt-get refuses to go on after that.
    await run('dpkg', ['--configure', '-a'], { timeout: installTimeoutMs, maxBuffer: 64 * 1024 * 1024 })
    await aptGet(['update'], updateTimeoutMs)
    const installAll = () =>
      aptGet(['install', '-y', '--no-install-recommends', ...packages], installTimeoutMs)
    await withoutServices(() => withoutCluster(installAll))
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message.trim() : String(error)
  }
}

/** Read by the Postgres package during installation, in addition to Debian's own settings. */
const clusterSettings = '/etc/postgresql-common/createcluster.d/portico-tests.conf'

/** Called by Debian before a package starts its service (invoke-rc.d); exit code 101 forbids it. */
const servicePolicy = '/usr/sbin/policy-rc.d'

/** Installs without starting services, unless this machine has a policy of its own. */
async function withoutServices(installAll: () => Promise<void>): Promise<void> {
  if (existsSync(servicePolicy)) return installAll()
  writeFileSync(servicePolicy, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  try {
    await installAll()
  } finally {
    rmSync(servicePolicy, { force: true })
  }
}

/** Installs without the cluster that the Postgres package creates, because the tests have their own. */
async function withoutCluster(installAll: () => Promise<void>): Promise<void> {
  mkdirSync(dirname(clusterSettings), { recursive: true })
  writeFileSync(clusterSettings, 'create_main_cluster = false\n')
  try {
    await installAll()
  } finally {
    rmSync(clusterSettings, { force: true })
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

function warn(missing: readonly DebianTool[], failure: string): void {
  const rule = '!'.repeat(78)
  const lines = [
    rule,
    'SKIPPED TESTS: tools of the operating system are missing.',
    ...missing.map((tool) => `  ${nameOf(tool)} (Debian package ${tool.package}): skips ${tool.tests}`),
    failure,
    `To run them: apt-get install --no-install-recommends ${missing.map((tool) => tool.package).join(' ')}`,
    rule,
  ]
  process.stderr.write(`\n${lines.join('\n')}\n\n`)
}
