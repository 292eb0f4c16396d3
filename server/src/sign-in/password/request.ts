import type { PasswordRequest } from '@portico/contract/password'
import type { NewPasswordRequest } from '@portico/contract/password-input'
import type { Transaction } from 'kysely'
import { findApplicationForSignIn } from '../../directory/applications/applications.js'
import { newId } from '../../platform/crypto/random.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { onlyAddressee } from '../../directory/sessions/addressee.js'
import { chooseDestination, type CodeDestination } from '../../directory/sessions/code-destination.js'
import { mayReadUsers, type Caller, type Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { admit, asApiError } from '../../directory/users/admit.js'
import { findUser } from '../../directory/users/signing-in-user.js'
import { checkPasswordConnection, passwordAddresseesOf } from './addressee.js'
import { insertPasswordRequest, type NewRequestRow } from './open-request.js'
import { setPasswordUrl } from './own-page.js'
import { toPasswordRequest } from './record.js'

/**
 * Starts a first or forgotten password. A caller who may not read users gets the same answer for every address; the
 * link of an address without an active user leads nowhere.
 *
 * @throws ApiError `organization_not_found`, `password_connection_not_found`, `connection_inactive`,
 *   `email_domain_not_allowed`, `application_not_found`, `no_application`, `invalid_parameters`,
 *   `insufficient_scope`, and, for a caller who may read users, `user_not_found` and `user_inactive`.
 */
export async function createPasswordRequest(
  deps: Deps,
  caller: Caller,
  input: NewPasswordRequest,
): Promise<Changed<PasswordRequest>> {
  if (input.find_or_create_user && !caller.scopes.includes('write:users')) {
    throw new ApiError('insufficient_scope', {
      message: 'The API key lacks the scope write:users, which find_or_create_user needs.',
    })
  }
  const email = normalizeEmail(input.user_email)
  const sought = { email, domain: input.org_domain }
  const addressee = onlyAddressee(await passwordAddresseesOf(deps.db, caller, sought).execute(), sought)
  checkPasswordConnection(addressee, email)
  if (mayReadUsers(caller)) {
    if (addressee.is_user_active === false) throw new ApiError('user_inactive')
    if (addressee.user_id === null && !input.find_or_create_user) throw new ApiError('user_not_found')
  }
  const tenant = { ...caller, domain: addressee.domain }
  const destination = await destinationOf(deps, tenant, input)
  return change(deps, caller.cause, async (trx) => {
    const isWanted = addressee.user_id === null && input.find_or_create_user
    const userId = isWanted ? await createUserOf(deps, trx, tenant, input.user_email) : addressee.user_id
    const organizationId = addressee.organization_id
    const record = await beginPasswordRequest(deps, trx, tenant, {
      organizationId,
      email,
      userId,
      destination,
    })
    const known = mayReadUsers(caller) ? record : { ...record, user_id: null }
    return { record: known, ...(userId !== null && { subjectId: userId }) }
  })
}

/** Stores a password request and emits its event. */
export async function beginPasswordRequest(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { organizationId, ...request }: Omit<NewRequestRow, 'codeHash'> & { readonly organizationId: string },
): Promise<PasswordRequest> {
  const row = await insertPasswordRequest(deps, trx, tenant, request)
  const record = toPasswordRequest(row, tenant)
  await emit(deps, trx, tenant, {
    code: 'password.request.create.success',
    record,
    organizationId,
    subjectId: row.user_id ?? undefined,
  })
  return record
}

/** For our own page: the named or the first application, without the parameters of a code. */
async function destinationOf(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  tenant: Tenant,
  input: NewPasswordRequest,
): Promise<CodeDestination> {
  const ownPage = setPasswordUrl(config.baseUrl, tenant.domain)
  if (input.redirect_uri !== ownPage) return chooseDestination(db, tenant, input)
  const { application } = await findApplicationForSignIn(db, tenant, {
    applicationId: input.application_id,
    redirectUri: undefined,
  })
  const nothing = { state: null, nonce: null, codeChallenge: null }
  return { applicationId: application.id, redirectUri: ownPage, ...nothing }
}

/** Creates the user of an unknown address; of two concurrent requests, one creates the user. */
async function createUserOf(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  email: string,
): Promise<string | null> {
  const user = { via: 'api', id: newId(), email, emailVerified: false } as const
  const created = await admit(deps, trx, tenant, user).catch(asApiError)
  const found = created ?? (await findUser(trx, tenant, normalizeEmail(email)))
  return found?.id ?? null
}
