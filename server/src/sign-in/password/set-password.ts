import type { Password } from '@portico/contract/password'
import type { NewPassword } from '@portico/contract/password-input'
import type { Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import { productNameOf } from '../../platform/db/product-name.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { onlyAddressee } from '../../directory/sessions/addressee.js'
import { completeSignIn } from '../../directory/sessions/complete-sign-in.js'
import { forgetAttempts } from '../flows/attempts.js'
import { isFactorMissing, nextFactorOf } from '../flows/pending-sign-in.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { findUser, type SigningInUser } from '../../directory/users/signing-in-user.js'
import { passwordAddresseesOf } from './addressee.js'
import { findNewPasswordFault, replacePassword } from './new-password.js'
import { toPassword } from './record.js'
import { consumePasswordCode, type ConsumedPasswordCode } from './consume-code.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

/**
 * Sets the password of a code's user, consumes the code, and signs the user in unless a second factor is asked for.
 * Ends the user's earlier sessions.
 *
 * @throws ApiError `organization_not_found`, `password_connection_not_found`, `connection_inactive`,
 *   `password_code_refused` for any fault of the code, the address or the user, and `invalid_parameters` when the
 *   password violates the rules, which does not consume the code.
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

  const { plain_text_min_length: min, plain_text_max_length: max } = addressee
  if (min === null || max === null) throw new Error('a password connection has lengths')
  const owner = { ...addressee, email: addressee.email ?? '' }
  const fault = await findNewPasswordFault(deps, input.plain_text, { min, max }, owner)
  if (fault !== undefined)
    throw new ApiError('invalid_parameters', { fields: [{ path: 'plain_text', ...fault }] })
  const tenant = { ...caller, domain: addressee.domain }
  const hash = await deps.passwords.admit(tenant.domain, (hashes) => hashes.hash(input.plain_text))
  const changed = await change(deps, caller.cause, (trx) => useCode(deps, trx, tenant, attempt, hash))
  await forgetAttempts(deps, { ...tenant, address: attempt.email })
  return changed
}

interface Attempt {
  /** Normalized. */
  readonly email: string
  readonly codeHash: Buffer
}

/** The organization with its rules, and the request and user of the code, if it is valid. */
async function findAddressee(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  caller: Caller,
  { codeHash, ...sought }: Attempt & { readonly domain: string },
) {
  const found = await passwordAddresseesOf(db, caller, sought)
    .leftJoin('password_requests as request', (join) =>
      join
        .on(isOrganizationOf('organizations', 'request'))
        .on('request.environment', '=', caller.environment)
        .onRef('request.user_id', '=', 'users.id')
        .on('request.email_normalized', '=', sought.email)
        .on('request.code_hash', '=', codeHash)
        .on('request.used_at', 'is', null)
        .on('request.expires_at', '>', now()),
    )
    .select([
      'request.id as request_id',
      'users.email',
      'users.profile',
      'organizations.name',
      productNameOf('organizations').as('product_name'),
    ])
    .execute()
  return onlyAddressee(found, sought)
}

async function useCode(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  attempt: Attempt,
  hash: string,
): Promise<Changed<Password>> {
  const user = await findUser(trx, tenant, attempt.email)
  const consumedCode =
    user?.active === true
      ? await consumePasswordCode(deps, trx, tenant, { ...attempt, userId: user.id, ownPage: null })
      : undefined
  if (user === undefined || consumedCode === undefined) throw new ApiError('password_code_refused')
  const { id: userId } = user
  const id = await replacePassword(deps, trx, tenant, {
    organizationId: consumedCode.organization_id,
    applicationId: consumedCode.application_id,
    user,
    isLinkOpened: consumedCode.opened_at !== null,
    isLinkReturned: consumedCode.is_link_returned,
    hash,
  })
  // A pending sign-in would let the holder of the code pass the password now and keep the second factor for later.
  const isAsked = isFactorMissing(await nextFactorOf(deps, trx, tenant, userId))
  const code = isAsked ? null : await signIn(deps, trx, tenant, { user, consumedCode })
  return { record: toPassword({ id, userId, code }, tenant), subjectId: userId }
}

interface Setting {
  readonly user: SigningInUser
  readonly consumedCode: ConsumedPasswordCode
}

function signIn(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { user, consumedCode }: Setting,
): Promise<string> {
  return completeSignIn(deps, trx, {
    tenant,
    organizationId: consumedCode.organization_id,
    userId: user.id,
    applicationId: consumedCode.application_id,
    redirectUri: consumedCode.redirect_uri,
    amr: consumedCode.opened_at === null ? ['pwd'] : ['email', 'pwd'],
    authenticatedAt: deps.now(),
    nonce: consumedCode.nonce,
    codeChallenge: consumedCode.code_challenge,
    scope: consumedCode.scope,
    state: consumedCode.state,
    via: 'api',
  })
}
