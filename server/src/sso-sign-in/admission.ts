import { sql, type Transaction } from 'kysely'
import type { DB } from '../db/schema.js'
import { statement } from '../db/statement.js'
import { totalInOrganization } from '../db/totals.js'
import type { Assertion } from '../saml/validate-response.js'
import { isEmailDomainAllowed } from '../sessions/complete-sign-in.js'
import type { ConnectionKey } from '../sso-connections/connection-key.js'
import type { Tenant } from '../tenant.js'
import { normalizeEmail } from '../users/email.js'
import { lockIdentity } from '../users/identities.js'
import { findUser, findUserByIdentity, type SigningInUser } from '../users/signing-in-user.js'
import { assertedEmail } from './asserted-identity.js'
import { demand, type CheckList } from './demand.js'
import type { LiveConnection } from './live-connection.js'

/** Who may come in by an assertion. */
export interface Admission {
  /** Undefined: somebody new. */
  readonly user: SigningInUser | undefined
  /** By which the user is known; undefined: by their address alone. */
  readonly identityId: string | undefined
  /** As it was asserted. */
  readonly email: string
  /** Whether the connection may speak for the address. */
  readonly isVouched: boolean
}

/**
 * Decides whom an assertion lets in. Nothing is written; what it depends on is held until the transaction ends.
 *
 * @throws CheckRefused
 */
export async function admit(
  trx: Transaction<DB>,
  live: LiveConnection,
  tenant: Tenant,
  { assertion, checks }: { readonly assertion: Assertion; readonly checks: CheckList },
): Promise<Admission> {
  const typed = assertedEmail(assertion)
  demand(checks, 'email', typed !== undefined, {
    received: typed ?? Object.keys(assertion.attributes).join(', '),
  })
  const email = normalizeEmail(typed ?? '')
  const { allowedEmailDomains } = live
  demand(checks, 'email_domain', isEmailDomainAllowed(allowedEmailDomains, email), {
    expected: allowedEmailDomains?.join(', ') ?? null,
    received: email,
  })
  const identity = { kind: 'saml', issuer: live.idpId, subject: assertion.nameId } as const
  await lockIdentity(trx, tenant, identity)
  const known = await findUserByIdentity(trx, tenant, identity)
  const speaksFor = await whomItSpeaksFor(trx, live, email)
  const user = known ?? (await findUser(trx, tenant, email))
  const isLinked =
    known !== undefined || speaksFor === 'vouched' || (user === undefined && speaksFor === 'unclaimed')
  demand(checks, 'linking', isLinked, { received: email })
  await checkPolicy(trx, live, tenant, { user, checks })
  if (user === undefined) await checkSeats(trx, live, tenant, checks)
  demand(checks, 'user_active', user?.active ?? true)
  return { user, identityId: known?.identity_id, email: typed ?? '', isVouched: speaksFor === 'vouched' }
}

/**
 * What a connection may say of an address. `vouched`: its domain is the connection's own, or the organization's, or the
 * connection is the only one there is; `claimed`: another connection has the domain for its own, and this one has not; `unclaimed`: neither. Without
 * this, one identity provider of an organization could take over, or take beforehand, what another's users have.
 */
async function whomItSpeaksFor(
  trx: Transaction<DB>,
  { allowedEmailDomains, ...key }: LiveConnection,
  email: string,
): Promise<'vouched' | 'claimed' | 'unclaimed'> {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const connections = await selectConnections(trx, key)
  const owners = connections.filter(({ email_domains: domains }) => domains.includes(domain))
  const isOwner = owners.some(({ id }) => id === key.connectionId)
  if (owners.length > 0 && !isOwner) return 'claimed'
  const isListed = (allowedEmailDomains ?? []).length > 0
  const isOrganizations = isListed
    ? isEmailDomainAllowed(allowedEmailDomains, email)
    : connections.length === 1
  return isOwner || isOrganizations ? 'vouched' : 'unclaimed'
}

const selectConnections = statement((db, key: Omit<ConnectionKey, 'connectionId'>) =>
  db
    .selectFrom('sso_connections')
    .where('account_id', '=', key.accountId)
    .where('environment', '=', key.environment)
    .where('organization_id', '=', key.organizationId)
    .select(['id', 'email_domains']),
)

interface Applicant {
  readonly user: SigningInUser | undefined
  readonly checks: CheckList
}

async function checkPolicy(
  trx: Transaction<DB>,
  { userPolicy }: LiveConnection,
  tenant: Tenant,
  { user, checks }: Applicant,
): Promise<void> {
  const isMet =
    userPolicy === 'none' ||
    (user !== undefined &&
      (userPolicy === 'user_registered' || (await isFromDirectorySync(trx, tenant, user.id))))
  demand(checks, 'user_policy', isMet, {
    expected: userPolicy,
    received: user === undefined ? 'a user who is not in the directory' : 'a user of the directory',
  })
}

/** Whether directory sync has brought the user. */
async function isFromDirectorySync(trx: Transaction<DB>, tenant: Tenant, userId: string): Promise<boolean> {
  const { rows } = await sql<{ is_synced: boolean }>`
    select exists (
      select from user_identities as identity
      join organizations on organizations.account_id = identity.account_id
        and organizations.id = identity.organization_id
      where identity.account_id = ${tenant.accountId}
        and identity.environment = ${tenant.environment}
        and organizations.domain = ${tenant.domain}
        and identity.user_id = ${userId}
        and identity.kind = 'scim'
    ) as is_synced`.execute(trx)
  return rows[0]?.is_synced ?? false
}

/** Counts while the seats are held, so that of many new users at once as many come in as there are seats. */
async function checkSeats(
  trx: Transaction<DB>,
  { seatsLimit, ...key }: LiveConnection,
  tenant: Tenant,
  checks: CheckList,
): Promise<void> {
  if (seatsLimit === 0) {
    demand(checks, 'seats', true)
    return
  }
  // Of the organization: its seats are the same whichever connection a user comes by.
  const name = ['seats', key.accountId, key.environment, key.organizationId].join(' ')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
  const users = await totalInOrganization(trx, 'users', tenant)
  demand(checks, 'seats', users < seatsLimit, {
    expected: `fewer users than ${seatsLimit}`,
    received: String(users),
  })
}
