import type { KeyObject } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.js'
import { readMasterKeys, readOrMakeMasterKeys } from '../platform/crypto/master-keys-file.js'
import { parseMasterKeys } from '../platform/crypto/seal.js'
import { closePool, connect, poolStateOf, promptDb, type ConnectOptions } from '../platform/db/connect.js'
import { startEmbedded, type EmbeddedPostgres } from '../platform/db/embedded.js'
import { checkMasterKeys, hasCanary } from '../platform/db/master-key-canary.js'
import { migrateDatabase, pendingMigrations } from '../platform/db/migrate.js'
import { checkPooling, findLackingSettings } from '../platform/db/pooler.js'
import { openPositions, readLogEnd } from '../platform/db/positions.js'
import type { DB } from '../platform/db/schema.js'
import type { Deps, OpenDeps } from '../delivery/deps.js'
import { openLimits } from '../delivery/limits/limits.js'
import { createLog, flushLog } from '../platform/observability/log.js'
import { openMailer } from '../platform/mail/mailer.js'
import { createMetrics } from '../platform/observability/metrics.js'
import { openTraces } from '../platform/observability/open-traces.js'
import { openOpenIdProviders } from '../platform/openid/providers.js'
import { openOutbound } from '../platform/outbound/post.js'
import { txtReader, type ReadTxt } from '../platform/outbound/txt.js'
import { openKnownPasswords } from '../platform/passwords/known-passwords.js'
import { openPasswordHasher, type PasswordCost } from '../platform/passwords/password-hash.js'
import { newRsaKeyPair } from '../platform/crypto/rsa-key-pair.js'
import { openSmsSender } from '../platform/sms/sender.js'
import { systemClock } from '../platform/system-clock.js'

export type { Deps, OpenDeps } from '../delivery/deps.js'

/** Replacements for what openDeps() would open itself. */
export interface GivenDeps extends GivenTools, GivenDatabase {}

interface GivenTools extends Partial<Pick<Deps, 'now' | 'log' | 'mail' | 'sms' | 'newRsaKeyPair'>> {
  /** An emulator has records of its own. */
  readonly readTxt?: ReadTxt
  /** A lower hashing cost for tests: at the normal one a password takes as long as fifty requests. */
  readonly passwordCost?: PasswordCost
  /** Tells the collector of the settings what the process does; commands do not. */
  readonly isTraced?: boolean
}

interface GivenDatabase {
  /** An embedded Postgres that is running already; close() stops it. */
  readonly embedded?: EmbeddedPostgres | undefined
  /** Read-only: runs no migration, creates and records no master keys, and leaves checking them to the caller. */
  readonly onlyLooks?: boolean
}

/** Opens what operations need, in order, and closes it in reverse. */
export async function openDeps(config: Config, given: GivenDeps = {}): Promise<OpenDeps> {
  const tools = await openTools(config, given)
  try {
    const opened = await openDatabase(tools, config, given)
    const close = async () => {
      await opened.close()
      await tools.close()
    }
    return { ...opened, close }
  } catch (error) {
    await tools.close()
    throw error
  }
}

/** What a process has once, whatever the number of its databases. */
export interface Tools extends Omit<Deps, 'config' | 'db' | 'readDb' | 'keys' | 'limits' | 'names'> {
  close(): Promise<void>
}

export async function openTools(config: Config, given: GivenTools = {}): Promise<Tools> {
  const now = given.now ?? systemClock
  const log = given.log ?? createLog(config)
  const metrics = createMetrics()
  const traces = given.isTraced === true ? await openTraces(config.traces, log) : undefined
  const mail = given.mail ?? openMailer(config)
  const sms = given.sms ?? openSmsSender(config.sms.provider, traces?.watchCall)
  const readTxt = given.readTxt ?? txtReader({ servers: config.dnsServers })
  const outbound = openOutbound(config.outbound, { readTxt, watch: traces?.watchCall })
  return {
    now,
    log,
    mail,
    sms,
    outbound,
    openIdProviders: openOpenIdProviders({ config, outbound, now }),
    metrics,
    traces,
    passwords: openPasswordHasher(metrics, given.passwordCost),
    knownPasswords: openKnownPasswords(config, metrics),
    newRsaKeyPair: given.newRsaKeyPair ?? newRsaKeyPair,
    async close() {
      outbound.close()
      sms.close()
      mail.close()
      await traces?.close()
      await flushLog(log)
    },
  }
}

/**
 * Opens a database for the operations on it. The tools stay open when it is closed.
 *
 * @param cell Its name, where there are several.
 */
export async function openDatabase(
  tools: Tools,
  config: Config,
  given: GivenDatabase & { readonly cell?: string | undefined } = {},
): Promise<OpenDeps> {
  const { onlyLooks = false, cell } = given
  const { now, log, metrics, traces } = tools
  const embedded =
    config.database.url === undefined
      ? (given.embedded ?? (await startEmbedded({ dataDir: config.dataDir })))
      : undefined

  type Own = Pick<ConnectOptions, 'url' | 'poolSize' | 'isPooled' | 'positions' | 'primary'>
  const pool = (role: string, own: Own) => {
    const name = cell === undefined ? role : `${cell} ${role}`
    const opened = connect({
      ...own,
      named: config.database.hasNamedStatements,
      log,
      onRoundTrip: () => metrics.roundTrips.inc(),
      onRefused: (reason) => metrics.connectionsRefused.inc({ pool: name, reason }),
      onStatement: traces && ((text, answer) => traces.onStatement(name, text, answer)),
    })
    metrics.watchPool(name, () => poolStateOf(opened))
    return opened
  }
  const url = embedded?.url ?? config.database.url ?? ''
  const { poolSize, readUrl, isPooled, maxLagMs } = config.database
  const positions =
    readUrl === undefined ? undefined : openPositions(maxLagMs, () => readLogEnd(promptDb(db)))
  const db = pool('primary', { url, poolSize, isPooled, positions })
  const primary = { db, onRead: metrics.countRead }
  const readDb =
    readUrl === undefined ? db : pool('replica', { url: readUrl, poolSize, isPooled, positions, primary })
  const directDb = pool('direct', { url: config.database.directUrl ?? url, poolSize: 2 })

  async function close(): Promise<void> {
    await Promise.all([...new Set([db, readDb, directDb])].map((opened) => closePool(opened)))
    await embedded?.stop()
  }

  try {
    if (embedded !== undefined && !onlyLooks) await migrateDatabase(embedded.url)
    if (embedded === undefined) await checkPooling(config.database)
    if (isPooled && !onlyLooks) await warnOfLackingSettings(db, log)
    const pending = await pendingMigrations(directDb)
    const keysInFolder = async () => {
      // New keys could not open what the database has, and would be taken for its own later.
      const makesNone = onlyLooks || (pending.length === 0 && (await hasCanary(directDb)))
      return makesNone ? readMasterKeys(config.dataDir) : readOrMakeMasterKeys(config.dataDir)
    }
    const master = parseMasterKeys(config.masterKeys ?? (await keysInFolder()))
    if (pending.length === 0 && !onlyLooks) await checkMasterKeys(directDb, master)
    const keys = { master, privateKeys: new Map<string, KeyObject>() }
    return {
      ...tools,
      config,
      db,
      readDb,
      directDb,
      keys,
      limits: openLimits({ config, db: promptDb(db), now, log, keys, metrics }),
      isAttached: embedded?.attached ?? false,
      databaseEnded: embedded?.ended ?? new Promise<never>(() => undefined),
      pendingMigrations: pending,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Behind a pooler nothing is set for a session, so that the limits of time and the plans depend on the role. */
async function warnOfLackingSettings(db: Kysely<DB>, log: Logger): Promise<void> {
  const lacking = await findLackingSettings(db)
  if (lacking === undefined) return
  const { found } = lacking
  log.warn({ found }, 'connections through the pooler lack settings: portico doctor says how to give them')
}
