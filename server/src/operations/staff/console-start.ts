import type { Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { normalizeEmail } from '../../platform/email.js'
import { ApiError } from '../../platform/errors.js'
import { causeBy, ofUser, type Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { setUserRoles } from '../../directory/roles/user-roles.js'
import { openSession } from '../../directory/sessions/complete-sign-in.js'
import { admit, asApiError } from '../../directory/users/admit.js'
import { findUser } from '../../directory/users/signing-in-user.js'
import { hasActiveOwner, lockStaff } from './owners.js'
import {
  ensureStaffOrganization,
  findStaffOrganization,
  staffTenant,
  type StaffOrganization,
} from './staff-organization.js'

const linkLifetimeMs = 24 * 60 * 60 * 1000

/**
 * Makes the link by which an account gets its first owner. The link before works no more.
 *
 * @returns Undefined where the account has an owner, and on a service that others reach: whoever reads its terminal is not there.
 */
export async function makeConsoleLink(deps: Deps, accountId: string): Promise<string | undefined> {
  if (deps.config.isProduction) return undefined
  const staff = await ensureStaffOrganization(deps, accountId)
  // An owner may be made after this read: startConsole() reads again under the lock.
  if (await hasActiveOwner(deps.db, staff)) return undefined
  const token = randomSecret()
  const link = { token_hash: hashSecret(token), expires_at: endOfLink(deps.now()), used_at: null }
  await deps.db
    .insertInto('console_starts')
    .values({ account_id: accountId, ...link })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(link))
    .execute()
  return `${deps.config.baseUrl}/console/start?token=${token}`
}

function endOfLink(at: Date): Date {
  return new Date(at.getTime() + linkLifetimeMs)
}

/** The account whose first owner a token makes; undefined when it is wrong, used or over. It changes nothing. */
export async function findConsoleStart(
  { config, db, now }: Pick<Deps, 'config' | 'db' | 'now'>,
  token: string,
): Promise<{ readonly accountDomain: string } | undefined> {
  if (config.isProduction) return undefined
  // eslint-disable-next-line portico/tenant -- a link is its own proof
  const row = await db
    .selectFrom('console_starts')
    .innerJoin('accounts', 'accounts.id', 'console_starts.account_id')
    .where('console_starts.token_hash', '=', hashSecret(token))
    .where('console_starts.used_at', 'is', null)
    .where('console_starts.expires_at', '>', now())
    .select(['console_starts.account_id', 'accounts.domain'])
    .executeTakeFirst()
  return row && { accountDomain: row.domain }
}

interface FirstOwner {
  readonly token: string
  readonly email: string
  readonly name: string
  /** The User-Agent of the browser. */
  readonly userAgent: string | null
  readonly requestId: string
}

/** The session of the first owner, for the cookie of the browser. */
interface StartedConsole {
  readonly staff: StaffOrganization
  readonly secret: string
  readonly expiresAt: Date
}

/**
 * Makes the first owner of an account, with a session: who has the terminal of the service says whose address it is. A token works
 * once, while the account has no owner.
 *
 * @returns Undefined when the token is wrong, used or over.
 * @throws ApiError `email_taken` when a user has the address who may not sign in.
 */
export async function startConsole(deps: Deps, owner: FirstOwner): Promise<StartedConsole | undefined> {
  // A link that was printed before others could reach the service is worth nothing any more.
  const { isProduction } = deps.config
  if (isProduction) return undefined
  const cause = causeBy(owner.requestId, 'system', 'console_start')
  const { record } = await change(deps, cause, async (trx) => {
    const staff = await consumeStart(deps, trx, owner.token)
    if (staff === undefined) return { record: undefined }
    const tenant = staffTenant(staff, cause)
    const userId = await findOrAdmit(deps, trx, tenant, owner)
    await setUserRoles({ ...deps, db: trx }, tenant, { userId, roles: ['owner'] }, undefined)
    const secret = randomSecret()
    const signIn = {
      tenant: ofUser(tenant, userId),
      organizationId: staff.organizationId,
      userId,
      applicationId: staff.applicationId,
      amr: ['operator'],
      authenticatedAt: deps.now(),
    }
    const browser = { secretHash: hashSecret(secret), userAgent: owner.userAgent }
    const { expiresAt } = await openSession(deps, trx, signIn, browser)
    return { record: { staff, secret, expiresAt } }
  })
  return record
}

async function consumeStart(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  token: string,
): Promise<StaffOrganization | undefined> {
  const at = now()
  // eslint-disable-next-line portico/tenant -- a link is its own proof
  const started = await trx
    .updateTable('console_starts')
    .set({ used_at: at })
    .where('token_hash', '=', hashSecret(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', at)
    .returning('account_id')
    .executeTakeFirst()
  const staff = started && (await findStaffOrganization({ db: trx }, started.account_id))
  if (staff === undefined) return undefined
  await lockStaff(trx, staff)
  return (await hasActiveOwner(trx, staff)) ? undefined : staff
}

async function findOrAdmit(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, name }: FirstOwner,
): Promise<string> {
  const known = await findUser(trx, tenant, normalizeEmail(email))
  if (known?.active === false) throw new ApiError('email_taken')
  if (known !== undefined) return known.id
  const user = await admit(deps, trx, tenant, {
    via: 'api',
    id: newId(),
    email,
    emailVerified: true,
    // The form has one field, because nobody splits names rightly: what a user is called are both parts together.
    profile: { given_name: name },
  }).catch(asApiError)
  if (user === undefined) throw new ApiError('email_taken')
  return user.id
}
