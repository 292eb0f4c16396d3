import { sql, type Kysely } from 'kysely'
import { reseal, SealError, type MasterKeys, type SealContext } from '../../platform/crypto/seal.js'
import { canaryContext } from '../../platform/db/master-key-canary.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { answerContext } from '../../delivery/events/idempotency.js'
import { linkCodeContext } from '../../sign-in/magic-link/link-code.js'
import { codeVerifierContext } from '../../sso/oidc/request.js'
import { keptClientContext } from '../../sso/onboarding/client-upload.js'
import { adminCodeContext } from '../../sso/onboarding/code.js'
import { pepperContext } from '../../sign-in/password/pepper.js'
import { sealContext } from '../../tokens/signing-keys/signing-keys.js'
import { ssoKeyContext } from '../../sso/connections/keys.js'
import { emailChangeContext } from '../../sign-in/own-account/email-change.js'
import { passkeyCodesContext } from '../../sign-in/passkeys/recovery-codes.js'
import { socialArrivalContext } from '../../sign-in/flows/social-arrival.js'
import { socialSecretContext } from '../../sso/social/client-secret.js'
import { socialVerifierContext } from '../../sso/social/request.js'
import { clientSecretContext } from '../../sso/connections/oidc-clients.js'
import { arrivalContext } from '../../sso/sign-in/arrival.js'
import {
  challengeContext,
  enrollmentContext,
  type TotpOwner,
  type TotpSecretKind,
} from '../../sign-in/totp/sealed.js'
import { signatureKeyContext } from '../../delivery/webhooks/signature-keys.js'

/** A column of sealed values, and their contexts. */
export interface SealedColumn {
  readonly table: keyof DB
  readonly column: string
  readonly contextOf: (named: Named) => SealContext
}

const totpSecrets: readonly (readonly [column: string, kind: TotpSecretKind])[] = [
  ['secret_sealed', 'secret'],
  ['recovery_codes_sealed', 'recovery_codes'],
  ['pending_secret_sealed', 'secret'],
  ['pending_code_sealed', 'code'],
  ['pending_recovery_codes_sealed', 'recovery_codes'],
]

const arrivalSecrets = [
  ['identity_sealed', 'identity'],
  ['code_sealed', 'code'],
] as const

/** The text of a column of the row, by the column's name. */
type Named = (column: string) => string

function ownerOf(named: Named) {
  return {
    accountId: named('account_id'),
    environment: named('environment'),
    organizationId: named('organization_id'),
  }
}

function totpOwner(named: Named): TotpOwner {
  return { ...ownerOf(named), userId: named('user_id') }
}

function connectionOf(named: Named) {
  return { ...ownerOf(named), connectionId: named('connection_id') }
}

function adminSessionOf(named: Named) {
  return {
    accountId: named('account_id'),
    organizationId: named('organization_id'),
    sessionId: named('id'),
  }
}

/** Postgres writes bytea as \x and its digits. */
function toBytes(text: string): Buffer {
  return Buffer.from(text.slice(2), 'hex')
}

/** Every column that holds sealed values. A new one is added here; listing fails when one is missing. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'master_key_canary', column: 'sealed', contextOf: () => canaryContext },
  {
    table: 'signing_keys',
    column: 'private_key_sealed',
    contextOf: (named) => sealContext(ownerOf(named), named('kid')),
  },
  {
    table: 'idempotency_keys',
    column: 'answer_sealed',
    contextOf: (named) =>
      answerContext({
        accountId: named('account_id'),
        environment: named('environment'),
        callerId: named('api_key_id'),
        keyHash: toBytes(named('key_hash')),
      }),
  },
  {
    table: 'password_peppers',
    column: 'key_sealed',
    contextOf: (named) => pepperContext(ownerOf(named), Number(named('version'))),
  },
  ...totpSecrets.map(([column, kind]): SealedColumn => ({
    table: 'totp_enrollments',
    column,
    contextOf: (named) => enrollmentContext(kind, totpOwner(named)),
  })),
  {
    table: 'passkey_recovery_codes',
    column: 'codes_sealed',
    contextOf: (named) => passkeyCodesContext(totpOwner(named)),
  },
  {
    table: 'totp_challenges',
    column: 'code_sealed',
    contextOf: (named) => challengeContext(named('id'), totpOwner(named)),
  },
  {
    table: 'sign_in_flows',
    column: 'link_code_sealed',
    contextOf: (named) => linkCodeContext({ ...ownerOf(named), flowId: named('id') }),
  },
  {
    table: 'account_flows',
    column: 'link_code_sealed',
    contextOf: (named) =>
      linkCodeContext({
        accountId: named('account_id'),
        environment: named('environment'),
        flowId: named('id'),
      }),
  },
  {
    table: 'sso_admin_sessions',
    column: 'code_sealed',
    contextOf: (named) => adminCodeContext(adminSessionOf(named)),
  },
  {
    table: 'sso_admin_sessions',
    column: 'upload_client_sealed',
    contextOf: (named) => keptClientContext(adminSessionOf(named)),
  },
  {
    table: 'sso_keys',
    column: 'private_key_sealed',
    contextOf: (named) => ssoKeyContext(connectionOf(named), named('id')),
  },
  {
    table: 'saml_arrivals',
    column: 'assertion_sealed',
    contextOf: (named) => arrivalContext(connectionOf(named), toBytes(named('token_hash'))),
  },
  {
    table: 'sso_oidc_clients',
    column: 'client_secret_sealed',
    contextOf: (named) => clientSecretContext(connectionOf(named), Number(named('version'))),
  },
  {
    table: 'oidc_requests',
    column: 'code_verifier_sealed',
    contextOf: (named) => codeVerifierContext(connectionOf(named), toBytes(named('state_hash'))),
  },
  {
    table: 'social_providers',
    column: 'client_secret_sealed',
    contextOf: (named) =>
      socialSecretContext({
        accountId: named('account_id'),
        environment: named('environment'),
        providerId: named('id'),
      }),
  },
  {
    table: 'social_requests',
    column: 'code_verifier_sealed',
    contextOf: (named) => socialVerifierContext(ownerOf(named), toBytes(named('state_hash'))),
  },
  ...arrivalSecrets.map(([column, kind]): SealedColumn => ({
    table: 'social_arrivals',
    column,
    contextOf: (named) => socialArrivalContext(kind, { ...ownerOf(named), flowId: named('flow_id') }),
  })),
  {
    table: 'email_changes',
    column: 'code_sealed',
    contextOf: (named) => emailChangeContext({ ...ownerOf(named), changeId: named('id') }),
  },
  ...['signature_key_sealed', 'previous_signature_key_sealed'].map((column): SealedColumn => ({
    table: 'webhooks',
    column,
    contextOf: (named) =>
      signatureKeyContext({
        accountId: named('account_id'),
        environment: named('environment'),
        id: named('id'),
      }),
  })),
]

/** The columns that the context of a sealed column is made of, as one JSON object of their texts. */
export function namingOf({ contextOf }: SealedColumn) {
  const names: string[] = []
  contextOf((name) => {
    names.push(name)
    return ''
  })
  return sql`json_build_object(${sql.join(names.flatMap((name) => [sql.lit(name), sql`${sql.ref(name)}::text`]))})`
}

export interface SealedCount {
  readonly table: string
  readonly column: string
  /** The version of the master key, for example v1. */
  readonly version: string
  readonly count: number
}

const batchSize = 2_000

/** How many values each version of the master keys seals, of all there are. */
export async function countSealed<Tables>(db: Kysely<Tables>): Promise<SealedCount[]> {
  await checkAllKnown(db)
  return countKnown(db)
}

/** The same, of the columns that this release knows. */
export async function countKnown<Tables>(db: Kysely<Tables>): Promise<SealedCount[]> {
  const counts: SealedCount[] = []
  for (const { table, column } of sealedColumns) {
    const { rows } = await sql<{ version: number; count: string }>`
      select get_byte(${sql.ref(column)}, 1) * 256 + get_byte(${sql.ref(column)}, 2) as version, count(*) as count
      from ${sql.table(table)} where octet_length(${sql.ref(column)}) >= 3
      group by 1 order by 1`.execute(db)
    counts.push(
      ...rows.map(({ version, count }) => ({ table, column, version: `v${version}`, count: Number(count) })),
    )
  }
  return counts
}

/**
 * Seals anew, under the current master key, every value that another one sealed. After an interruption the finished
 * batches stay; running it again does the rest.
 *
 * @returns How many values were sealed anew.
 * @throws Error a sentence when some value is sealed with a master key that is not configured.
 */
export async function rewrapSealed(
  { db, keys: { master } }: Pick<Deps, 'db' | 'keys'>,
  onProgress: (done: number, total: number) => void,
): Promise<number> {
  const outdated = (await countSealed(db)).filter(({ version }) => version !== master.currentVersion)
  checkConfigured(outdated, master)
  const total = outdated.reduce((sum, { count }) => sum + count, 0)
  let done = 0
  for (const column of sealedColumns) {
    for (;;) {
      const batch = await findOutdated(db, column, master)
      if (batch.length === 0) break
      done += await replaceBatch(db, column, batch, master)
      onProgress(done, total)
    }
  }
  return done
}

function checkConfigured(counts: readonly SealedCount[], master: MasterKeys): void {
  const missing = counts.find(({ version }) => !master.byVersion.has(version))
  if (missing === undefined) return
  throw new Error(
    `${missing.count} values in ${missing.table} are sealed with master key ${missing.version}, which is not in ` +
      'MASTER_KEYS: add it after the current one and run the command again.',
  )
}

interface OutdatedRow {
  readonly place: string
  readonly sealed: Buffer
  readonly naming: Record<string, string>
}

async function findOutdated(
  db: Kysely<DB>,
  sealed: SealedColumn,
  master: MasterKeys,
): Promise<OutdatedRow[]> {
  const current = Buffer.alloc(2)
  current.writeUInt16BE(Number(master.currentVersion.slice(1)))
  const { table, column } = sealed
  const { rows } = await sql<OutdatedRow>`
    select ctid::text as place, ${sql.ref(column)} as sealed, ${namingOf(sealed)} as naming
    from ${sql.table(table)}
    where ${sql.ref(column)} is not null and substring(${sql.ref(column)} from 2 for 2) <> ${current}
    limit ${batchSize}`.execute(db)
  return rows
}

/** Skips rows that changed since they were read: they are found again. */
async function replaceBatch(
  db: Kysely<DB>,
  { table, column, contextOf }: SealedColumn,
  batch: readonly OutdatedRow[],
  master: MasterKeys,
): Promise<number> {
  const fresh = batch.map(({ sealed, naming }) =>
    resealed(
      master,
      contextOf((name) => naming[name] ?? ''),
      sealed,
    ),
  )
  const { numAffectedRows = 0n } = await sql`
    update ${sql.table(table)} as row set ${sql.ref(column)} = batch.fresh
    from unnest(
      ${batch.map(({ place }) => place)}::tid[], ${batch.map(({ sealed }) => sealed)}::bytea[], ${fresh}::bytea[]
    ) as batch (place, sealed, fresh)
    where row.ctid = batch.place and row.${sql.ref(column)} = batch.sealed`.execute(db)
  return Number(numAffectedRows)
}

function resealed(master: MasterKeys, context: SealContext, sealed: Buffer): Buffer {
  try {
    return reseal(master, context, sealed)
  } catch (error) {
    if (!(error instanceof SealError)) throw error
    throw new Error(
      `${error.message} Restore this record from a backup, or remove it, and run the command again.`,
      {
        cause: error,
      },
    )
  }
}

/** Values of a column missing in the list would be lost with the old master key. */
async function checkAllKnown<Tables>(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select table_name as table, column_name as column from information_schema.columns
    where table_schema = current_schema() and data_type = 'bytea' and column_name like '%sealed'`.execute(db)
  const isKnown = ({ table, column }: { table: string; column: string }) =>
    sealedColumns.some((known) => known.table === table && known.column === column)
  const forgotten = rows.find((row) => !isKnown(row))
  if (forgotten !== undefined)
    throw new Error(
      `This version does not know what ${forgotten.table}.${forgotten.column} seals: ` +
        'use the newest one that has migrated the database.',
    )
}
