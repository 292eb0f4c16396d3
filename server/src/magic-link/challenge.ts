import type { MagicLinkChallenge, NewMagicLinkChallenge } from '@portico/contract/magic-link'
import { sql, type Kysely, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { findApplicationForSignIn } from '../applications/applications.js'
import { hashSecret, randomSecret } from '../crypto/secret.js'
import { organizationIdOf } from '../db/organization-id.js'
import type { DB } from '../db/schema.js'
import type { Deps } from '../deps.js'
import { ApiError, invalid } from '../errors.js'
import { change, type Changed } from '../events/change.js'
import { emit } from '../events/emit.js'
import { enqueue } from '../jobs/enqueue.js'
import { logEvent } from '../log-events/log-event.js'
import { isEmailDomainAllowed } from '../sessions/complete-sign-in.js'
import type { Caller, Tenant } from '../tenant.js'
import { normalizeEmail } from '../users/email.js'
import { lockLinksOf } from './lock.js'
import { toMagicLinkChallenge } from './record.js'

const lifetimeMs = 15 * 60 * 1000
/** Open links of one address for one application: more would only be more doors. */
const maxOpenLinks = 3

/** openid asks for an ID token; magic_link tells an access token's readers how its user came in. */
const grantedScope = 'openid magic_link'

/**
 * Makes a single-use link that signs a user in. Either the link is in the answer, or a mail job carries its ids and
 * makes the token when it sends the mail.
 *
 * @throws ApiError `organization_not_found`, `connection_inactive`, `email_domain_not_allowed`, `user_not_found`,
 *   `user_inactive`, `application_not_found`, `no_application`, and `invalid_parameters` when the application demands
 *   PKCE and the code_challenge is missing.
 */
export async function createMagicLinkChallenge(
  deps: Deps,
  caller: Caller,
  input: NewMagicLinkChallenge,
): Promise<Changed<MagicLinkChallenge>> {
  const email = normalizeEmail(input.user_email)
  const addressee = await findAddressee(deps.db, caller, email, input.org_domain)
  checkAddressee(addressee, email)
  const tenant = { ...caller, domain: addressee.domain }
  const { application, redirectUri } = await findApplicationForSignIn(deps.db, tenant, {
    applicationId: input.application_id,
    redirectUri: input.redirect_uri,
  })
  checkCodeChallenge(input, application.code_exchange)

  const token = input.send_email ? undefined : randomSecret()
  return change(deps, caller.cause, async (trx) => {
    const at = deps.now()
    await lockLinksOf(trx, { ...tenant, applicationId: application.id, email })
    const row = await trx
      .insertInto('magic_link_challenges')
      .values({
        account_id: tenant.accountId,
        environment: tenant.environment,
        organization_id: organizationIdOf(tenant),
        id: uuidv7(),
        application_id: application.id,
        email: input.user_email,
        email_normalized: email,
        redirect_uri: redirectUri,
        find_or_create_user: addressee.find_or_create_user,
        is_link_returned: token !== undefined,
        token_hash: token === undefined ? null : hashSecret(token),
        state: input.state ?? null,
        nonce: input.nonce ?? null,
        code_challenge: input.code_challenge ?? null,
        scope: grantedScope,
        expires_at: new Date(at.getTime() + lifetimeMs),
        inserted_at: at,
      })
      .returning(['id', 'organization_id', 'email', 'find_or_create_user', 'expires_at'])
      .executeTakeFirstOrThrow()
    await voidOlderLinks(trx, tenant, { email, applicationId: application.id, newestId: row.id, at })
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
      clientId: application.id,
      email: row.email,
      userId: addressee.user_id,
      requestId: tenant.cause.requestId,
    })
    return { record, ...(addressee.user_id !== null && { subjectId: addressee.user_id }) }
  })
}

/** The address of the page that spends a token. */
export function magicLinkUrl(baseUrl: string, domain: string, token: string): string {
  return `${baseUrl}/t/${domain}/magic-link?token=${token}`
}

/** The organization that the address belongs to, its connection, and the user with the address, if there is one. */
interface Addressee {
  readonly domain: string
  readonly allowed_email_domains: string[] | null
  readonly active: boolean
  readonly find_or_create_user: boolean
  readonly user_id: string | null
  readonly is_user_active: boolean | null
}

/** Without a domain it is the one organization, among those the key may see, that allows the address's domain. */
async function findAddressee(
  db: Kysely<DB>,
  caller: Caller,
  email: string,
  domain: string | undefined,
): Promise<Addressee> {
  const { accountId, environment, organizationIds } = caller
  const emailDomain = email.slice(email.lastIndexOf('@') + 1)
  const rows = await db
    .selectFrom('organizations')
    .innerJoin('magic_link_connections as connection', (join) =>
      join
        .onRef('connection.account_id', '=', 'organizations.account_id')
        .on('connection.environment', '=', environment)
        .onRef('connection.organization_id', '=', 'organizations.id'),
    )
    .leftJoin('users', (join) =>
      join
        .onRef('users.account_id', '=', 'organizations.account_id')
        .on('users.environment', '=', environment)
        .onRef('users.organization_id', '=', 'organizations.id')
        .on('users.email_normalized', '=', email)
        .on('users.deleted_at', 'is', null),
    )
    .where('organizations.account_id', '=', accountId)
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${organizationIds}::uuid[] is null or organizations.id = any(${organizationIds}::uuid[]))`,
    )
    .where(
      domain === undefined
        ? sql<boolean>`${emailDomain} = any(organizations.allowed_email_domains)`
        : sql<boolean>`organizations.domain = ${domain}`,
    )
    .select([
      'organizations.domain',
      'organizations.allowed_email_domains',
      'connection.active',
      'connection.find_or_create_user',
      'users.id as user_id',
      'users.active as is_user_active',
    ])
    .limit(2)
    .execute()
  const [addressee] = rows
  if (addressee === undefined || rows.length > 1) {
    throw new ApiError('organization_not_found', {
      ...(domain === undefined && {
        message: 'Not exactly one organization allows the domain of this address: send org_domain.',
      }),
    })
  }
  return addressee
}

function checkAddressee(addressee: Addressee, email: string): void {
  if (!addressee.active) throw new ApiError('connection_inactive')
  if (!isEmailDomainAllowed(addressee.allowed_email_domains, email))
    throw new ApiError('email_domain_not_allowed')
  if (addressee.is_user_active === false) throw new ApiError('user_inactive')
  if (addressee.user_id === null && !addressee.find_or_create_user) throw new ApiError('user_not_found')
}

/** A code that could never be exchanged is refused here, and not when a person waits for it. */
function checkCodeChallenge(input: NewMagicLinkChallenge, codeExchange: string): void {
  const isNeeded = codeExchange === 'pkce' || input.code_challenge_method !== undefined
  if (isNeeded && input.code_challenge === undefined)
    throw invalid('code_challenge', 'required', 'is required: the S256 challenge of RFC 7636')
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
