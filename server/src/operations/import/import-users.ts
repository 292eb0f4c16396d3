import type { Kysely, Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change } from '../../delivery/events/change.js'
import { createIn, creation } from '../../delivery/events/create.js'
import { emit } from '../../delivery/events/emit.js'
import { insertPasswords } from '../../sign-in/password/stored-password.js'
import type { Tenant } from '../../platform/tenant.js'
import { lockDeclaredKeys, type DeclaredKey } from '../../directory/meta-keys/declared-keys.js'
import { normalizeEmail } from '../../platform/email.js'
import { countPolicySeats, hasSeat, type Seats } from '../../directory/organization-policy/seats.js'
import { atDoor, insertAdmitted, revokeHeld } from '../../directory/users/admit.js'
import { lockPendingInvitations } from '../../directory/pending-invitations/pending.js'
import { emissionOfNewUser, userInsertion, type UserInsertion } from '../../directory/users/insert-user.js'
import { valuesByKey, writeValues } from '../../directory/users/stored-metadata.js'
import { readUser, toChangedUser, usersOf } from '../../directory/users/whole-user.js'
import { toFaultSentence, toImportableUser, type ImportableUser } from './importable-user.js'
import { countLines, maxLineBytes, readLines, type Line } from './read-lines.js'
import { ofTenant } from '../../platform/db/tenant-predicate.js'

/** The outcome of the lines of a file, without the empty ones. */
interface ImportSummary {
  readonly made: number
  readonly already_there: number
  readonly refused: number
}

/** The tenant of the users, with the id of the organization, because passwords are wrapped for it. */
export type ImportTenant = Tenant & { readonly organizationId: string }

interface Reports {
  readonly onProgress: (done: number, total: number) => void
  /** Called with the fault of a line, without the line's content. */
  readonly onFault: (line: number, sentence: string) => void
}

/** Users per transaction: the most that an interrupted import has to repeat. */
const batchSize = 200

/**
 * Creates a user for each line of a file, with the hash of their password. A user whose address exists stays unchanged,
 * password included, so that an interrupted import is simply run again. A faulty line is reported and does not stop the
 * others.
 *
 * @throws Error a sentence when a line has a hash and the organization has no password connection.
 * @throws ApiError `organization_not_found`
 */
export async function importUsers(
  deps: Deps,
  tenant: ImportTenant,
  file: string,
  { onProgress, onFault }: Reports,
): Promise<ImportSummary> {
  const total = await countLines(file)
  const summary = { made: 0, already_there: 0, refused: 0 }
  const refuse = ({ line, sentence }: Fault) => {
    summary.refused += 1
    onFault(line, sentence)
  }
  let batch: ImportableUser[] = []
  let needsConnection = true
  const importBatch = async () => {
    if (needsConnection && batch.some(({ hash }) => hash !== undefined)) {
      await checkPasswordConnection(deps, tenant)
      needsConnection = false
    }
    const { record } = await change(deps, tenant.cause, (trx) => insertBatch(deps, trx, tenant, batch))
    summary.made += record.made
    summary.already_there += record.already_there
    record.faults.forEach(refuse)
    batch = []
  }
  for await (const line of readLines(file)) {
    const read = readUserOf(tenant, line)
    if (read !== undefined && 'sentence' in read) refuse(read)
    else if (read !== undefined) batch.push(read)
    if (batch.length < batchSize) continue
    await importBatch()
    onProgress(line.number, total)
  }
  await importBatch()
  onProgress(total, total)
  return summary
}

interface Fault {
  readonly line: number
  readonly sentence: string
}

/** The user of a line, or its fault; undefined for an empty line. */
function readUserOf(tenant: Tenant, { number, bytes }: Line): ImportableUser | Fault | undefined {
  if (bytes === undefined) return { line: number, sentence: `It is longer than ${maxLineBytes / 1000} kB.` }
  if (bytes.toString('latin1').trim() === '') return undefined
  try {
    return toImportableUser(tenant, number, bytes)
  } catch (error) {
    return toFault(number, error)
  }
}

function toFault(line: number, error: unknown): Fault {
  if (!(error instanceof ApiError)) throw error
  return { line, sentence: toFaultSentence(error) }
}

async function checkPasswordConnection({ db }: Pick<Deps, 'db'>, tenant: Tenant): Promise<void> {
  const connection = await db
    .selectFrom('password_connections')
    .where(ofTenant(tenant))
    .select('id')
    .executeTakeFirst()
  if (connection === undefined)
    throw new Error(
      `${tenant.domain} has no password connection in ${tenant.environment}, which a password_hash needs: make it by ` +
        `POST /api/v2/org/${tenant.domain}/password-connection, or leave the hashes out.`,
    )
}

function insertOnce(db: Kysely<DB>, user: UserInsertion) {
  return insertAdmitted('import', db, user).onConflict((conflict) =>
    conflict
      .columns(['account_id', 'environment', 'organization_id', 'email_normalized'])
      .where('deleted_at', 'is', null)
      .doNothing(),
  )
}

const insertUserRow = statement((db, user: UserInsertion) => insertOnce(db, user).returning('users.id'))
const insertWholeUser = creation((db, user: UserInsertion) =>
  insertOnce(db, user).returning('users.organization_id'),
)

interface BatchOutcome {
  readonly made: number
  readonly already_there: number
  readonly faults: readonly Fault[]
}

/** Creates the users of a batch with their events and passwords, in one transaction. */
async function insertBatch(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: ImportTenant,
  batch: readonly ImportableUser[],
): Promise<{ record: BatchOutcome }> {
  const declared = await lockDeclaredKeys(trx, tenant)
  const outcome = { made: 0, already_there: 0, faults: new Array<Fault>() }
  const passwords: { userId: string; hash: string }[] = []
  // Newcomers by other doors wait for the batch, which counts the seats once.
  const at = deps.now()
  const emails = batch.map(({ input }) => normalizeEmail(input.email)).toSorted()
  const invited = new Map(
    (await lockPendingInvitations(trx, tenant, emails)).map((row) => [row.email_normalized, row]),
  )
  const seats = await countPolicySeats(trx, tenant)
  // In the order of the addresses, like every other import: two at once cannot deadlock.
  for (const user of batch.toSorted(byAddress)) {
    const values = valuesOf(user, declared)
    if ('sentence' in values) {
      outcome.faults.push(values)
      continue
    }
    const free = { ...seats, taken: seats.taken + outcome.made }
    const userId = await insertUser(deps, trx, tenant, user, { values, seats: free })
    const invitation = invited.get(normalizeEmail(user.input.email))
    if (userId !== undefined && invitation !== undefined)
      await revokeHeld(deps, trx, tenant, { invitation, at })
    if (userId !== undefined) outcome.made += 1
    else if (!hasSeat(free) && !(await isThere(trx, tenant, user))) outcome.faults.push(withoutSeat(user))
    else outcome.already_there += 1
    if (userId !== undefined && user.hash !== undefined) passwords.push({ userId, hash: user.hash })
  }
  if (passwords.length > 0) await insertPasswords(deps, trx, tenant, passwords)
  return { record: { ...outcome, faults: outcome.faults.toSorted((a, b) => a.line - b.line) } }
}

function byAddress({ input: a }: ImportableUser, { input: b }: ImportableUser): number {
  const [first, second] = [normalizeEmail(a.email), normalizeEmail(b.email)]
  if (first === second) return 0
  return first < second ? -1 : 1
}

function valuesOf({ line, input }: ImportableUser, declared: readonly DeclaredKey[]) {
  try {
    return valuesByKey(declared, input.metadata ?? [])
  } catch (error) {
    return toFault(line, error)
  }
}

async function isThere(trx: Transaction<DB>, tenant: Tenant, { input }: ImportableUser): Promise<boolean> {
  const found = await usersOf(trx, tenant)
    .where('users.email_normalized', '=', normalizeEmail(input.email))
    .select('users.id')
    .executeTakeFirst()
  return found !== undefined
}

function withoutSeat({ line }: ImportableUser): Fault {
  return { line, sentence: 'The organization has as many users as its policy allows.' }
}

/** What a batch knows of a line before its user is inserted. */
interface Prepared {
  readonly values: ReadonlyMap<string, string>
  readonly seats: Seats
}

/** @returns The user's id; undefined when the address is taken, or no seat is left. */
async function insertUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { input, phoneNumbers }: ImportableUser,
  { values, seats }: Prepared,
): Promise<string | undefined> {
  if (!hasSeat(seats)) return undefined
  const id = newId()
  const emailVerified = input.email_verified
  const user = {
    ...userInsertion(deps, tenant, { id, input, emailVerified, phoneNumbers }),
    isHeld: true,
  }
  if (values.size === 0) {
    const emission = emissionOfNewUser(user, tenant)
    const created = await createIn(deps, trx, atDoor('import', tenant), {
      insert: insertWholeUser,
      parameters: user,
      emission,
    })
    return created && id
  }
  const [inserted] = await insertUserRow(trx, user)
  if (inserted === undefined) return undefined
  await writeValues(trx, tenant, id, values)
  const row = await readUser(trx, tenant, id)
  await emit(deps, trx, atDoor('import', tenant), {
    code: 'user.user.create.success',
    ...toChangedUser(row, tenant),
  })
  return id
}
