import { sql, type Kysely, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import { lookup } from '../../platform/db/statement.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { countedDomains, isCovered } from '../../directory/domains/authority.js'
import { isAddressInvited, lockPendingInvitations } from '../../directory/pending-invitations/pending.js'
import type { ConnectionKey } from '../connections/connection-key.js'
import type { Tenant } from '../../platform/tenant.js'
import { domainOfEmail, normalizeEmail } from '../../platform/email.js'
import { countSeats, hasSeat } from '../../directory/organization-policy/seats.js'
import { hasIdentityOfIssuer, lockIdentity, type IdentityName } from '../../directory/users/identities.js'
import { findUser, findUserByIdentity, type SigningInUser } from '../../directory/users/signing-in-user.js'
import type { Asserted } from './asserted-identity.js'
import { assertCheck, type CheckList } from './check-list.js'
import type { LiveConnection } from './live-connection.js'
import { ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

/** An assertion that arrives, and the invitation whose page has begun its sign-in. */
export interface Arriving {
  readonly asserted: Asserted
  readonly checks: CheckList
  readonly invited?: FlowInvitation | undefined
  readonly at: Date
}

/** The invitation of a flow. */
export interface FlowInvitation {
  readonly invitationId: string
  readonly email: string
  /** Its URL was mailed, and opened in this browser. */
  readonly isMailboxProved: boolean
}

/** The user whom an assertion authorizes. */
export interface AuthorizedUser {
  /** Undefined for a new user. */
  readonly user: SigningInUser | undefined
  /** Of the identity by which the user was found; undefined where it was their address. */
  readonly identityId: string | undefined
  /** As it was asserted. */
  readonly email: string
  /** Whether the connection has authority for the address, and the identity provider has verified it. */
  readonly isEmailTrusted: boolean
}

/**
 * Authorizes the user of an assertion: address, domain, linking, user policy, seats and activity, in this order. Nothing is
 * written; the rows that it depends on are locked until the transaction ends.
 *
 * @throws CheckRefused
 */
export async function authorizeAssertedUser(
  trx: Transaction<DB>,
  live: LiveConnection,
  tenant: Tenant,
  { asserted, checks, invited, at }: Arriving,
): Promise<AuthorizedUser> {
  const { email: typed, identity } = asserted
  assertCheck(checks, 'email', typed !== undefined, {
    received: typed ?? Object.keys(asserted.attributes).join(', '),
  })
  const email = normalizeEmail(typed ?? '')
  const { allowedEmailDomains } = live
  assertCheck(checks, 'email_domain', isEmailDomainAllowed(allowedEmailDomains, email), {
    expected: allowedEmailDomains?.join(', ') ?? null,
    received: email,
  })
  if (invited !== undefined) {
    const isSame = normalizeEmail(invited.email) === email
    assertCheck(checks, 'invitation', isSame, { expected: invited.email, received: email })
  }
  await lockIdentity(trx, tenant, identity)
  const known = await findUserByIdentity(trx, tenant, identity)
  const authority = await authorityFor(trx, live, email)
  const user = known ?? (await findUser(trx, tenant, email))
  const isVouchedFor = authority === 'trusted' && asserted.isEmailVerified
  const isLinked =
    known !== undefined ||
    (user === undefined
      ? authority !== 'refused'
      : isVouchedFor && !(user.email_verified && (await isOtherSubject(trx, tenant, user, identity))))
  assertCheck(checks, 'linking', isLinked, {
    expected: isLinked || authority === 'trusted' ? null : missingDomain(live, email),
    received: asserted.isEmailVerified || isLinked ? email : `${email}, which is not said to be verified`,
  })
  // By the URL of an invitation that was mailed; it links nobody who is there.
  const isProved = user === undefined && invited?.isMailboxProved === true
  const isEmailTrusted = isVouchedFor || isProved
  await checkPolicy(trx, live, { user, checks, newcomer: isEmailTrusted ? { email, at } : undefined })
  if (user === undefined) await checkSeats(trx, live, tenant, { email, checks })
  assertCheck(checks, 'user_active', user?.active ?? true)
  return { user, identityId: known?.identity_id, email: typed ?? '', isEmailTrusted }
}

/**
 * Whether the issuer knows the user by another subject. An OpenID provider gives each user one subject, so that another one
 * is another person, whatever the address. A NameID may change with the attributes that its administrator sends. A user
 * with an unverified address is not considered: they lose it to the user of whom the issuer asserts it.
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
 * The authority of a connection for an address. `trusted`: it is authoritative for the domain, or for every address; `refused`: the
 * domain belongs to another connection, or other domains are refused; `unclaimed`: it may bring new users, unverified.
 */
export async function authorityFor(
  trx: Kysely<DB>,
  { authoritativeDomains, otherDomains, ...key }: LiveConnection,
  email: string,
): Promise<'trusted' | 'refused' | 'unclaimed'> {
  const domain = domainOfEmail(email)
  if (isCovered(authoritativeDomains, domain)) return 'trusted'
  const others = (await selectConnections(trx, key)).filter(({ id }) => id !== key.connectionId)
  const isOthers = others.some(
    (other) => other.email_domains.includes(domain) || isCovered(other.counted_domains, domain),
  )
  if (isOthers || otherDomains === 'refuse') return 'refused'
  return otherDomains === 'any_address' ? 'trusted' : 'unclaimed'
}

const selectConnections = lookup((db, key: Omit<ConnectionKey, 'connectionId'>) =>
  db
    .selectFrom('sso_connections')
    .where(ofOwner(key))
    .select([
      'id',
      'email_domains',
      countedDomains(sql.ref('sso_connections.email_domains'), 'sso_connections').as('counted_domains'),
    ]),
)

/** The remedy beside the address: which domain is missing, and where. */
function missingDomain({ authoritativeDomains }: LiveConnection, email: string): string {
  const own = authoritativeDomains.filter((entry) => !entry.startsWith('.')).join(', ')
  const domain = domainOfEmail(email)
  return `${domain} among email_domains of the connection, and verified or declared${own === '' ? '' : `; it is authoritative for ${own}`}`
}

/** The person whom the policy of a connection lets in, or not. */
interface Applicant {
  readonly user: Pick<SigningInUser, 'id'> | undefined
  /** A newcomer whose address is proved: an invitation counts as registration, never as provisioning. */
  readonly newcomer: { readonly email: string; readonly at: Date } | undefined
}

async function checkPolicy(
  trx: Transaction<DB>,
  live: LiveConnection,
  { checks, ...applicant }: Applicant & { readonly checks: CheckList },
): Promise<void> {
  const isMet = await isPolicyMet(trx, live, applicant)
  assertCheck(checks, 'user_policy', isMet, {
    expected: live.userPolicy,
    received: isMet ? null : unmetPolicyOf(applicant),
  })
}

/** Whether the policy of a connection lets a user, or a newcomer, in. */
export async function isPolicyMet(
  db: Kysely<DB>,
  live: LiveConnection,
  { user, newcomer }: Applicant,
): Promise<boolean> {
  const { userPolicy } = live
  if (userPolicy === 'none') return true
  if (user !== undefined)
    return userPolicy === 'user_registered' || isProvisioned(db, { ...live, userId: user.id })
  if (userPolicy !== 'user_registered' || newcomer === undefined) return false
  return isAddressInvited(db, { ...live, emailNormalized: newcomer.email, at: newcomer.at })
}

function unmetPolicyOf({ user }: Applicant): string {
  return user === undefined ? 'nobody who is registered' : 'a registered user whom no directory keeps'
}

/** Whether an active directory provisions the user. */
async function isProvisioned(db: Kysely<DB>, user: ProvisionedUser): Promise<boolean> {
  const [row] = await selectProvisioned(db, user)
  return row !== undefined
}

type ProvisionedUser = Omit<ConnectionKey, 'connectionId'> & { readonly userId: string }

const selectProvisioned = lookup((db, user: ProvisionedUser) =>
  db
    .selectFrom('directory_users')
    .innerJoin('directories', (join) =>
      join
        .on(sameTenant('directories', 'directory_users'))
        .onRef('directories.id', '=', 'directory_users.directory_id'),
    )
    .where(ofOwner(user, 'directory_users'))
    .where('directory_users.user_id', '=', user.userId)
    .where('directories.active', '=', true)
    .select('directories.id'),
)

/** The seats are the organization's, across its connections. */
async function checkSeats(
  trx: Transaction<DB>,
  { seatsLimit: limit, organizationId }: LiveConnection,
  tenant: Tenant,
  { email, checks }: { readonly email: string; readonly checks: CheckList },
): Promise<void> {
  // In the order of every door, so that none waits for another: the invitation of the address, then the seats.
  if (limit > 0) await lockPendingInvitations(trx, tenant, [email])
  const seats = await countSeats(trx, tenant, { organizationId, limit })
  if (limit === 0) {
    assertCheck(checks, 'seats', true)
    return
  }
  assertCheck(checks, 'seats', hasSeat(seats), {
    expected: `fewer users than ${limit}`,
    received: String(seats.taken),
  })
}
