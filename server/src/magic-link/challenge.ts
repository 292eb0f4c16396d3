import type { MagicLinkChallenge, NewMagicLinkChallenge } from '@portico/contract/magic-link'
import { sql, type Kysely, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { hashSecret, randomSecret } from '../crypto/secret.js'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { ApiError, invalid } from '../errors.js'
import { change, type Changed } from '../events/change.js'
import { emit } from '../events/emit.js'
import { enqueue } from '../jobs/enqueue.js'
import { logEvent } from '../log-events/log-event.js'
import { findOpenPasswordRequest } from '../password/open-request.js'
import { addresseesOf, onlyAddressee, type SoughtAddress } from '../sessions/addressee.js'
import { chooseDestination, type CodeDestination } from '../sessions/code-destination.js'
import { isEmailDomainAllowed } from '../sessions/complete-sign-in.js'
import { mayReadUsers, type Caller, type Tenant } from '../tenant.js'
import { normalizeEmail } from '../users/email.js'
import { lockLinksOf } from './lock.js'
import { toMagicLinkChallenge } from './record.js'

const lifetimeMs = 15 * 60 * 1000
/** Open links of one address for one application: more would only be more doors. */
const maxOpenLinks = 3

/** openid asks for an ID token; magic_link tells an access token's readers how its user came in. */
const grantedScope = 'openid magic_link'

/**
 * Makes a single-use link that signs a user in, or leads them to a new password. Either the link is in the answer, or a
 * mail job carries its ids and makes the token when it sends the mail.
 *
 * @throws ApiError `organization_not_found`, `connection_inactive`, `email_domain_not_allowed`,
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
  const { applicationId } = destination
  // Before anything that depends on the user, so that unknown addresses count like known ones.
  const limit = input.send_email ? await deps.limits.takeMail({ ...tenant, address: email }) : undefined
  checkUser(addressee, caller)

  const token = input.send_email ? undefined : randomSecret()
  return change(deps, caller.cause, async (trx) => {
    const at = deps.now()
    await lockLinksOf(trx, { ...tenant, applicationId, email })
    const row = await trx
      .insertInto('magic_link_challenges')
      .values({
        account_id: tenant.accountId,
        environment: tenant.environment,
        organization_id: organizationIdOf(tenant),
        id: uuidv7(),
        application_id: applicationId,
        email: input.user_email,
        email_normalized: email,
        redirect_uri: destination.redirectUri,
        find_or_create_user: addressee.find_or_create_user,
        is_link_returned: token !== undefined,
        token_hash: token === undefined ? null : hashSecret(token),
        password_request_id: input.request_id ?? null,
        state: destination.state,
        nonce: destination.nonce,
        code_challenge: destination.codeChallenge,
        scope: grantedScope,
        expires_at: expiresAt,
        inserted_at: at,
      })
      .returning(['id', 'organization_id', 'email', 'find_or_create_user', 'expires_at'])
      .executeTakeFirstOrThrow()
    await voidOlderLinks(trx, tenant, { email, applicationId, newestId: row.id, at })
    if (token === undefined) {
      await enqueue(deps, trx, {
        name: 'send_magic_link',
        payload: {
          accountId: tenant.accountId,
          environment: tenant.environment,
          organizationId: row.organization_id,
          challengeId: row.id,
        },
        accountId: tenant.accountId,
      })
    }

    const link = token === undefined ? null : magicLinkUrl(deps.config.baseUrl, tenant.domain, token)
    const record = toMagicLinkChallenge(row, tenant, link)
    await emit(deps, trx, tenant, {
      code: 'magic_link.challenge.create.success',
      record,
      organizationId: row.organization_id,
      ...(addressee.user_id !== null && { subjectId: addressee.user_id }),
      email,
    })
    await logEvent(deps, trx, {
      accountId: tenant.accountId,
      environment: tenant.environment,
      organizationId: row.organization_id,
      domain: tenant.domain,
      code: 'END_USER_MAGIC_LINK_STARTED',
      clientId: applicationId,
      email: row.email,
      userId: addressee.user_id,
      requestId: tenant.cause.requestId,
    })
    return {
      record,
      ...(limit !== undefined && { limit }),
      ...(addressee.user_id !== null && { subjectId: addressee.user_id }),
    }
  })
}

/** The address of the page that spends a token. */
export function magicLinkUrl(baseUrl: string, domain: string, token: string): string {
  return `${baseUrl}/t/${domain}/magic-link?token=${token}`
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
        .onRef('connection.account_id', '=', 'organizations.account_id')
        .on('connection.environment', '=', caller.environment)
        .onRef('connection.organization_id', '=', 'organizations.id'),
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
}

/** A caller who may not read users is told nothing of the user: the link of an address without one leads nowhere. */
function checkUser(addressee: Addressee, caller: Caller): void {
  if (!mayReadUsers(caller)) return
  if (addressee.is_user_active === false) throw new ApiError('user_inactive')
  if (addressee.user_id === null && !addressee.find_or_create_user) throw new ApiError('user_not_found')
}

/** Where the link leads in the end: what the request says, or the password request that it carries. */
async function leadOf(
  deps: Pick<Deps, 'db' | 'now'>,
  tenant: Tenant,
  input: NewMagicLinkChallenge,
  email: string,
): Promise<{ readonly destination: CodeDestination; readonly expiresAt: Date }> {
  const expiresAt = new Date(deps.now().getTime() + lifetimeMs)
  const { request_id: requestId } = input
  if (requestId === undefined)
    return { destination: await chooseDestination(deps.db, tenant, input), expiresAt }
  const request = await findOpenPasswordRequest(deps, deps.db, tenant, { requestId, email })
  if (request === undefined)
    throw invalid('request_id', 'unknown', 'must be an open password request of this address')
  // A link that outlived its request would lead nowhere.
  return { ...request, expiresAt: request.expiresAt < expiresAt ? request.expiresAt : expiresAt }
}

interface Links {
  readonly email: string
  readonly applicationId: string
  readonly newestId: string
  readonly at: Date
}

async function voidOlderLinks(
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, applicationId, newestId, at }: Links,
): Promise<void> {
  const isOfTenant = sql<boolean>`account_id = ${tenant.accountId}
    and environment = ${tenant.environment}
    and organization_id = ${organizationIdOf(tenant)}`
  await trx
    .updateTable('magic_link_challenges')
    .set({ voided_at: at })
    .where(isOfTenant)
    .where(
      sql<boolean>`id = any(array(
        select id from magic_link_challenges
        where ${isOfTenant}
          and email_normalized = ${email}
          and application_id = ${applicationId}
          and id <> ${newestId}
          and used_at is null
          and voided_at is null
        order by inserted_at desc, id desc
        offset ${maxOpenLinks - 1}
      ))`,
    )
    .execute()
}
