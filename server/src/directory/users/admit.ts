import type { UserChanges } from '@portico/contract/user-input'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { ofOwner, ownerColumns } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { createIn, creation } from '../../delivery/events/create.js'
import { isAddressAllowed } from '../allowed-domain.js'
import { isOfVerifiedDomain, isSsoRequired } from '../domains/authority.js'
import { endInvitation, isInvited, lockPendingInvitations } from '../pending-invitations/pending.js'
import type { InvitationRow } from '../pending-invitations/invitation.js'
import { countPolicySeats, hasSeat } from '../organization-policy/seats.js'
import { giveRoles } from './give-roles.js'
import { insertIdentity, toIdentityRow, type AssertedIdentity, type KnownIdentity } from './identities.js'
import { emissionOfNewUser, knownColumns, userInsertion, type UserInsertion } from './insert-user.js'
import type { MetaDataRow } from './record.js'
import { acceptInvitation, readInvited } from './accepted-invitation.js'
import type { SigningInUser } from './signing-in-user.js'
import { writeMappedMetadata } from './stored-metadata.js'

/**
 * The doors by which users come into being, as `via` of the event says: the API, an import, a directory, an identity provider, a
 * link or code of ours, a social provider, a partner's relay, the mailed URL of an invitation, and the verified domain of the address.
 */
export type Door =
  | 'api'
  | 'import'
  | 'directory'
  | 'sso'
  | 'social'
  | 'link'
  | 'relay'
  | 'invitation'
  | 'join'

type Rule = 'email_domain' | 'sso' | 'verified_domain'

/**
 * The rules of each door that the insert itself asks, so that no change of them comes between. The list of domains gates
 * sign-ins: neither the API nor an import asks it, a relay's partner has none, a directory and an identity provider have
 * answers of their own for it, and are no way around single sign-on.
 */
const rules: Readonly<Record<Door, readonly Rule[]>> = {
  api: [],
  import: [],
  directory: [],
  sso: [],
  social: ['email_domain', 'sso'],
  link: ['email_domain', 'sso'],
  relay: [],
  invitation: ['email_domain', 'sso'],
  join: ['verified_domain', 'email_domain', 'sso'],
}

/** A rule has refused a new user. Each door turns it into its answer. */
export class AdmissionRefused extends Error {
  override readonly name = 'AdmissionRefused'
  constructor(
    readonly code: 'join_not_allowed' | 'email_domain_not_allowed' | 'sso_required' | 'seats_exhausted',
  ) {
    super(`refused by ${code}`)
  }
}

/** Why a user was refused, where the door tells its log. */
export function refusalOf(error: unknown): AdmissionRefused['code'] {
  if (error instanceof AdmissionRefused) return error.code
  throw error
}

/** The answer of the API to a refusal. */
export function asApiError(error: unknown): never {
  throw error instanceof AdmissionRefused ? new ApiError(error.code, { cause: error }) : error
}

/**
 * Inserts a user into the tenant's organization by a door, if its rules and a condition hold: the only statement that does. Where
 * the policy of the organization limits seats, or an invitation waits for the address, it inserts only what
 * lockSeatAndInvitation() has locked.
 *
 * @param condition May refer to `admittedTo`, the id of the organization, which is looked up once.
 * @returns A query that inserts the row, or nothing when a rule or the condition does not hold; it fails on `users_email_key`
 *   when the address belongs to another user.
 */
export function insertAdmitted(
  via: Door,
  db: Kysely<DB>,
  user: UserInsertion,
  condition: RawBuilder<boolean> = sql<boolean>`true`,
) {
  // Named and not spread: placeholders of a statement have no members of their own.
  const { accountId, environment } = user
  const row = {
    ...ownerColumns({ accountId, environment, organizationId: admittedTo }),
    ...knownColumns(user),
    email_normalized: user.emailNormalized,
  }
  const conditions = [
    condition,
    isSeatFree(user),
    isInvitationHeld(user),
    ...rules[via].map((rule) => conditionOf[rule](user)),
  ]
  // With an offset Postgres does not repeat the look-up at each reference.
  const place = sql`(select ${organizationIdOf(user)} as organization_id offset 0) as place`
  return insertFrom(db, 'users', row, sql`from ${place} where ${sql.join(conditions, sql` and `)}`)
}

/** The id of the organization in the statement of insertAdmitted(). */
export const admittedTo = sql.ref<string>('place.organization_id')

/** One look-up of a key. Who holds the seats has counted them. */
function isSeatFree({ accountId, environment, isHeld }: UserInsertion) {
  return sql<boolean>`coalesce((
    select policy.seats_limit = 0 or ${isHeld}::boolean
    from organization_policies as policy
    where ${ofOwner({ accountId, environment, organizationId: admittedTo }, 'policy')}
  ), true)`
}

/** One look-up of a key, where the invitation is not held. */
function isInvitationHeld({ accountId, environment, emailNormalized, isHeld }: UserInsertion) {
  const invited = { accountId, environment, organizationId: admittedTo }
  const email = sql<string>`${emailNormalized}::text`
  return sql<boolean>`(${isHeld}::boolean or not ${isInvited({ ...invited, emailNormalized: email }, undefined)})`
}

const conditionOf: Readonly<Record<Rule, (user: UserInsertion) => RawBuilder<boolean>>> = {
  email_domain: isDomainAllowed,
  sso: (user) => sql<boolean>`not ${isSsoRequiredOf(user)}`,
  verified_domain: (user) => isOfVerifiedDomain(addressOf(user)),
}

function isDomainAllowed(
  user: Pick<UserInsertion, 'accountId' | 'domain' | 'organizationIds' | 'emailNormalized'>,
) {
  return sql<boolean>`exists (
    select from organizations
    where organizations.account_id = ${user.accountId}
      and organizations.id = ${organizationIdOf(user)}
      and ${isAddressAllowed(sql<string>`${user.emailNormalized}::text`)}
  )`
}

function isSsoRequiredOf(user: UserInsertion) {
  return isSsoRequired(addressOf(user))
}

function addressOf(user: UserInsertion) {
  return {
    accountId: user.accountId,
    environment: user.environment,
    organizationId: organizationIdOf(user),
    emailNormalized: sql<string>`${user.emailNormalized}::text`,
  }
}

/** The tenant with a cause whose events say the door. */
export function atDoor(via: Door, tenant: Tenant): Tenant {
  const { cause } = tenant
  return { ...tenant, cause: { ...cause, params: () => ({ ...cause.params(), via }) } }
}

function insertionBy(via: Door) {
  return creation((db, user: UserInsertion) =>
    insertAdmitted(via, db, user)
      .onConflict((conflict) => conflict.doNothing())
      .returning('users.organization_id'),
  )
}

const insertions = {
  api: insertionBy('api'),
  sso: insertionBy('sso'),
  social: insertionBy('social'),
  link: insertionBy('link'),
  relay: insertionBy('relay'),
  invitation: insertionBy('invitation'),
  join: insertionBy('join'),
}

/** A user who was unknown before a sign-in, or the request of one. */
interface Newcomer {
  readonly via: keyof typeof insertions
  readonly id: string
  readonly email: string
  readonly emailVerified: boolean
  /** By the owner of its mailbox, at this sign-in: they take the invitation of the address, which ends where others have it. */
  readonly isAddressProven?: boolean
  /** The door lets in nobody without an invitation, as the door `invitation`. */
  readonly isOnlyInvited?: boolean
  /** The profile asserted by an identity provider. */
  readonly profile?: NonNullable<UserChanges['profile']>
  /** Mapped from what the identity provider says. */
  readonly metadata?: readonly MetaDataRow[]
  /** The asserted identity by which the next sign-in finds the user. */
  readonly identity?: AssertedIdentity
  /** Of the door `join`. */
  readonly roles?: {
    readonly roleIds: readonly string[]
    /** The request that was approved; nil where none was needed. */
    readonly sourceId: string
  }
}

/** The same with an id for the identity, which the event of the new user names. */
type Admitted = Omit<Newcomer, 'identity'> & { readonly identity?: KnownIdentity }

/**
 * Admits the user of an address or of an asserted identity. The doors whose request is one statement of its own, the API,
 * imports and directories, insert by insertAdmitted().
 *
 * @returns Undefined when the address belongs to a user already, who is not admitted again.
 * @throws AdmissionRefused
 */
export async function admit(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { identity, ...asked }: Newcomer,
): Promise<SigningInUser | undefined> {
  const newcomer = { ...asked, ...(identity !== undefined && { identity: { ...identity, id: newId() } }) }
  const { via } = newcomer
  const plain = toAdmission(deps, tenant, newcomer)
  const isOnlyInvited = via === 'invitation' || newcomer.isOnlyInvited === true
  // The invitation is there: an insert beside it would insert nothing.
  if (!isOnlyInvited) {
    const user = await insertNewcomer(deps, trx, tenant, newcomer, plain)
    if (user !== undefined) return user
  }
  if (rules[via].length > 0) await checkRules(trx, via, plain.user)
  const at = deps.now()
  const { emailNormalized } = plain.user
  const held = await lockSeatAndInvitation(trx, tenant, emailNormalized, at)
  const { invitation } = held
  // Its time was over, or it was revoked, in this moment.
  if (isOnlyInvited && invitation === undefined) return undefined
  const isTaken = invitation !== undefined && newcomer.isAddressProven === true
  const said = isTaken ? await readInvited(trx, tenant, invitation) : undefined
  const admission = toAdmission(deps, tenant, newcomer, said)
  const user = await insertNewcomer(deps, trx, tenant, newcomer, {
    ...admission,
    user: { ...admission.user, isHeld: true },
  })
  if (user === undefined || invitation === undefined) return user
  const taking = { invitation, userId: user.id, email: user.email, at }
  if (isTaken) await acceptInvitation(deps, trx, tenant, taking)
  else await revokeHeld(deps, trx, tenant, held)
  return user
}

/** A newcomer as the row, with what an invitation says where nothing else does. */
function toAdmission(
  deps: Deps,
  tenant: Tenant,
  { id, email, emailVerified, profile, metadata = [], identity }: Admitted,
  invited?: Awaited<ReturnType<typeof readInvited>>,
) {
  const user = userInsertion(deps, tenant, {
    id,
    input: { email, profile: { ...invited?.profile, ...profile } },
    emailVerified,
    phoneNumbers: [],
  })
  const mapped = new Set(metadata.map((row) => row.key_id))
  const rows = [...metadata, ...(invited?.metadata ?? []).filter((row) => !mapped.has(row.key_id))].toSorted(
    (one, other) => (one.name < other.name ? -1 : 1),
  )
  const identities = identity === undefined ? [] : [toIdentityRow(identity)]
  return { user, rows, emission: emissionOfNewUser(user, tenant, { identities, metadata: rows }) }
}

/** @returns Undefined when a rule has refused them, or the address belongs to another user. */
async function insertNewcomer(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { via, id, email, emailVerified, identity, roles }: Admitted,
  { user, rows, emission }: ReturnType<typeof toAdmission>,
): Promise<SigningInUser | undefined> {
  const insert = insertions[via]
  const created = await createIn(deps, trx, atDoor(via, tenant), { insert, parameters: user, emission })
  if (created === undefined) return undefined
  if (rows.length > 0) await writeMappedMetadata(trx, tenant, id, { rows, removed: [] })
  if (identity !== undefined)
    await insertIdentity(deps, trx, tenant, { ...identity, userId: id, hasCreatedUser: true })
  if (roles !== undefined)
    await giveRoles(deps, trx, tenant, { ...roles, userId: id, source: 'join', at: user.at })
  return { id, email, active: user.active, email_verified: emailVerified, email_proved_at: null, isNew: true }
}

/** @throws AdmissionRefused with the first rule that has refused the user. */
async function checkRules(trx: Transaction<DB>, via: Door, user: UserInsertion): Promise<void> {
  const [found] = await selectRules(trx, user)
  if (rules[via].includes('verified_domain') && found?.is_domain_verified === false)
    throw new AdmissionRefused('join_not_allowed')
  if (found?.is_domain_allowed === false) throw new AdmissionRefused('email_domain_not_allowed')
  if (found?.is_sso_required === true) throw new AdmissionRefused('sso_required')
}

const selectRules = statement((db, user: UserInsertion) =>
  db.selectNoFrom([
    isDomainAllowed(user).as('is_domain_allowed'),
    isSsoRequiredOf(user).as('is_sso_required'),
    isOfVerifiedDomain(addressOf(user)).as('is_domain_verified'),
  ]),
)

/** The user of a door that refuses them is nobody there. */
export function asNobody(error: unknown): undefined {
  if (error instanceof AdmissionRefused) return undefined
  throw error
}

/** What holds newcomers back until their door has locked it. */
interface Held {
  /** Of the address, where one waits for it. */
  readonly invitation: InvitationRow | undefined
  readonly at: Date
}

/**
 * Locks what holds the newcomer of an address back: the invitation of the address, and the seats, where the policy of the
 * organization limits them. Until the transaction ends, newcomers by other doors wait. The insert that follows says isHeld.
 *
 * @param emailNormalized Of the newcomer.
 * @throws AdmissionRefused `seats_exhausted`
 */
export async function lockSeatAndInvitation(
  trx: Transaction<DB>,
  tenant: Tenant,
  emailNormalized: string,
  at: Date,
): Promise<Held> {
  const rows = await lockPendingInvitations(trx, tenant, [emailNormalized])
  const seats = await countPolicySeats(trx, tenant)
  if (!hasSeat(seats)) throw new AdmissionRefused('seats_exhausted')
  return { invitation: rows.find((row) => row.expires_at > at), at }
}

/** Revokes the invitation of an address whose user came in without it. */
export async function revokeHeld(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  { invitation, at }: Held,
): Promise<void> {
  if (invitation !== undefined)
    await endInvitation(deps, trx, tenant, { id: invitation.id, end: { state: 'revoked' }, at })
}
