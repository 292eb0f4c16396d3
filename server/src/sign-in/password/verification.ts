import type { RefusalReason } from '@portico/contract/log-events'
import type { Kysely, Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { logEvent, type LogEntry } from '../../delivery/log-events/log-event.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { onlyAddressee, type SoughtAddress } from '../../directory/sessions/addressee.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { usersOf } from '../../directory/users/whole-user.js'
import { attemptSignIn, type SignInAttempt } from '../flows/attempts.js'
import { checkPasswordConnection, passwordAddresseesOf } from './addressee.js'
import { hasAllowedLength } from './policy.js'
import { openPassword, upgradePassword, type StoredPassword } from './stored-password.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A password sent for an address. */
interface SentPassword {
  readonly typedEmail: string
  /** Domain of the organization; undefined: the one that allows the domain of the address. */
  readonly domain: string | undefined
  readonly plainText: string
}

/** A password attempt: its organization, user and destination. */
export interface PasswordAttempt<Destination> {
  readonly tenant: Tenant
  readonly addressee: Addressee
  readonly destination: Destination
  readonly attempt: SignInAttempt
  /** Normalized. */
  readonly email: string
  readonly typedEmail: string
}

/** The same, with the verified password. */
export interface VerifiedPassword<Destination> extends PasswordAttempt<Destination> {
  readonly password: StoredPassword
  readonly isRenewalDue: boolean
  /** Replaces a hash made with outdated parameters. */
  readonly newHash: string | undefined
}

/** The outcome of a verification: the reason of a refusal, only for the log, or the verified password. */
type PasswordVerification<Destination> =
  | { readonly refused: PasswordAttempt<Destination>; readonly reason: RefusalReason }
  | { readonly passed: VerifiedPassword<Destination> }

/**
 * Verifies a password, and counts the attempt. Every request costs one verification of one hash, whatever the user.
 *
 * @param destinationOf The destination of the sign-in, in the organization that was found.
 * @throws ApiError `organization_not_found`, `password_connection_not_found`, `connection_inactive`,
 *   `email_domain_not_allowed`, `sso_required`, `rate_limited`, and what `destinationOf` throws
 */
export async function verifyPassword<Destination>(
  deps: Deps,
  caller: Caller,
  { typedEmail, domain, plainText }: SentPassword,
  destinationOf: (tenant: Caller & Tenant) => Destination | Promise<Destination>,
): Promise<PasswordVerification<Destination>> {
  const email = normalizeEmail(typedEmail)
  const addressee = await findAddressee(deps.db, caller, { email, domain })
  checkPasswordConnection(addressee, email)
  const tenant = { ...caller, domain: addressee.domain }
  const destination = await destinationOf(tenant)
  const password = passwordOf(deps, tenant, addressee)
  // A request refused for lack of capacity is not counted as an attempt.
  const { attempt, reason, newHash } = await deps.passwords.admit(tenant.domain, async (hashes) => {
    const attempt = await attemptSignIn(deps, { ...tenant, address: email })
    const isRight = await hashes.verify(password?.hash, plainText)
    const reason = whyRefused({ addressee, attempt, password, isRight })
    const isReplaced =
      reason === undefined && password !== undefined && deps.passwords.isOutdated(password.hash)
    return { attempt, reason, newHash: isReplaced ? await hashes.hash(plainText) : undefined }
  })
  const attempted = { tenant, addressee, destination, attempt, email, typedEmail }
  if (reason !== undefined || password === undefined)
    return { refused: attempted, reason: reason ?? 'password_missing' }
  const isDue = await isRenewalDue(deps, addressee, plainText)
  return { passed: { ...attempted, password, isRenewalDue: isDue, newHash } }
}

/** One statement for the organization, its connection, the user and the password with the pepper around it. */
async function findAddressee(db: Kysely<DB>, caller: Caller, sought: SoughtAddress) {
  const found = await passwordAddresseesOf(db, caller, sought)
    .leftJoin('passwords', (join) =>
      join
        .on(isOrganizationOf('organizations', 'passwords'))
        .on('passwords.environment', '=', caller.environment)
        .onRef('passwords.user_id', '=', 'users.id'),
    )
    .leftJoin('password_peppers as pepper', (join) =>
      join.on(sameTenant('pepper', 'passwords')).onRef('pepper.version', '=', 'passwords.pepper_version'),
    )
    .select([
      'passwords.id as password_id',
      'passwords.hash_wrapped',
      'passwords.set_at',
      'pepper.version as pepper_version',
      'pepper.key_sealed',
    ])
    .execute()
  return onlyAddressee(found, sought)
}

type Addressee = Awaited<ReturnType<typeof findAddressee>>

/** The unwrapped password of the user; undefined without a user or a password. */
function passwordOf(
  deps: Pick<Deps, 'keys' | 'log'>,
  { accountId, environment }: Tenant,
  { organization_id, user_id, password_id, hash_wrapped, set_at, pepper_version, key_sealed }: Addressee,
): StoredPassword | undefined {
  if (user_id === null || password_id === null || hash_wrapped === null) return undefined
  if (set_at === null || pepper_version === null || key_sealed === null) return undefined
  const owner = { accountId, environment, organizationId: organization_id, userId: user_id }
  const row = { id: password_id, hash_wrapped, set_at, version: pepper_version, key_sealed }
  return openPassword(deps, owner, row)
}

interface Checked {
  readonly addressee: Addressee
  readonly attempt: SignInAttempt
  readonly password: StoredPassword | undefined
  readonly isRight: boolean
}

/** The reason of a refusal, only for the log; undefined when the sign-in is allowed. */
function whyRefused({ addressee, attempt, password, isRight }: Checked): RefusalReason | undefined {
  if (addressee.user_id === null) return 'user_not_found'
  if (addressee.is_user_active !== true) return 'user_inactive'
  if (attempt.isLocked) return 'address_locked'
  if (password === undefined) return 'password_missing'
  return isRight ? undefined : 'password_wrong'
}

/** Whether a right password should be renewed. */
async function isRenewalDue(
  { knownPasswords }: Pick<Deps, 'knownPasswords'>,
  { plain_text_min_length: min, plain_text_max_length: max }: Addressee,
  plainText: string,
): Promise<boolean> {
  const isLengthRight = min === null || max === null || hasAllowedLength(plainText, { min, max })
  return !isLengthRight || knownPasswords.isKnown(plainText)
}

/**
 * Locks the user of a verified password, so that a deactivation or a new password either precedes the sign-in or ends
 * its session; checks everything again that was read without a lock.
 *
 * @returns Undefined when the user, the password or the organization's rules have changed.
 */
export async function lockPasswordUser<Destination>(
  deps: Deps,
  trx: Transaction<DB>,
  passed: VerifiedPassword<Destination>,
): Promise<string | undefined> {
  const userId = await lockUserOfPassword(trx, passed)
  if (userId === undefined || passed.newHash === undefined) return userId
  const owner = { ...passed.tenant, organizationId: passed.addressee.organization_id, userId }
  await upgradePassword(deps, trx, owner, passed.password, passed.newHash)
  return userId
}

async function lockUserOfPassword(
  trx: Transaction<DB>,
  { tenant, addressee, email, password }: VerifiedPassword<unknown>,
): Promise<string | undefined> {
  const held = await usersOf(trx, tenant)
    .innerJoin('passwords', (join) =>
      join.on(sameTenant('passwords', 'users')).onRef('passwords.user_id', '=', 'users.id'),
    )
    .innerJoin('password_connections as connection', (join) => join.on(sameTenant('connection', 'users')))
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .where('users.id', '=', addressee.user_id)
    .where('users.email_normalized', '=', email)
    .where('users.active', '=', true)
    .where('passwords.set_at', '=', password.setAt)
    .where('connection.active', '=', true)
    .select([
      'users.id',
      'organizations.allowed_email_domains',
      isSsoRequiredOf('users').as('is_sso_required'),
    ])
    .forNoKeyUpdate(['users', 'passwords'])
    .executeTakeFirst()
  if (held === undefined || held.is_sso_required) return undefined
  if (!isEmailDomainAllowed(held.allowed_email_domains, email)) return undefined
  return held.id
}

/** Logs the outcome of a password attempt. */
export function logChallenge(
  deps: Pick<Deps, 'now' | 'metrics'>,
  trx: Transaction<DB>,
  { tenant, addressee, destination, typedEmail }: PasswordAttempt<{ readonly applicationId: string }>,
  entry: Pick<LogEntry, 'code' | 'reason'>,
): Promise<void> {
  return logEvent(deps, trx, {
    ...tenant,
    ...entry,
    organizationId: addressee.organization_id,
    clientId: destination.applicationId,
    email: typedEmail,
    userId: addressee.user_id,
  })
}
