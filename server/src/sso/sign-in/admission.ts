import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { totalInOrganization } from '../../platform/db/totals.js'
import { isEmailDomainAllowed } from '../../directory/sessions/complete-sign-in.js'
import type { ConnectionKey } from '../connections/connection-key.js'
import type { Tenant } from '../../platform/tenant.js'
import { normalizeEmail } from '../../platform/email.js'
import { hasIdentityOfIssuer, lockIdentity, type IdentityName } from '../../directory/users/identities.js'
import { findUser, findUserByIdentity, type SigningInUser } from '../../directory/users/signing-in-user.js'
import type { Vouched } from './asserted-identity.js'
import { demand, type CheckList } from './demand.js'
import type { LiveConnection } from './live-connection.js'

/** Who may come in by what an identity provider has said. */
export interface Admission {
  /** Undefined: somebody new. */
  readonly user: SigningInUser | undefined
  /** By which the user is known; undefined: by their address alone. */
  readonly identityId: string | undefined
  /** As it was asserted. */
  readonly email: string
  /** Whether the connection may speak for the address, and the identity provider knows it to be the user's. */
  readonly isVouched: boolean
}

/**
 * Decides whom an identity provider lets in. Nothing is written; what it depends on is held until the transaction ends.
 *
 * @throws CheckRefused
 */
export async function admit(
  trx: Transaction<DB>,
  live: LiveConnection,
  tenant: Tenant,
  { vouched, checks }: { readonly vouched: Vouched; readonly checks: CheckList },
): Promise<Admission> {
  const { email: typed, identity } = vouched
  demand(checks, 'email', typed !== undefined, {
    received: typed ?? Object.keys(vouched.attributes).join(', '),
  })
  const email = normalizeEmail(typed ?? '')
  const { allowedEmailDomains } = live
  demand(checks, 'email_domain', isEmailDomainAllowed(allowedEmailDomains, email), {
    expected: allowedEmailDomains?.join(', ') ?? null,
    received: email,
  })
  await lockIdentity(trx, tenant, identity)
  const known = await findUserByIdentity(trx, tenant, identity)
  const speaksFor = await whomItSpeaksFor(trx, live, email)
  const user = known ?? (await findUser(trx, tenant, email))
  const isVouched = speaksFor === 'vouched' && vouched.isEmailVerified
  const isLinked =
    known !== undefined ||
    (user === undefined
      ? speaksFor !== 'claimed'
      : isVouched && !(user.email_verified && (await isOtherSubject(trx, tenant, user, identity))))
  demand(checks, 'linking', isLinked, {
    received: vouched.isEmailVerified || isLinked ? email : `${email}, which is not said to be verified`,
  })
  await checkPolicy(trx, live, { user, checks })
  if (user === undefined) await checkSeats(trx, live, tenant, checks)
  demand(checks, 'user_active', user?.active ?? true)
  return { user, identityId: known?.identity_id, email: typed ?? '', isVouched }
}

/**
 * Whether the issuer knows the user by another subject already. An OpenID provider gives nobody a second one, so that who
 * comes with it is somebody else, whatever address they say. A NameID changes with what its administrator has sent. A user who
 * has only claimed the address is not asked for: they lose it to whom the issuer knows it to be of.
 */
async function isOtherSubject(
  trx: Transaction<DB>,
  tenant: Tenant,
  user: SigningInUser,
  identity: IdentityName,
): Promise<boolean> {
  return identity.kind === 'oidc' && (await hasIdentityOfIssuer(trx, tenant, user.id, identity))
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
  live: LiveConnection,
  { user, checks }: Applicant,
): Promise<void> {
  const { userPolicy } = live
  const isMet =
    userPolicy === 'none' ||
    (user !== undefined &&
      (userPolicy === 'user_registered' || (await isProvisioned(trx, { ...live, userId: user.id }))))
  demand(checks, 'user_policy', isMet, {
    expected: userPolicy,
    received: isMet ? null : whoIsNot(user),
  })
}

function whoIsNot(user: SigningInUser | undefined): string {
  return user === undefined ? 'nobody who is registered' : 'a registered user whom no directory keeps'
}

/** Whether the user is one of a directory that is active. */
async function isProvisioned(trx: Transaction<DB>, user: ProvisionedUser): Promise<boolean> {
  const [row] = await selectProvisioned(trx, user)
  return row !== undefined
}

type ProvisionedUser = Omit<ConnectionKey, 'connectionId'> & { readonly userId: string }

const selectProvisioned = statement((db, user: ProvisionedUser) =>
  db
    .selectFrom('directory_users')
    .innerJoin('directories', (join) =>
      join
        .onRef('directories.account_id', '=', 'directory_users.account_id')
        .onRef('directories.environment', '=', 'directory_users.environment')
        .onRef('directories.organization_id', '=', 'directory_users.organization_id')
        .onRef('directories.id', '=', 'directory_users.directory_id'),
    )
    .where('directory_users.account_id', '=', user.accountId)
    .where('directory_users.environment', '=', user.environment)
    .where('directory_users.organization_id', '=', user.organizationId)
    .where('directory_users.user_id', '=', user.userId)
    .where('directories.active', '=', true)
    .select('directories.id'),
)

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
