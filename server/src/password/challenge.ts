import type { PassedPasswordChallenge, PasswordChallenge } from '@portico/contract/password'
import type { NewPasswordChallenge } from '@portico/contract/password-input'
import type { Kysely, Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../errors.js'
import { change, type Changed } from '../events/change.js'
import { emit } from '../events/emit.js'
import type { SignInAttempt } from '../limits/limits.js'
import { logEvent, type LogEntry } from '../log-events/log-event.js'
import { onlyAddressee, type SoughtAddress } from '../sessions/addressee.js'
import { chooseDestination, type CodeDestination } from '../sessions/code-destination.js'
import { codeLifetimesMs, isEmailDomainAllowed } from '../sessions/complete-sign-in.js'
import { passFirstFactor } from '../sessions/pending-sign-in.js'
import { mayReadUsers, type Caller, type Tenant } from '../tenant.js'
import { normalizeEmail } from '../users/email.js'
import { isRequiredMetadataMissing } from '../users/signing-in-user.js'
import { usersOf } from '../users/users.js'
import { checkDoorway, passwordAddresseesOf } from './addressee.js'
import { openRenewal, passwordScope } from './open-request.js'
import { isOutdated } from './password-hash.js'
import { hasAllowedLength } from './policy.js'
import { toPassedChallenge, toPendingChallenge, toRefusedChallenge } from './record.js'
import { openPassword, upgradePassword, type StoredPassword } from './stored-password.js'

/**
 * Checks the password of a user who signs in. Whatever the password and whoever the user, there is one verification of
 * one hash; and a caller who may not read users gets one answer whether the address is unknown, its user is inactive or
 * has no password, the password is wrong, or the address is locked.
 *
 * @throws ApiError `organization_not_found`, `password_connection_not_found`, `connection_inactive`,
 *   `email_domain_not_allowed`, `application_not_found`, `no_application`, `invalid_parameters`, `rate_limited`, and,
 *   for a caller who may read users, `user_not_found` and `user_inactive`.
 */
export async function createPasswordChallenge(
  deps: Deps,
  caller: Caller,
  input: NewPasswordChallenge,
): Promise<Changed<PasswordChallenge>> {
  const email = normalizeEmail(input.user_email)
  const addressee = await findAddressee(deps.db, caller, { email, domain: input.org_domain })
  checkDoorway(addressee, email)
  const tenant = { ...caller, domain: addressee.domain }
  const destination = await chooseDestination(deps.db, tenant, input)
  const password = passwordOf(deps, tenant, addressee)
  // Who is sent away for want of room has made no attempt.
  const { attempt, reason, newHash } = await deps.passwords.admit(tenant.domain, async (hashes) => {
    const attempt = await deps.limits.attemptSignIn({ ...tenant, address: email })
    const isRight = await hashes.verify(password?.hash, input.plain_text)
    const reason = whyRefused({ addressee, attempt, password, isRight })
    const isReplaced = reason === undefined && password !== undefined && isOutdated(password.hash)
    return { attempt, reason, newHash: isReplaced ? await hashes.hash(input.plain_text) : undefined }
  })

  const scene = { tenant, addressee, destination, attempt, email, typedEmail: input.user_email }
  if (reason !== undefined || password === undefined) {
    const { record } = await change(deps, caller.cause, async (trx) => {
      await logChallenge(deps, trx, scene, { code: 'END_USER_PASSWORD_FAILED', reason: reason ?? null })
      return { record: toRefusedChallenge(tenant, uuidv7()) }
    })
    if (mayReadUsers(caller) && addressee.user_id === null) throw new ApiError('user_not_found')
    if (mayReadUsers(caller) && addressee.is_user_active === false) throw new ApiError('user_inactive')
    return { record, limit: attempt.state }
  }

  const passed = {
    ...scene,
    password,
    isRenewalDue: await isRenewalDue(deps, addressee, input.plain_text),
    newHash,
  }
  const changed = await change(deps, caller.cause, (trx) => goOn(deps, trx, passed))
  if (changed.record['valid?'] || changed.record.error === 'totp_required') await attempt.succeed()
  return { ...changed, limit: attempt.state }
}

/** One statement for the organization, its connection, the user and the password with the pepper around it. */
async function findAddressee(db: Kysely<DB>, caller: Caller, sought: SoughtAddress) {
  const found = await passwordAddresseesOf(db, caller, sought)
    .leftJoin('passwords', (join) =>
      join
        .onRef('passwords.account_id', '=', 'organizations.account_id')
        .on('passwords.environment', '=', caller.environment)
        .onRef('passwords.organization_id', '=', 'organizations.id')
        .onRef('passwords.user_id', '=', 'users.id'),
    )
    .leftJoin('password_peppers as pepper', (join) =>
      join
        .onRef('pepper.account_id', '=', 'passwords.account_id')
        .onRef('pepper.environment', '=', 'passwords.environment')
        .onRef('pepper.organization_id', '=', 'passwords.organization_id')
        .onRef('pepper.version', '=', 'passwords.pepper_version'),
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

/** The user's password, unwrapped; undefined where there is no user, or none of theirs. */
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

/** Why nobody is signed in, for the log alone; undefined when nothing is in the way. */
function whyRefused({ addressee, attempt, password, isRight }: Checked): string | undefined {
  if (addressee.user_id === null) return 'user_not_found'
  if (addressee.is_user_active !== true) return 'user_inactive'
  if (attempt.isLocked) return 'address_locked'
  if (password === undefined) return 'password_missing'
  return isRight ? undefined : 'password_wrong'
}

interface Scene {
  readonly tenant: Tenant
  readonly addressee: Addressee
  readonly destination: CodeDestination
  readonly attempt: SignInAttempt
  /** Normalized. */
  readonly email: string
  readonly typedEmail: string
}

interface PassedScene extends Scene {
  readonly password: StoredPassword
  readonly isRenewalDue: boolean
  /** In place of one that was made in another way than new ones are. */
  readonly newHash: string | undefined
}

/** Whether the user should have another password, although this one is right. */
async function isRenewalDue(
  { knownPasswords }: Pick<Deps, 'knownPasswords'>,
  { plain_text_min_length: min, plain_text_max_length: max }: Addressee,
  plainText: string,
): Promise<boolean> {
  const isLengthRight = min === null || max === null || hasAllowedLength(plainText, { min, max })
  return !isLengthRight || knownPasswords.isKnown(plainText)
}

/** The rest of a sign-in whose password is right: everything that was read without a lock is looked at once more. */
async function goOn(
  deps: Deps,
  trx: Transaction<DB>,
  scene: PassedScene,
): Promise<Changed<PasswordChallenge>> {
  const { tenant, addressee, destination, password } = scene
  const userId = await holdUser(trx, scene)
  if (userId === undefined) {
    await logChallenge(deps, trx, scene, { code: 'END_USER_PASSWORD_FAILED', reason: 'changed_meanwhile' })
    return { record: toRefusedChallenge(tenant, uuidv7()) }
  }
  const { organization_id: organizationId } = addressee
  if (scene.newHash !== undefined) {
    const owner = { ...tenant, organizationId, userId }
    await upgradePassword(deps, trx, owner, password, scene.newHash)
  }
  const at = deps.now()
  const outcome = await passFirstFactor(deps, trx, {
    tenant,
    organizationId,
    userId,
    applicationId: destination.applicationId,
    redirectUri: destination.redirectUri,
    amr: ['pwd'],
    authenticatedAt: at,
    nonce: destination.nonce,
    codeChallenge: destination.codeChallenge,
    scope: passwordScope,
    state: destination.state,
    isRenewalDue: scene.isRenewalDue,
    via: 'api',
  })
  const record =
    'code' in outcome
      ? await passedChallenge(deps, trx, scene, { code: outcome.code, userId, at })
      : toPendingChallenge(tenant, {
          requestId: outcome.pendingSignInId,
          expiresAt: outcome.expiresAt,
          userId,
        })
  await emit(deps, trx, tenant, {
    code: 'password.challenge.create.success',
    record: { ...record, user_id: userId, password_id: password.id },
    organizationId,
    subjectId: userId,
  })
  await logChallenge(deps, trx, scene, { code: 'END_USER_PASSWORD_SUCCESS' })
  // Nobody is locked out for a value that the organization requires and this user lacks.
  if (record['valid?'] && (await isRequiredMetadataMissing(trx, tenant, userId)))
    await logChallenge(deps, trx, scene, { code: 'REQUIRED_METADATA_MISSING' })
  return { record, subjectId: userId }
}

/**
 * Holds the user and the password that was verified, so that a deactivation or a new password comes before the sign-in
 * or ends its session.
 *
 * @returns Undefined when they are not what they were, or the organization does not let them in any more.
 */
async function holdUser(
  trx: Transaction<DB>,
  { tenant, addressee, email, password }: PassedScene,
): Promise<string | undefined> {
  const held = await usersOf(trx, tenant)
    .innerJoin('passwords', (join) =>
      join
        .onRef('passwords.account_id', '=', 'users.account_id')
        .onRef('passwords.environment', '=', 'users.environment')
        .onRef('passwords.organization_id', '=', 'users.organization_id')
        .onRef('passwords.user_id', '=', 'users.id'),
    )
    .innerJoin('password_connections as connection', (join) =>
      join
        .onRef('connection.account_id', '=', 'users.account_id')
        .onRef('connection.environment', '=', 'users.environment')
        .onRef('connection.organization_id', '=', 'users.organization_id'),
    )
    .innerJoin('organizations', (join) =>
      join
        .onRef('organizations.account_id', '=', 'users.account_id')
        .onRef('organizations.id', '=', 'users.organization_id'),
    )
    .where('users.id', '=', addressee.user_id)
    .where('users.email_normalized', '=', email)
    .where('users.active', '=', true)
    .where('passwords.set_at', '=', password.setAt)
    .where('connection.active', '=', true)
    .select(['users.id', 'organizations.allowed_email_domains'])
    .forNoKeyUpdate(['users', 'passwords'])
    .executeTakeFirst()
  if (held === undefined || !isEmailDomainAllowed(held.allowed_email_domains, email)) return undefined
  return held.id
}

/** The answer with the code; a password that is to be renewed is, by a request that needs no link. */
async function passedChallenge(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { tenant, email, destination, password, isRenewalDue }: PassedScene,
  { code, userId, at }: { code: string; userId: string; at: Date },
): Promise<PassedPasswordChallenge> {
  const renewalCode = isRenewalDue
    ? await openRenewal(deps, trx, tenant, { email, userId, destination })
    : undefined
  return toPassedChallenge(tenant, {
    requestId: uuidv7(),
    code,
    expiresAt: new Date(at.getTime() + codeLifetimesMs.api),
    userId,
    passwordId: password.id,
    renewalCode,
  })
}

function logChallenge(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { tenant, addressee, destination, typedEmail }: Scene,
  entry: Pick<LogEntry, 'code' | 'reason'>,
): Promise<void> {
  return logEvent(deps, trx, {
    ...entry,
    accountId: tenant.accountId,
    environment: tenant.environment,
    organizationId: addressee.organization_id,
    domain: tenant.domain,
    clientId: destination.applicationId,
    email: typedEmail,
    userId: addressee.user_id,
    requestId: tenant.cause.requestId,
  })
}
