import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { visitOf } from '../../delivery/mail/notices.js'
import { endSessionsOf } from '../../directory/end-sessions.js'
import { voidPasswordRequests, voidRenewals } from '../../directory/forget-password.js'
import { lockUser, type LockedUser } from '../../directory/users/change-user.js'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup, statement } from '../../platform/db/statement.js'
import { isOrganizationOf, ofTenant, sameTenant } from '../../platform/db/tenant-predicate.js'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import { causeBy, ofUser, type Tenant, type Visit } from '../../platform/tenant.js'
import { writeOwnAddress } from './confirm-own-email.js'
import { doubtedMs, emitEmailChange, keyOfChange, stopMs } from './email-change.js'
import { findOwnAccount } from './own-account.js'
import { logChange } from './own-email.js'
import { removeAddedSince } from './remove-added.js'

/** The link of a mail about a changed address, as a browser brings it. */
export interface ArrivedEmailLink {
  readonly organizationDomain: string
  readonly token: string
}

/** A link that works, as its page shows it. */
export interface OpenEmailLink {
  readonly environment: Environment
  /** The address that it puts back. */
  readonly oldEmail: string
}

interface TokenKey {
  readonly organizationDomain: string
  readonly tokenHash: Buffer
  readonly at: Date
}

const selectOpen = lookup((db, key: TokenKey) => openLinks(db, key))
const readOpen = statement((db, key: TokenKey) => openLinks(db, key))

function openLinks(db: Kysely<DB>, key: TokenKey) {
  return (
    db
      .selectFrom('email_changes as change')
      .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'change')))
      .innerJoin('accounts', 'accounts.id', 'change.account_id')
      .innerJoin('users', (join) =>
        join.on(sameTenant('users', 'change')).onRef('users.id', '=', 'change.user_id'),
      )
      .where('change.token_hash', '=', key.tokenHash)
        .where('change.expires_at', '>', key.at)
      .where('organizations.domain', '=', key.organizationDomain)
      .where('organizations.deleted_at', 'is', null)
      .where('users.deleted_at', 'is', null)
      // An operator who has changed the address since has the last word.
      .where(
        sql<boolean>`users.email = (
        select newest.email from email_changes as newest
        where ${sameTenant('newest', 'change')} and newest.user_id = change.user_id
          and newest.confirmed_at is not null and newest.reverted_at is null
        order by newest.confirmed_at desc, newest.id desc limit 1
      )`,
      )
      .select([
        'change.account_id',
        'accounts.domain as account_domain',
        sql<Environment>`change.environment`.as('environment'),
        'change.organization_id',
        'organizations.domain',
        'change.id',
        'change.user_id',
        'change.old_email',
        'change.confirmed_at',
        'users.email as current_email',
      ])
  )
}

function keyOf({ organizationDomain, token }: ArrivedEmailLink, at: Date): TokenKey {
  return { organizationDomain, tokenHash: hashSecret(token), at }
}

/** The link of a mail, which this does not use; undefined when it is unknown, or works no more. */
export async function findOpenEmailLink(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  arrived: ArrivedEmailLink,
): Promise<OpenEmailLink | undefined> {
  const [row] = await selectOpen(db, keyOf(arrived, now()))
  return row && { environment: row.environment, oldEmail: row.old_email }
}

/**
 * `taken`: another user has the address by now; `managed`: a directory writes it. The link stays as it is then, while sessions and
 * what was added lately end all the same.
 */
type RevertOutcome = 'reverted' | 'taken' | 'managed' | 'dead'

/** A refusal that takes back what its transaction has done. */
class NotReverted extends Error {
  override readonly name = 'NotReverted'
  constructor(readonly outcome: 'managed') {
    super(`not reverted: ${outcome}`)
  }
}

/** A link, arrived with a request. */
interface RevertRequest extends ArrivedEmailLink {
  readonly requestId: string
  readonly visit: Visit
}

/**
 * Puts the address of a user back, once: sessions and whatever was begun with the other address end, the ways to sign in that were
 * added shortly before the change or since are removed, and for some days the user does not change it.
 */
export async function revertEmailChange(deps: Deps, request: RevertRequest): Promise<RevertOutcome> {
  try {
    return await withLink(deps, request, revert)
  } catch (error) {
    const outcome = refusalOf(error)
    if (outcome === undefined) throw error
    // In a transaction of its own: that of the address has come to nothing.
    return outcome === 'dead' ? outcome : await withLink(deps, request, endDoubted(outcome))
  }
}

function refusalOf(error: unknown): Exclude<RevertOutcome, 'reverted'> | undefined {
  if (error instanceof NotReverted) return error.outcome
  if (!(error instanceof ApiError)) return undefined
  if (error.code === 'email_taken') return 'taken'
  // Deleted since the link was read.
  return goneCodes.has(error.code) ? 'dead' : undefined
}

type Work = (deps: Deps, trx: Transaction<DB>, tenant: Tenant, link: ReadLink) => Promise<RevertOutcome>

async function withLink(
  deps: Deps,
  { requestId, visit, ...arrived }: RevertRequest,
  work: Work,
): Promise<RevertOutcome> {
  const cause = { ...causeBy(requestId, 'system', 'email_change_page'), visit }
  const { record } = await change<{ record: RevertOutcome }>(deps, cause, async (trx) => {
    const [link] = await readOpen(trx, keyOf(arrived, deps.now()))
    if (link === undefined) return { record: 'dead' }
    const { account_id: accountId, account_domain: accountDomain, environment, domain } = link
    const tenant = ofUser(
      { accountId, accountDomain, environment, domain, organizationIds: null, cause },
      link.user_id,
    )
    return { record: await work(deps, trx, tenant, { ...link, tokenHash: hashSecret(arrived.token) }) }
  })
  return record
}

const goneCodes: ReadonlySet<string> = new Set(['user_not_found', 'organization_not_found'])

interface ReadLink {
  readonly id: string
  readonly user_id: string
  readonly old_email: string
  readonly current_email: string
  readonly confirmed_at: Date | null
  readonly tokenHash: Buffer
}

async function revert(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, user_id: userId, old_email: oldEmail, current_email: read, tokenHash }: ReadLink,
): Promise<RevertOutcome> {
  const current = await lockUser(trx, tenant, userId)
  if (current.email !== read) return 'dead'
  const account = await findOwnAccount(deps, trx, tenant, userId)
  if (account === undefined) return 'dead'
  const at = deps.now()
  const used = await trx
    .updateTable('email_changes')
    .where(ofTenant(tenant))
    .where('id', '=', id)
    .where('token_hash', '=', tokenHash)
    .where('confirmed_at', 'is not', null)
    .where('reverted_at', 'is', null)
    .where('expires_at', '>', at)
    .set({ reverted_at: at, expires_at: new Date(at.getTime() + stopMs), email: current.email })
    .returning([
      ...(['id', 'organization_id', 'user_id', 'old_email', 'email', 'old_proof'] as const),
      ...(['confirmed_at', 'reverted_at', 'inserted_at'] as const),
    ])
    .executeTakeFirst()
  if (used === undefined) return 'dead'
  if (account.isKeptByDirectory) throw new NotReverted('managed')
  // Links to the addresses that came after this one would bring them back.
  await trx
    .deleteFrom('email_changes')
    .where(ofTenant(tenant))
    .where('user_id', '=', userId)
    .where('id', '<>', id)
    .where((is) => is.or([is('confirmed_at', 'is', null), is('confirmed_at', '>=', used.confirmed_at ?? at)]))
    .execute()
  await endAll(deps, trx, tenant, current)
  await writeOwnAddress(deps, trx, tenant, { current, email: oldEmail })
  await removeDoubted(deps, trx, tenant, { id: userId, confirmedAt: used.confirmed_at ?? at })
  const key = keyOfChange(tenant, used)
  const entry = { account: key, userId, email: oldEmail }
  await logChange(deps, trx, tenant, { ...entry, code: 'ACCOUNT_EMAIL_CHANGE_REVERTED' })
  await emitEmailChange(deps, trx, tenant, 'user.email_change.revert.success', used)
  const told = { userId, told: 'reverted', ...visitOf(deps, tenant.cause) } as const
  const payload = { ...key, messageId: newId(), ...told }
  await enqueue(deps, trx, { name: 'send_email_change_notice', payload, accountId: key.accountId })
  return 'reverted'
}

/** What ends where the address cannot be put back. */
function endDoubted(outcome: 'taken' | 'managed'): Work {
  return async (deps, trx, tenant, { user_id: userId, confirmed_at: confirmedAt }) => {
    const current = await lockUser(trx, tenant, userId)
    await endAll(deps, trx, tenant, current)
    await removeDoubted(deps, trx, tenant, { id: userId, confirmedAt: confirmedAt ?? deps.now() })
    return outcome
  }
}

/** Ends sessions, and whatever was begun with the address that the user has. */
async function endAll(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, email }: Pick<LockedUser, 'id' | 'email'>,
): Promise<void> {
  await endSessionsOf(deps, trx, tenant, id)
  await voidPasswordRequests(deps, trx, tenant, normalizeEmail(email))
  await voidRenewals(deps, trx, tenant, id)
}

/** A thief adds a passkey, waits until it stands in for the mailbox, and is then asked for it in the place of the owner. */
function removeDoubted(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { id, confirmedAt }: { readonly id: string; readonly confirmedAt: Date },
): Promise<void> {
  return removeAddedSince(deps, trx, tenant, id, new Date(confirmedAt.getTime() - doubtedMs))
}
