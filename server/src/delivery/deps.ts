import type { Kysely } from 'kysely'
import type { DB } from '../platform/db/schema.js'
import type { Limits } from './limits/limits.js'
import type { PlatformDeps } from '../platform/deps/deps.js'

/** What operations need. A function asks for the members that it uses: `Pick<Deps, 'db' | 'now'>`. */
export interface Deps extends PlatformDeps {
  readonly limits: Limits
}

export interface OpenDeps extends Deps {
  /** Migrations the database lacked when it was opened; starting the service never migrates an external database. */
  readonly pendingMigrations: readonly string[]
  /** Whether another process started the embedded database, which stops with that process. */
  readonly isAttached: boolean
  /** Resolves with a sentence for the operator when the embedded database has ended; never with one of your own. */
  readonly databaseEnded: Promise<string>
  /** Connections that do not go through a pooler, for migrations. */
  readonly directDb: Kysely<DB>
  close(): Promise<void>
}
