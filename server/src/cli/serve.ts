import { channel } from 'node:diagnostics_channel'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { credentialsPath } from '../operations/accounts/credentials-file.js'
import { readConfig, type Config } from '../platform/config/config.js'
import { startEmbedded, type EmbeddedPostgres } from '../platform/db/embedded.js'
import { isLoopbackHost } from '../platform/loopback.js'
import type { RunningService } from '../app/processes.js'
import { switchLevelOnSignal } from './log-level.js'
import { print, type OutputOptions } from './output.js'
import { closeOnSignal } from './until-signal.js'

/** portico serve; it publishes its address on the diagnostics channel `portico.listening` once it listens. */
export function define(command: Command): void {
  command
    .option('--no-worker', 'leave the jobs to portico worker processes')
    .option('--json', 'tell the addresses as one line of JSON on stdout, and log to stderr')
    .action(serve)
}

interface ServeOptions extends OutputOptions {
  readonly worker: boolean
}

async function serve(options: ServeOptions): Promise<void> {
  const config = readConfig(options.terminal.variables)
  const service = await start(config, options)
  channel('portico.listening').publish({ address: service.address })
  const addresses = addressesOf(config, service)
  const { pendingMigrations: pending_migrations, firstAccount } = service
  const { consoleLink: console_link, ...first_account } = firstAccount ?? {}
  // Before the output: a signal may follow it at once.
  switchLevelOnSignal(service.log)
  const closed = closeOnSignal(service.close, options.terminal.tell, service.failed)
  const account = firstAccount && { first_account }
  print(options, { ...addresses, console_link, pending_migrations, ...account }, () => [
    `Portico   ${addresses.base_url}${config.isProduction ? ` (listens on ${service.address})` : ''}`,
    `Docs      ${addresses.docs}`,
    ...(addresses.outbox === undefined ? [] : [`Outbox    ${addresses.outbox} (the mail of the sandbox)`]),
    console_link === undefined
      ? `Console   ${addresses.console}`
      : `Console   ${console_link}  (for the first owner; works once, 24 h)`,
    `Metrics   ${addresses.metrics}`,
    `Process   ${process.pid}, which \`kill ${process.pid}\` ends`,
    ...nextSteps(config, service),
  ])
  await closed
}

/** Loads the program while the embedded Postgres starts in its own processes. */
async function start(config: Config, { worker, json }: ServeOptions): Promise<RunningService> {
  let starting: Promise<EmbeddedPostgres> | undefined
  if (config.database.url === undefined)
    await new Promise<unknown>((resolve, reject) => {
      starting = startEmbedded({ dataDir: config.dataDir, onSpawn: () => resolve(undefined) })
      starting.then(resolve, reject)
    })
  const [{ startService }, { stderrLog }, embedded] = await Promise.all([
    import('../app/processes.js'),
    import('./with-deps.js'),
    starting,
  ])
  return startService(config, { worker, embedded, ...(json && { log: stderrLog(config) }) })
}

function addressesOf(config: Config, service: RunningService) {
  const hasOutbox = isLoopbackHost(new URL(config.baseUrl).hostname) && config.mail.smtpUrl === undefined
  return {
    base_url: config.baseUrl,
    address: service.address,
    docs: `${config.baseUrl}/docs`,
    console: `${config.baseUrl}/console`,
    outbox: hasOutbox ? `${config.baseUrl}/outbox` : undefined,
    metrics: `${service.metricsAddress}/metrics`,
  }
}

function nextSteps(config: Config, { pendingMigrations, firstAccount }: RunningService): string[] {
  if (pendingMigrations.length > 0)
    return [
      `Not ready: the database lacks ${pendingMigrations.length} migrations. Run portico migrate; it takes part then.`,
    ]
  if (firstAccount === undefined) return []
  const { domain, credentials } = firstAccount
  const path = resolve(credentialsPath(config.dataDir))
  if (credentials === 'missing')
    return [
      `Keys      ${path} is not there; make a new key with:`,
      `          portico api-key create --account ${domain} --environment sandbox`,
    ]
  const form = `const c = require('${path}'); String(new URLSearchParams({ domain: c.domain, ...c.sandbox }))`
  return [
    `Keys      ${path} (account ${domain}${credentials === 'created' ? ', just made' : ''})`,
    `Try       curl ${config.baseUrl}/api/v2/oauth/token -d grant_type=client_credentials -d "$(node -p "${form}")"`,
  ]
}
