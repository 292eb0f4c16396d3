import type { MagicLinkChallenge, NewMagicLinkChallenge } from '@portico/contract/magic-link'
import type { Kysely } from 'kysely'
import { checkUsable } from '../../directory/applications/applications.js'
import { randomSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { ApiError, invalid } from '../../platform/errors.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { mails } from '../../delivery/mail/mail-limits.js'
import { findOpenPasswordRequest } from '../password/open-request.js'
import { addresseesOf, onlyAddressee, type SoughtAddress } from '../../directory/sessions/addressee.js'
import { grantedScope } from '../../tokens/scopes.js'
import { chooseDestination, type CodeDestination } from '../../directory/sessions/code-destination.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { mayReadUsers, type Caller, type Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { insertLink, linkLifetimeMs } from './insert-link.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'

/**
 * Makes a single-use link that signs a user in, or leads to a new password. The link is in the answer, or a mail job
 * carries its ids and makes the token when it sends the mail.
 *
 * @throws ApiError `organization_not_found`, `connection_inactive`, `email_domain_not_allowed`, `sso_required`,
 *   `application_not_found`, `no_application`, `rate_limited` when the address has been sent enough mails,
 *   `invalid_parameters` when the application demands PKCE and the code_challenge is missing, or when the password
 *   request is not one of the address; and, for a caller who may read users, `user_not_found` and `user_inactive`.
 */
export async function createMagicLinkChallenge(
  deps: Deps,
  caller: Caller,
  input: NewMagicLinkChallenge,
): Promise<Changed<MagicLinkChallenge>> {
  const email = normalizeEmail(input.user_email)
  const addressee = await findAddressee(deps.db, caller, { email, domain: input.org_domain })
  checkConnection(addressee, email)
  const tenant = { ...caller, domain: addressee.domain }
  const { destination, expiresAt } = await leadOf(deps, tenant, input, email)
  // Counted before any check of the user, so that unknown addresses count like known ones.
  const limit = input.send_email ? await deps.limits.take(mails, { ...tenant, address: email }) : undefined
  checkUser(addressee, caller)

  const token = input.send_email ? undefined : randomSecret()
  return change(deps, caller.cause, async (trx) => {
    const record = await insertLink(deps, trx, tenant, {
      typedEmail: input.user_email,
      email,
      userId: addressee.user_id,
      findOrCreateUser: addressee.find_or_create_user,
      destination,
      scope: grantedScope(destination.scope, 'magic_link'),
      passwordRequestId: input.request_id ?? null,
      flowId: null,
      expiresAt,
      token,
    })
    return {
      record,
      ...(limit !== undefined && { limit }),
      ...(addressee.user_id !== null && { subjectId: addressee.user_id }),
    }
  })
}

/**
 * The organization that the address belongs to, its connection, and the user with the address, if there is one.
 *
 * @throws ApiError `organization_not_found`
 */
async function findAddressee(db: Kysely<DB>, caller: Caller, sought: SoughtAddress) {
  const found = await addresseesOf(db, caller, sought)
    .innerJoin('magic_link_connections as connection', (join) =>
      join
        .on(isOrganizationOf('organizations', 'connection'))
        .on('connection.environment', '=', caller.environment),
    )
    .select(['connection.active', 'connection.find_or_create_user'])
    .execute()
  return onlyAddressee(found, sought)
}

type Addressee = Awaited<ReturnType<typeof findAddressee>>

function checkConnection(addressee: Addressee, email: string): void {
  if (!addressee.active) throw new ApiError('connection_inactive')
  if (!isEmailDomainAllowed(addressee.allowed_email_domains, email))
    throw new ApiError('email_domain_not_allowed')
  if (addressee.is_sso_required) throw new ApiError('sso_required')
}

/** Reveals no user to a caller who may not read users: the link of an unknown address leads nowhere. */
function checkUser(addressee: Addressee, caller: Caller): void {
  if (!mayReadUsers(caller)) return
  if (addressee.is_user_active === false) throw new ApiError('user_inactive')
  if (addressee.user_id === null && !addressee.find_or_create_user) throw new ApiError('user_not_found')
}

/** The destination of a link: that of the request, or of the password request that it carries. */
async function leadOf(
  deps: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  input: NewMagicLinkChallenge,
  email: string,
): Promise<{ readonly destination: CodeDestination; readonly expiresAt: Date }> {
  const expiresAt = new Date(deps.now().getTime() + linkLifetimeMs)
  const { request_id: requestId } = input
  if (requestId === undefined)
    return { destination: await chooseDestination(deps.db, tenant, input), expiresAt }
  // The password request determines the application; one in the body is checked too.
  if (input.application_id !== undefined) await checkUsable(deps.db, tenant, input.application_id)
  const request = await findOpenPasswordRequest(deps, deps.db, tenant, { requestId, email })
  if (request === undefined)
    throw invalid('request_id', 'unknown', 'must be an open password request of this address')
  if (input.application_id !== undefined && input.application_id !== request.destination.applicationId)
    throw invalid('application_id', 'other_application', 'must be the application of the password request')
  // A link that outlived its request would lead nowhere.
  return { ...request, expiresAt: request.expiresAt < expiresAt ? request.expiresAt : expiresAt }
}
