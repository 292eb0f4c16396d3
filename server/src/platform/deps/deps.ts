import type { Kysely } from 'kysely'
import type { Logger } from 'pino'
import type { Config } from '../config/config.js'
import type { Keys } from '../crypto/keys.js'
import type { KeyPair } from '../crypto/random.js'
import type { DB } from '../db/schema.js'
import type { Mailer } from '../mail/mailer.js'
import type { Metrics } from '../observability/metrics.js'
import type { Traces } from '../observability/traces.js'
import type { OpenIdProviders } from '../openid/providers.js'
import type { Outbound } from '../outbound/post.js'
import type { Names } from './names.js'
import type { KnownPasswords } from '../passwords/known-passwords.js'
import type { PasswordHasher } from '../passwords/password-hash.js'
import type { SmsSender } from '../sms/sender.js'

/** The connections of a process to the outside. Tests pass the same with a settable clock and recording senders. */
export interface PlatformDeps {
  readonly config: Config
  readonly db: Kysely<DB>
  /** For lists. In a request of the API that only reads a replica answers, where there is one (decision 52); else the primary. */
  readonly readDb: Kysely<DB>
  /** The only clock: every time that a statement stores or compares comes from here. */
  readonly now: () => Date
  readonly log: Logger
  readonly keys: Keys
  readonly mail: Mailer
  readonly sms: SmsSender
  readonly outbound: Outbound
  readonly openIdProviders: OpenIdProviders
  readonly metrics: Metrics
  /** Undefined where nobody collects them. */
  readonly traces?: Traces | undefined
  readonly passwords: PasswordHasher
  readonly knownPasswords: KnownPasswords
  /** Undefined where this database is the only one, or the first. */
  readonly names?: Names | undefined
  /** Makes the key of a connection. Tests reuse a few, because making one takes as long as forty requests. */
  readonly newRsaKeyPair: () => Promise<KeyPair>
}
