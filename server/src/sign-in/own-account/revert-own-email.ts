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
import { doubtedMs, emitEmailChange, findNewestEmail, keyOfChange, stopMs } from './email-change.js'
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
  return db
    .selectFrom('email_changes as change')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'change')))
    .innerJoin('accounts', 'accounts.id', 'change.account_id')
    .innerJoin('users', (join) =>
      join.on(sameTenant('users', 'change')).onRef('users.id', '=', 'change.user_id'),
    )
    .where('change.token_hash', '=', key.tokenHash)
    .where('change.reverted_at', 'is', null)
    .where('change.expires_at', '>', key.at)
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .where('users.deleted_at', 'is', null)
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

/** Why an address is not put back: another user has it by now, a directory writes it, or an operator has given the user another one. */
type Hindrance = 'taken' | 'managed' | 'overruled'

type RevertOutcome = 'reverted' | Hindrance | 'dead'

/** A link, arrived with a request. */
interface RevertRequest extends ArrivedEmailLink {
  readonly requestId: string
  readonly visit: Visit
}

/**
 * Puts the address of a user back, once: sessions and whatever was begun with the other address end, the ways to sign in that were
 * added shortly before the change or since are removed, and for some days the user does not change it. All but the address happens
 * also where something hinders it.
 */
export async function revertEmailChange(deps: Deps, request: RevertRequest): Promise<RevertOutcome> {
  try {
    return await withLink(deps, request, putBack)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    // Deleted since the link was read.
    if (goneCodes.has(error.code)) return 'dead'
    if (error.code !== 'email_taken') throw error
    // In a transaction of its own: that of the address has come to nothing.
    return withLink(deps, request, (link) => keepAddress(link, 'taken'))
  }
}

const goneCodes: ReadonlySet<string> = new Set(['user_not_found', 'organization_not_found'])

/** A link that is used by its transaction. */
interface UsedLink {
  readonly deps: Deps
  readonly trx: Transaction<DB>
  readonly tenant: Tenant
  readonly current: LockedUser
  readonly isKeptByDirectory: boolean
  /** Of the user's last change; another one than they have now is an operator's. */
  readonly newestEmail: string | undefined
  readonly used: NonNullable<Awaited<ReturnType<typeof takeLink>>>
}

async function withLink(
  deps: Deps,
  { requestId, visit, ...arrived }: RevertRequest,
  work: (link: UsedLink) => Promise<RevertOutcome>,
): Promise<RevertOutcome> {
  const cause = { ...causeBy(requestId, 'system', 'email_change_page'), visit }
  const { record } = await change<{ record: RevertOutcome }>(deps, cause, async (trx) => {
    const key = keyOf(arrived, deps.now())
    const [link] = await readOpen(trx, key)
    if (link === undefined) return { record: 'dead' }
    const {
      account_id: accountId,
      account_domain: accountDomain,
      environment,
      domain,
      user_id: userId,
    } = link
    const place = { accountId, accountDomain, environment, domain, organizationIds: null, cause }
    const tenant = ofUser(place, userId)
    const current = await lockUser(trx, tenant, userId)
    const account = await findOwnAccount(deps, trx, tenant, userId)
    const newestEmail = await findNewestEmail(trx, tenant, { userId })
    const used = await takeLink(trx, tenant, { ...key, id: link.id, email: current.email })
    if (account === undefined || used === undefined) return { record: 'dead' }
    const { isKeptByDirectory } = account
    return { record: await work({ deps, trx, tenant, current, isKeptByDirectory, newestEmail, used }) }
  })
  return record
}

interface TakenLink extends TokenKey {
  readonly id: string
  /** That the user has. */
  readonly email: string
}

/** Uses a link, once; of two at the same time the second one finds it used. */
function takeLink(trx: Transaction<DB>, tenant: Tenant, { id, tokenHash, at, email }: TakenLink) {
  return trx
    .updateTable('email_changes')
    .where(ofTenant(tenant))
    .where('id', '=', id)
    .where('token_hash', '=', tokenHash)
    .where('confirmed_at', 'is not', null)
    .where('reverted_at', 'is', null)
    .where('expires_at', '>', at)
    .set({ reverted_at: at, expires_at: new Date(at.getTime() + stopMs), email })
    .returning([
      ...(['id', 'organization_id', 'user_id', 'old_email', 'email', 'old_proof'] as const),
      ...(['confirmed_at', 'reverted_at', 'inserted_at'] as const),
    ])
    .executeTakeFirst()
}

async function putBack(link: UsedLink): Promise<RevertOutcome> {
  const { deps, trx, tenant, current, used } = link
  if (link.isKeptByDirectory) return keepAddress(link, 'managed')
  if (link.newestEmail !== current.email) return keepAddress(link, 'overruled')
  // Links to the addresses that came after this one would bring them back.
  await trx
    .deleteFrom('email_changes')
    .where(ofTenant(tenant))
    .where('user_id', '=', used.user_id)
    .where('id', '<>', used.id)
    .where((is) =>
      is.or([is('confirmed_at', 'is', null), is('confirmed_at', '>=', used.confirmed_at ?? deps.now())]),
    )
    .execute()
  await endWhatWasBegun(link)
  await writeOwnAddress(deps, trx, tenant, { current, email: used.old_email })
  await removeLatelyAdded(link)
  const key = keyOfChange(tenant, used)
  const { user_id: userId, old_email: email } = used
  await logChange(deps, trx, tenant, { account: key, userId, email, code: 'ACCOUNT_EMAIL_CHANGE_REVERTED' })
  await emitEmailChange(deps, trx, tenant, 'user.email_change.revert.success', used)
  const told = { userId, told: 'reverted', ...visitOf(deps, tenant.cause) } as const
  const payload = { ...key, messageId: newId(), ...told }
  await enqueue(deps, trx, { name: 'send_email_change_notice', payload, accountId: key.accountId })
  return 'reverted'
}

/** Does all that putting the address back does, and leaves the address. */
async function keepAddress(link: UsedLink, reason: Hindrance): Promise<Hindrance> {
  const { deps, trx, tenant, used } = link
  await endWhatWasBegun(link)
  await removeLatelyAdded(link)
  const entry = { account: keyOfChange(tenant, used), userId: used.user_id, email: used.old_email, reason }
  await logChange(deps, trx, tenant, { ...entry, code: 'ACCOUNT_EMAIL_CHANGE_FAILED' })
  return reason
}

/** Ends sessions, and whatever was begun with the address that the user has. */
async function endWhatWasBegun({ deps, trx, tenant, current }: UsedLink): Promise<void> {
  await endSessionsOf(deps, trx, tenant, current.id)
  await voidPasswordRequests(deps, trx, tenant, normalizeEmail(current.email))
  await voidRenewals(deps, trx, tenant, current.id)
}

/** A thief adds a passkey, waits until it stands in for the mailbox, and is then asked for it in the place of the owner. */
function removeLatelyAdded({ deps, trx, tenant, current, used }: UsedLink): Promise<void> {
  const changedAt = used.confirmed_at ?? deps.now()
  return removeAddedSince(deps, trx, tenant, current.id, new Date(changedAt.getTime() - doubtedMs))
}
