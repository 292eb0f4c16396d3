import type { AuthorizationRequest } from '@portico/contract/authorize'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { insertion, statement } from '../../platform/db/statement.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'

/** How long a browser counts as one whose user reads a mailbox; and after how long without use it no longer does. */
export const emailSessionLifetimeMs = 8 * 60 * 60 * 1000
const idleMs = 60 * 60 * 1000

/** How exactly the time of the last use is kept, which only the end without use reads: a list that is shown again writes nothing. */
const usePrecisionMs = 60 * 1000

/** An address whose owner has used a link of ours. */
export interface ProvedAddress {
  readonly email: string
  readonly emailNormalized: string
  readonly provedAt: Date
  /** An answer of the API had the link: its caller, too, may have opened it. */
  readonly isLinkReturned: boolean
}

/** The proof, kept in a browser, that its user reads a mailbox. It is no session of a user, and opens no application. */
export interface EmailSession extends ProvedAddress {
  readonly emailSessionId: string
}

/** The account and environment of an e-mail session. */
export interface EmailSessionOwner {
  readonly accountId: string
  readonly environment: string
}

/**
 * Opens the e-mail session of a mailbox that was just proved.
 *
 * @returns Its secret, which each proof has anew.
 */
export async function openEmailSession(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, environment }: EmailSessionOwner,
  { emailSessionId, email }: Pick<EmailSession, 'emailSessionId' | 'email'>,
): Promise<string> {
  const at = now()
  const secret = randomSecret()
  await insertSession(trx, {
    account_id: accountId,
    environment,
    id: emailSessionId,
    email,
    email_normalized: normalizeEmail(email),
    secret_hash: hashSecret(secret),
    proved_at: at,
    last_used_at: at,
    expires_at: new Date(at.getTime() + emailSessionLifetimeMs),
    inserted_at: at,
  })
  return secret
}

const insertSession = insertion('email_sessions')

/** The live e-mail session of a browser's cookie; undefined when it is over. */
export async function findEmailSession(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  owner: EmailSessionOwner,
  secret: string,
): Promise<EmailSession | undefined> {
  const [row] = await selectByCookie(db, { ...owner, secretHash: hashSecret(secret), ...timesAt(now()) })
  return row && toEmailSession(row)
}

/** The same, which counts as used by this. */
export async function useEmailSession(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  owner: EmailSessionOwner,
  secret: string,
): Promise<EmailSession | undefined> {
  const [row] = await touchByCookie(db, { ...owner, secretHash: hashSecret(secret), ...timesAt(now()) })
  return row && toEmailSession(row)
}

/** The same of a sign-in that has begun with it, by its id. */
export async function useEmailSessionOf(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  owner: EmailSessionOwner,
  emailSessionId: string,
): Promise<EmailSession | undefined> {
  const [row] = await touchById(db, { ...owner, emailSessionId, ...timesAt(now()) })
  return row && toEmailSession(row)
}

type SessionRow = Awaited<ReturnType<typeof selectByCookie>>[number]

function toEmailSession(row: SessionRow): EmailSession {
  return {
    emailSessionId: row.id,
    email: row.email,
    emailNormalized: row.email_normalized,
    provedAt: row.proved_at,
    isLinkReturned: false,
  }
}

function timesAt(at: Date) {
  return {
    at,
    idleSince: new Date(at.getTime() - idleMs),
    knownSince: new Date(at.getTime() - usePrecisionMs),
  }
}

type LiveKey = EmailSessionOwner & ReturnType<typeof timesAt>

type CookieKey = LiveKey & { readonly secretHash: Buffer }

const selectByCookie = statement((db, key: CookieKey) =>
  liveSession(db, key).where('secret_hash', '=', key.secretHash),
)

const touchByCookie = statement((db, key: CookieKey) =>
  touch(db, key, liveSession(db, key).where('secret_hash', '=', key.secretHash)),
)

const touchById = statement((db, key: LiveKey & { readonly emailSessionId: string }) =>
  touch(db, key, liveSession(db, key).where('id', '=', key.emailSessionId)),
)

function liveSession(db: Kysely<DB>, key: LiveKey) {
  return db
    .selectFrom('email_sessions')
    .where(ofEnvironment(key))
    .where('ended_at', 'is', null)
    .where('expires_at', '>', key.at)
    .where('last_used_at', '>', key.idleSince)
    .select(['id', 'email', 'email_normalized', 'proved_at'])
}

function touch(db: Kysely<DB>, key: LiveKey, live: ReturnType<typeof liveSession>) {
  return db
    .with('live', () => live)
    .with('touched', (cte) =>
      cte
        .updateTable('email_sessions')
        .set({ last_used_at: key.at })
        .where(ofEnvironment(key))
        .where('id', '=', sql<string>`(select live.id from live)`)
        .where('last_used_at', '<=', key.knownSince),
    )
    .selectFrom('live')
    .select(['id', 'email', 'email_normalized', 'proved_at'])
}

/** Ends the e-mail session of a browser's cookie: its user has signed out. */
export async function endEmailSession(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  owner: EmailSessionOwner,
  secret: string,
): Promise<void> {
  await endByCookie(db, { ...owner, secretHash: hashSecret(secret), at: now() })
}

/** The same of a sign-in that has begun with it, by its id. */
export async function endEmailSessionOf(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  owner: EmailSessionOwner,
  emailSessionId: string,
): Promise<void> {
  await endById(db, { ...owner, emailSessionId, at: now() })
}

const endByCookie = statement((db, key: EndingKey & { readonly secretHash: Buffer }) =>
  endOpen(db, key).where('secret_hash', '=', key.secretHash),
)

const endById = statement((db, key: EndingKey & { readonly emailSessionId: string }) =>
  endOpen(db, key).where('id', '=', key.emailSessionId),
)

type EndingKey = EmailSessionOwner & { readonly at: Date }

function endOpen(db: Kysely<DB>, key: EndingKey) {
  return db
    .updateTable('email_sessions')
    .set({ ended_at: key.at })
    .where(ofEnvironment(key))
    .where('ended_at', 'is', null)
}

/**
 * Whether a request accepts a proof as old as this: `login`, `select_account` and `create` ask for one of this sign-in, and max_age
 * for one that is not older.
 *
 * @param begunAt When the sign-in began; a proof of its own is always accepted.
 */
export function isProofAccepted(
  { prompt = [], max_age: maxAge }: AuthorizationRequest,
  provedAt: Date,
  { begunAt, at }: { readonly begunAt: Date; readonly at: Date },
): boolean {
  if (provedAt.getTime() >= begunAt.getTime()) return true
  if (prompt.some((value) => value === 'login' || value === 'select_account' || value === 'create'))
    return false
  return maxAge === undefined || at.getTime() - provedAt.getTime() <= maxAge * 1000
}
