import type { Password } from '@portico/contract/password'
import type { NewPassword } from '@portico/contract/password-input'
import { sql, type Transaction } from 'kysely'
import { isUsableBy } from '../applications/usable.js'
import { hashSecret } from '../crypto/secret.js'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../errors.js'
import { change, type Changed } from '../events/change.js'
import { emit } from '../events/emit.js'
import { logEvent } from '../log-events/log-event.js'
import { enqueueNotice } from '../mail/notices.js'
import { onlyAddressee } from '../sessions/addressee.js'
import { completeSignIn, isEmailDomainAllowed } from '../sessions/complete-sign-in.js'
import { endSessionsOf } from '../sessions/end-sessions.js'
import { isTotpAskedOf } from '../sessions/pending-sign-in.js'
import type { Caller, Tenant } from '../tenant.js'
import { normalizeEmail } from '../users/email.js'
import { findUser, type SigningInUser } from '../users/signing-in-user.js'
import { markEmailVerified } from '../users/users.js'
import { passwordAddresseesOf } from './addressee.js'
import { voidPasswordRequests } from './open-request.js'
import { findPasswordFault, knownPasswordFault, type PasswordFault } from './policy.js'
import { toPassword } from './record.js'
import { writePassword } from './stored-password.js'

/**
 * Sets the password of the user to whom a code was given, once, and signs them in, unless a second factor is asked of
 * them. Whoever was signed in as the user is not any more.
 *
 * @throws ApiError `organization_not_found`, `password_connection_not_found`, `connection_inactive`,
 *   `password_code_refused` for whatever is wrong with the code, the address or the user, and `invalid_parameters` when
 *   the password does not meet the rules, which leaves the code as it is.
 */
export async function setPassword(
  deps: Deps,
  caller: Caller,
  input: NewPassword,
): Promise<Changed<Password>> {
  const attempt = { email: normalizeEmail(input.user_email), codeHash: hashSecret(input.password_code) }
  const addressee = await findAddressee(deps, caller, { ...attempt, domain: input.org_domain })
  if (addressee.active === null) throw new ApiError('password_connection_not_found')
  if (!addressee.active) throw new ApiError('connection_inactive')
  if (addressee.request_id === null) throw new ApiError('password_code_refused')

  const fault = await findFault(deps, addressee, input.plain_text)
  if (fault !== undefined)
    throw new ApiError('invalid_parameters', { fields: [{ path: 'plain_text', ...fault }] })
  const tenant = { ...caller, domain: addressee.domain }
  const hash = await deps.passwords.admit(tenant.domain, (hashes) => hashes.hash(input.plain_text))
  const changed = await change(deps, caller.cause, (trx) => replacePassword(deps, trx, tenant, attempt, hash))
  await deps.limits.forgetAttempts({ ...tenant, address: attempt.email })
  return changed
}

interface Attempt {
  /** Normalized. */
  readonly email: string
  readonly codeHash: Buffer
}

/** The organization with its rules, and the request that the code is of, with its user, if it is good. */
async function findAddressee(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  caller: Caller,
  { codeHash, ...sought }: Attempt & { readonly domain: string },
) {
  const found = await passwordAddresseesOf(db, caller, sought)
    .leftJoin('password_requests as request', (join) =>
      join
        .onRef('request.account_id', '=', 'organizations.account_id')
        .on('request.environment', '=', caller.environment)
        .onRef('request.organization_id', '=', 'organizations.id')
        .onRef('request.user_id', '=', 'users.id')
        .on('request.email_normalized', '=', sought.email)
        .on('request.code_hash', '=', codeHash)
        .on('request.used_at', 'is', null)
        .on('request.expires_at', '>', now()),
    )
    .select(['request.id as request_id', 'users.email', 'users.profile', 'organizations.name'])
    .execute()
  return onlyAddressee(found, sought)
}

type Addressee = Awaited<ReturnType<typeof findAddressee>>

async function findFault(
  { config, knownPasswords }: Pick<Deps, 'config' | 'knownPasswords'>,
  addressee: Addressee,
  plainText: string,
): Promise<PasswordFault | undefined> {
  const { plain_text_min_length: min, plain_text_max_length: max, email, name, domain } = addressee
  if (min === null || max === null) throw new Error('a password connection has lengths')
  const ownTexts = [email ?? '', ...textsOf(addressee.profile), name, domain, config.productName]
  const fault = findPasswordFault(plainText, { min, max }, ownTexts)
  if (fault !== undefined) return fault
  return (await knownPasswords.isKnown(plainText)) ? knownPasswordFault : undefined
}

/** The names in a profile, as it is stored. */
function textsOf(profile: unknown): string[] {
  if (typeof profile !== 'object' || profile === null) return []
  const named: Record<string, unknown> = { ...profile }
  const names = ['given_name', 'family_name', 'name', 'nickname', 'preferred_username']
  return names.flatMap((name) => {
    const text = named[name]
    return typeof text === 'string' ? [text] : []
  })
}

async function replacePassword(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  attempt: Attempt,
  hash: string,
): Promise<Changed<Password>> {
  const user = await findUser(trx, tenant, attempt.email)
  const spent = user?.active === true ? await spendCode(deps, trx, tenant, attempt, user.id) : undefined
  if (user === undefined || spent === undefined) throw new ApiError('password_code_refused')
  const { id: userId } = user
  const { accountId, environment } = tenant
  const owner = { accountId, environment, organizationId: spent.organization_id, userId }
  await endSignIns(deps, trx, tenant, { user, spent })
  await voidPasswordRequests(deps, trx, tenant, attempt.email)
  const id = await writePassword(deps, trx, owner, hash)
  await emit(deps, trx, tenant, {
    code: 'password.password.set.success',
    record: toPassword({ id, userId, code: null }, tenant),
    organizationId: owner.organizationId,
    subjectId: userId,
  })
  await logEvent(deps, trx, {
    ...owner,
    domain: tenant.domain,
    code: 'PASSWORD_SET',
    clientId: spent.application_id,
    email: user.email,
    requestId: tenant.cause.requestId,
  })
  await enqueueNotice(deps, trx, { notice: 'password_set', ...owner, environment })
  // A pending sign-in would let whoever holds the code pass the password and keep the second factor for later.
  const code = (await isTotpAskedOf(trx, tenant, userId))
    ? null
    : await signIn(deps, trx, tenant, { user, spent })
  return { record: toPassword({ id, userId, code }, tenant), subjectId: userId }
}

/** The code's one use, while what it leads to is allowed: of all who send it, one statement lets one pass. */
async function spendCode(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, codeHash }: Attempt,
  userId: string,
) {
  const at = now()
  const spent = await trx
    .updateTable('password_requests as request')
    .set({ used_at: at })
    .from(['organizations', 'applications', 'password_connections as connection'])
    .where('request.account_id', '=', tenant.accountId)
    .where('request.environment', '=', tenant.environment)
    .where('request.organization_id', '=', organizationIdOf(tenant))
    .where('request.code_hash', '=', codeHash)
    .where('request.user_id', '=', userId)
    .where('request.email_normalized', '=', email)
    .where('request.used_at', 'is', null)
    .where('request.expires_at', '>', at)
    .whereRef('organizations.account_id', '=', 'request.account_id')
    .whereRef('organizations.id', '=', 'request.organization_id')
    .whereRef('applications.account_id', '=', 'request.account_id')
    .whereRef('applications.environment', '=', 'request.environment')
    .whereRef('applications.id', '=', 'request.application_id')
    .where(isUsableBy(sql.ref('request.organization_id')))
    .where(sql<boolean>`request.redirect_uri = any(applications.allowed_redirect_urls)`)
    .whereRef('connection.account_id', '=', 'request.account_id')
    .whereRef('connection.environment', '=', 'request.environment')
    .whereRef('connection.organization_id', '=', 'request.organization_id')
    .where('connection.active', '=', true)
    .returning([
      'request.organization_id',
      'request.application_id',
      'request.redirect_uri',
      'request.opened_at',
      'request.state',
      'request.nonce',
      'request.code_challenge',
      'request.scope',
      'organizations.allowed_email_domains',
    ])
    .executeTakeFirst()
  return spent !== undefined && isEmailDomainAllowed(spent.allowed_email_domains, email) ? spent : undefined
}

type SpentCode = NonNullable<Awaited<ReturnType<typeof spendCode>>>

interface Setting {
  readonly user: SigningInUser
  readonly spent: SpentCode
}

/** Ends what others may have begun as the user. An opened link shows, beside, that the address is theirs. */
async function endSignIns(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { user, spent }: Setting,
): Promise<void> {
  await endSessionsOf(deps, trx, tenant, user.id)
  const isAddressShown = spent.opened_at !== null
  if (isAddressShown && !user.email_verified) await markEmailVerified(deps, trx, tenant, user.id)
}

function signIn(deps: Deps, trx: Transaction<DB>, tenant: Tenant, { user, spent }: Setting): Promise<string> {
  return completeSignIn(deps, trx, {
    tenant,
    organizationId: spent.organization_id,
    userId: user.id,
    applicationId: spent.application_id,
    redirectUri: spent.redirect_uri,
    amr: spent.opened_at === null ? ['pwd'] : ['email', 'pwd'],
    authenticatedAt: deps.now(),
    nonce: spent.nonce,
    codeChallenge: spent.code_challenge,
    scope: spent.scope,
    state: spent.state,
    via: 'api',
  })
}
