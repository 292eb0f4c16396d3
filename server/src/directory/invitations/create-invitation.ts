import { maxPendingInvitations, type Invitation, type NewInvitation } from '@portico/contract/invitations'
import { sql, type Kysely, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { insertWhere } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import { ofTenant, tenantColumns } from '../../platform/db/tenant-predicate.js'
import { countRows } from '../../platform/db/totals.js'
import { domainOfEmail, normalizeEmail } from '../../platform/email.js'
import { ApiError, invalid } from '../../platform/errors.js'
import type { Caller, Tenant } from '../../platform/tenant.js'
import { issuerOf } from '../../tokens/claims.js'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { isEmailDomainAllowed } from '../allowed-domain.js'
import { findApplicationForSignIn } from '../applications/applications.js'
import { isConfigured } from '../configured.js'
import { ownsDomain, selfAndParentsOf } from '../domains/authority.js'
import { lockDeclaredKeys } from '../meta-keys/declared-keys.js'
import { checkMetaValue } from '../meta-keys/meta-value.js'
import { emitInvitation, endInvitation, invitationsOf } from '../pending-invitations/pending.js'
import { checkMayGive, getRoleIds } from '../role-ids.js'
import { countPolicySeats } from '../organization-policy/seats.js'
import { usersOf } from '../users/whole-user.js'
import { invitationsOfDay, takeMail } from './invitation-limits.js'
import { enqueueInvitation } from './invitations.js'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Invites an address. A mail carries the URL, or, with send_email false, the answer.
 *
 * @throws ApiError `organization_not_found`, `application_not_found`, `no_application`, `meta_key_not_found`,
 *   `email_domain_not_allowed`, `seats_exhausted`, `invitation_taken`, `already_member`, `invitations_exhausted`,
 *   `rate_limited`, `insufficient_scope` for roles without the scope to give them, and `invalid_parameters` for a redirect URI that
 *   the application does not allow, roles that are not there, and an address whose users a directory must provision.
 */
export function createInvitation(
  deps: Deps,
  caller: Caller & Tenant,
  input: NewInvitation,
): Promise<Changed<Invitation>> {
  return create(deps, caller, { input, isUrlReturned: !input.send_email })
}

/**
 * The same by an operator, who hands the URL to whom they know: it proves the mailbox as one does that was mailed.
 *
 * @throws ApiError As createInvitation() does.
 */
export function createHandedInvitation(
  deps: Deps,
  caller: Caller & Tenant,
  input: NewInvitation & { readonly send_email: false },
): Promise<Changed<Invitation>> {
  return create(deps, caller, { input, isUrlReturned: false })
}

async function create(
  deps: Deps,
  caller: Caller & Tenant,
  { input, isUrlReturned }: { readonly input: NewInvitation; readonly isUrlReturned: boolean },
): Promise<Changed<Invitation>> {
  checkMayGive(caller, input.roles)
  const email = normalizeEmail(input.email)
  await checkAddress(deps.db, caller, email)
  await checkDestination(deps.db, caller, input)
  const known = await whyNotInvited(deps, deps.db, caller, email)
  if (known !== undefined) throw new ApiError(known)
  const state = input.send_email ? await takeMail(deps, caller, email) : undefined
  await deps.limits.take(invitationsOfDay, caller)
  const token = input.send_email ? undefined : randomSecret()
  return change(deps, caller.cause, async (trx) => {
    const id = await insertInvitation(deps, trx, caller, { input, email, token, isUrlReturned })
    const code = 'invitation.invitation.create.success'
    const created = await emitInvitation(deps, trx, caller, { id, code, at: deps.now() })
    const { domain } = caller
    const url = token === undefined ? null : invitationUrl(deps.config.baseUrl, domain, token)
    return {
      ...created,
      record: { ...created.record, invitation_url: url },
      ...(state !== undefined && { limit: state }),
    }
  })
}

/** The address of the page of an invitation. */
export function invitationUrl(baseUrl: string, domain: string, token: string): string {
  return `${issuerOf(baseUrl, domain)}/invitations/${token}`
}

/** @throws ApiError `organization_not_found`, `email_domain_not_allowed`, `invalid_parameters` */
async function checkAddress(db: Kysely<DB>, tenant: Tenant, email: string): Promise<void> {
  const emailDomain = domainOfEmail(email)
  const organization = await db
    .selectFrom('organizations')
    .where('organizations.account_id', '=', tenant.accountId)
    .where('organizations.domain', '=', tenant.domain)
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${tenant.organizationIds}::uuid[] is null or organizations.id = any(${tenant.organizationIds}::uuid[]))`,
    )
    .select([
      'organizations.allowed_email_domains',
      sql<boolean>`exists (
        select from sso_connections as connection
        where ${ofTenant(tenant, 'connection')}
          and ${ownsDomain('connection', { emailDomain, emailDomains: selfAndParentsOf(emailDomain) })}
          and connection.active
          and ${isConfigured()}
          and connection.user_security_type = 'user_provisionned'
      )`.as('is_provisioned'),
    ])
    .executeTakeFirst()
  if (organization === undefined) throw new ApiError('organization_not_found')
  if (!isEmailDomainAllowed(organization.allowed_email_domains, email))
    throw new ApiError('email_domain_not_allowed')
  if (organization.is_provisioned)
    throw invalid(
      'email',
      'needs_provisioning',
      'must be provisioned by the directory, as its SSO connection demands',
    )
}

/** @throws ApiError `application_not_found`, `no_application`, `invalid_parameters` */
async function checkDestination(db: Kysely<DB>, tenant: Tenant, input: NewInvitation): Promise<void> {
  const { application_id: applicationId, redirect_uri: redirectUri } = input
  const chosen = await findApplicationForSignIn(db, tenant, { applicationId, redirectUri })
  if (redirectUri !== undefined && chosen.redirectUri !== redirectUri)
    throw invalid(
      'redirect_uri',
      'not_allowed',
      'must be one of allowed_redirect_urls of an application of the organization',
    )
}

interface InvitationToInsert {
  readonly input: NewInvitation
  readonly email: string
  readonly token: string | undefined
  /** The API returns the URL: whoever has it has not proved the mailbox. */
  readonly isUrlReturned: boolean
}

/** @returns The id of the new invitation. */
async function insertInvitation(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { input, email, token, isUrlReturned }: InvitationToInsert,
): Promise<string> {
  const at = deps.now()
  const id = newId()
  const roleIds = await getRoleIds(trx, tenant, input.roles ?? [])
  await checkMetadata(trx, tenant, input.metadata ?? [])
  await expireEarlier(deps, trx, tenant, { email, at })
  await checkSeats(trx, tenant, at)
  const { profile } = input
  const { actor } = tenant.cause
  const row = {
    ...tenantColumns(tenant),
    ...{ id, email: input.email, email_normalized: email, state: 'pending' },
    token_hash: token === undefined ? null : hashSecret(token),
    is_url_returned: isUrlReturned,
    role_ids: sql`${[...roleIds]}::uuid[]`,
    chosen_application_id: input.application_id ?? null,
    redirect_uri: input.redirect_uri ?? null,
    locale: input.locale ?? null,
    profile: JSON.stringify({
      given_name: profile?.given_name ?? null,
      family_name: profile?.family_name ?? null,
    }),
    metadata: JSON.stringify(input.metadata ?? []),
    message: input.message ?? null,
    ...{ inviter_type: actor.type, inviter_id: actor.id },
    expires_at: new Date(at.getTime() + input.expires_in_days * dayMs),
    last_sent_at: token === undefined ? at : null,
    sends: token === undefined ? 1 : 0,
    ...{ version: 1, inserted_at: at, updated_at: at },
  }
  const inserted = await insertWhere(trx, 'invitations', row, mayBeInvited(trx, tenant, { email, at }))
    .onConflict((conflict) => conflict.doNothing())
    .returning(['organization_id', 'id'])
    .executeTakeFirst()
  if (inserted === undefined)
    throw new ApiError((await whyNotInvited(deps, trx, tenant, email)) ?? 'invitations_exhausted')
  if (token === undefined) await enqueueInvitation(deps, trx, tenant, inserted)
  return id
}

/** @throws ApiError `meta_key_not_found`, `invalid_parameters` */
async function checkMetadata(
  trx: Transaction<DB>,
  tenant: Tenant,
  metadata: NonNullable<NewInvitation['metadata']>,
): Promise<void> {
  if (metadata.length === 0) return
  const types = new Map((await lockDeclaredKeys(trx, tenant)).map(({ name, type }) => [name, type]))
  for (const [index, { key, value }] of metadata.entries()) {
    const type = types.get(key)
    if (type === undefined) throw new ApiError('meta_key_not_found')
    checkMetaValue(type, value, `metadata.${index}.value`)
  }
}

interface InvitedAddress {
  readonly email: string
  readonly at: Date
}

/** Turns the invitation of before, whose time is over, so that it does not stand in the way. */
async function expireEarlier(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { email, at }: InvitedAddress,
): Promise<void> {
  const earlier = await invitationsOf(trx, tenant)
    .where('invitations.email_normalized', '=', email)
    .where('invitations.state', '=', 'pending')
    .where('invitations.expires_at', '<=', at)
    .select('invitations.id')
    .executeTakeFirst()
  if (earlier !== undefined)
    await endInvitation(deps, trx, tenant, { id: earlier.id, end: { state: 'expired' }, at })
}

/**
 * Pending invitations reserve seats against other invitations; no other door waits for somebody who may not come.
 *
 * @throws ApiError `seats_exhausted`
 */
async function checkSeats(trx: Transaction<DB>, tenant: Tenant, at: Date): Promise<void> {
  const { limit: seats, taken } = await countPolicySeats(trx, tenant)
  if (seats === 0) return
  const reserved = await countRows(pendingAt(trx, tenant, at))
  if (taken + reserved >= seats) throw new ApiError('seats_exhausted')
}

function pendingAt(db: Kysely<DB>, tenant: Tenant, at: Date) {
  return invitationsOf(db, tenant)
    .where('invitations.state', '=', 'pending')
    .where('invitations.expires_at', '>', at)
}

function mayBeInvited(trx: Transaction<DB>, tenant: Tenant, { email, at }: InvitedAddress) {
  const users = usersOf(trx, tenant).where('users.email_normalized', '=', email).select('users.id')
  const pending = pendingAt(trx, tenant, at).select('invitations.id').limit(maxPendingInvitations)
  return sql<boolean>`not exists (${users})
    and (select count(*) from (${pending}) as pending) < ${maxPendingInvitations}`
}

async function whyNotInvited(
  { now }: Pick<Deps, 'now'>,
  db: Kysely<DB>,
  tenant: Tenant,
  email: string,
): Promise<'already_member' | 'invitation_taken' | undefined> {
  const user = usersOf(db, tenant).where('users.email_normalized', '=', email).select('users.id')
  if ((await user.executeTakeFirst()) !== undefined) return 'already_member'
  const pending = pendingAt(db, tenant, now()).where('invitations.email_normalized', '=', email)
  const taken = await pending.select('invitations.id').executeTakeFirst()
  return taken === undefined ? undefined : 'invitation_taken'
}
