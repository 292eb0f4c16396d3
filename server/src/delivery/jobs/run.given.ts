import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import type { Kysely } from 'kysely'
import { afterAll } from 'vitest'
import { readConfig } from '../../platform/config/config.js'
import { parseMasterKeys } from '../../platform/crypto/seal.js'
import { connect } from '../../platform/db/connect.js'
import { startEmbedded } from '../../platform/db/embedded.js'
import { migrateDatabase } from '../../platform/db/migrate.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../deps.js'
import { openLimits } from '../limits/limits.js'
import { createRecordingMailer } from '../../platform/mail/recording-mailer.js'
import { createMetrics } from '../../platform/observability/metrics.js'
import { openOpenIdProviders } from '../../platform/openid/providers.js'
import { openOutbound } from '../../platform/outbound/post.js'
import { openKnownPasswords } from '../../platform/passwords/known-passwords.js'
import { openPasswordHasher } from '../../platform/passwords/password-hash.js'
import { newRsaKeyPair } from '../../platform/crypto/rsa-key-pair.js'
import { createRecordingSmsSender } from '../../platform/sms/recording-sender.js'
import { insertJob } from './queue.js'

export const secondMs = 1000
export const dayMs = 24 * 60 * 60 * secondMs

/** A database with its queue, and a clock that the test controls. */
export interface Queue {
  readonly db: Kysely<DB>
  readonly deps: Deps
  now(): Date
  /** Advances the clock. */
  pass(ms: number): void
  /** Clears jobs and counts, and sets the clock to the start time of every test. */
  reset(): Promise<void>
  add(name: string, payload?: object): Promise<void>
  jobs(): ReturnType<typeof selectJobs>
  onlyJob(): Promise<Awaited<ReturnType<typeof selectJobs>>[number]>
}

/** Starts a Postgres for a test file, and stops it after the file. */
export async function startQueue(): Promise<Queue> {
  let clock = new Date(0)
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-jobs-'))
  const postgres = await startEmbedded({ dataDir, throwaway: true })
  const log = pino({ level: 'silent' })
  const config = readConfig({ DATA_DIR: dataDir, OUTBOUND_ALLOW: '127.0.0.0/8,::1' })
  const outbound = openOutbound(config.outbound)
  const db = connect({ url: postgres.url, poolSize: 20, named: true, log })
  afterAll(async () => {
    outbound.close()
    await db.destroy()
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  await migrateDatabase(postgres.url)
  const now = () => clock
  const keys = {
    master: parseMasterKeys(`v1:${Buffer.alloc(32, 1).toString('base64')}`),
    privateKeys: new Map(),
  }
  const metrics = createMetrics()
  const deps = {
    config,
    db,
    readDb: db,
    now,
    log,
    keys,
    mail: createRecordingMailer(),
    sms: createRecordingSmsSender(),
    outbound,
    openIdProviders: openOpenIdProviders({ config, outbound, now }),
    metrics,
    passwords: openPasswordHasher(metrics, { memorySize: 8, iterations: 1 }),
    knownPasswords: openKnownPasswords(config, metrics),
    limits: openLimits({ config, db, now, log, keys, metrics }),
    newRsaKeyPair,
  }
  return {
    db,
    deps,
    now,
    pass(ms) {
      clock = new Date(clock.getTime() + ms)
    },
    async reset() {
      clock = new Date('2026-03-14T09:00:00.000Z')
      await db.deleteFrom('jobs').execute()
      await db.deleteFrom('record_counts').execute()
    },
    async add(name, payload = {}) {
      const common = { key: null, accountId: null, runAt: clock, insertedAt: clock }
      await insertJob(db, { name, payload, ...common })
    },
    jobs: () => selectJobs(db),
    async onlyJob() {
      const [job, ...others] = await selectJobs(db)
      if (job === undefined || others.length > 0) throw new Error('there is not exactly one job')
      return job
    },
  }
}

function selectJobs(db: Kysely<DB>) {
  return db.selectFrom('jobs').selectAll().orderBy('id').execute()
}
