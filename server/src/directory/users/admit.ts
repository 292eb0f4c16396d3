import type { UserChanges } from '@portico/contract/user-input'
import { sql, type Kysely, type RawBuilder, type Transaction } from 'kysely'
import { insertFrom } from '../../platform/db/insert-if.js'
import { organizationIdOf } from '../../platform/db/organization-id.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { ofOwner, ownerColumns } from '../../platform/db/tenant-predicate.js'
import { totalInOrganization, totalOf } from '../../platform/db/totals.js'
import { ApiError } from '../../platform/errors.js'
import type { Tenant } from '../../platform/tenant.js'
import type { Deps } from '../../delivery/deps.js'
import { createIn, creation } from '../../delivery/events/create.js'
import { isAddressAllowed } from '../allowed-domain.js'
import { isSsoRequired } from '../domains/authority.js'
import { findSeatsLimit } from '../organization-policy/organization-policy.js'
import { insertIdentity, toIdentityRow, type AssertedIdentity } from './identities.js'
import { emissionOfNewUser, knownColumns, userInsertion, type UserInsertion } from './insert-user.js'
import type { MetaDataRow } from './record.js'
import type { SigningInUser } from './signing-in-user.js'
import { writeMappedMetadata } from './stored-metadata.js'

/**
 * The doors by which users come into being, as `via` of the event says: the API, an import, a directory, an identity provider, a
 * link or code of ours, and a partner's relay.
 */
export type Door = 'api' | 'import' | 'directory' | 'sso' | 'link' | 'relay'

type Rule = 'email_domain' | 'sso'

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
  link: ['email_domain', 'sso'],
  relay: [],
}

/** A rule has refused a new user. Each door turns it into its answer. */
export class AdmissionRefused extends Error {
  override readonly name = 'AdmissionRefused'
  constructor(readonly code: 'email_domain_not_allowed' | 'sso_required' | 'seats_exhausted') {
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
 * the policy of the organization limits seats, it inserts only under their lock, which takeSeat() takes.
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
  const conditions = [condition, isSeatFree(user), ...rules[via].map((rule) => conditionOf[rule](user))]
  // With an offset Postgres does not repeat the look-up at each reference.
  const place = sql`(select ${organizationIdOf(user)} as organization_id offset 0) as place`
  return insertFrom(db, 'users', row, sql`from ${place} where ${sql.join(conditions, sql` and `)}`)
}

/** The id of the organization in the statement of insertAdmitted(). */
export const admittedTo = sql.ref<string>('place.organization_id')

/** One look-up by key; users are counted only where there is a limit. */
function isSeatFree(user: UserInsertion) {
  const taken = totalOf('users', user, sql.ref('policy.organization_id'))
  return sql<boolean>`coalesce((
    select policy.seats_limit = 0 or (${user.isSeatLocked}::boolean and ${taken} < policy.seats_limit)
    from organization_policies as policy
    where ${ofOwner({ accountId: user.accountId, environment: user.environment, organizationId: admittedTo }, 'policy')}
  ), true)`
}

const conditionOf: Readonly<Record<Rule, (user: UserInsertion) => RawBuilder<boolean>>> = {
  email_domain: isDomainAllowed,
  sso: (user) => sql<boolean>`not ${isSsoRequiredOf(user)}`,
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
  return isSsoRequired({
    accountId: user.accountId,
    environment: user.environment,
    organizationId: organizationIdOf(user),
    emailNormalized: sql<string>`${user.emailNormalized}::text`,
  })
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
  link: insertionBy('link'),
  relay: insertionBy('relay'),
}

/** A user who was unknown before a sign-in, or the request of one. */
interface Newcomer {
  readonly via: keyof typeof insertions
  readonly id: string
  readonly email: string
  readonly emailVerified: boolean
  /** The profile asserted by an identity provider. */
  readonly profile?: NonNullable<UserChanges['profile']>
  /** Mapped from what the identity provider says. */
  readonly metadata?: readonly MetaDataRow[]
  /** The asserted identity by which the next sign-in finds the user. */
  readonly identity?: AssertedIdentity
}

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
  { via, id, email, emailVerified, profile = {}, metadata = [], identity }: Newcomer,
): Promise<SigningInUser | undefined> {
  const user = userInsertion(deps, tenant, {
    id,
    input: { email, profile },
    emailVerified,
    phoneNumbers: [],
  })
  const identities = identity === undefined ? [] : [toIdentityRow(identity)]
  const emission = emissionOfNewUser(user, tenant, { identities, metadata })
  const insert = insertions[via]
  const attempt = (parameters: UserInsertion) =>
    createIn(deps, trx, atDoor(via, tenant), { insert, parameters, emission })
  let created = await attempt(user)
  if (created === undefined) {
    if (rules[via].length > 0) await checkRules(trx, user)
    if (!(await takeSeat(trx, tenant))) return undefined
    created = await attempt({ ...user, isSeatLocked: true })
  }
  if (created === undefined) return undefined
  if (metadata.length > 0) await writeMappedMetadata(trx, tenant, id, { rows: metadata, removed: [] })
  if (identity !== undefined) await insertIdentity(deps, trx, tenant, { userId: id, ...identity })
  return { id, email, active: user.active, email_verified: emailVerified, email_proved_at: null, isNew: true }
}

/** @throws AdmissionRefused with the first rule that has refused the user. */
async function checkRules(trx: Transaction<DB>, user: UserInsertion): Promise<void> {
  const [found] = await selectRules(trx, user)
  if (found?.is_domain_allowed === false) throw new AdmissionRefused('email_domain_not_allowed')
  if (found?.is_sso_required === true) throw new AdmissionRefused('sso_required')
}

const selectRules = statement((db, user: UserInsertion) =>
  db.selectNoFrom([
    isDomainAllowed(user).as('is_domain_allowed'),
    isSsoRequiredOf(user).as('is_sso_required'),
  ]),
)

/** The user of a door that refuses them is nobody there. */
export function asNobody(error: unknown): undefined {
  if (error instanceof AdmissionRefused) return undefined
  throw error
}

/**
 * Takes the lock of the seats, where the policy of the organization limits them: until the transaction ends, newcomers by other
 * doors wait. The insert that follows says isSeatLocked.
 *
 * @returns Whether seats are limited; without a limit nothing has refused for it, and no lock is taken.
 * @throws AdmissionRefused `seats_exhausted`
 */
export async function takeSeat(trx: Transaction<DB>, tenant: Tenant): Promise<boolean> {
  const seats = await countPolicySeats(trx, tenant)
  if (!hasSeat(seats)) throw new AdmissionRefused('seats_exhausted')
  return seats.limit > 0
}

/** The seats of the organization's policy, counted under the same lock. */
export async function countPolicySeats(trx: Transaction<DB>, tenant: Tenant): Promise<Seats> {
  const { limit, organizationId } = await findSeatsLimit(trx, tenant)
  return organizationId === undefined
    ? { limit: 0, taken: 0 }
    : countSeats(trx, tenant, { organizationId, limit })
}

/** Seats of an organization: how many there are, and how many users have one. */
export interface Seats {
  readonly limit: number
  readonly taken: number
}

/**
 * Counts the seats under a lock until the transaction ends, so that concurrent newcomers cannot exceed them. They are the
 * organization's, whichever door or connection a newcomer comes by.
 *
 * @param limit 0: any number, and nothing is counted.
 */
export async function countSeats(
  trx: Transaction<DB>,
  tenant: Tenant,
  { organizationId, limit }: { readonly organizationId: string; readonly limit: number },
): Promise<Seats> {
  if (limit === 0) return { limit, taken: 0 }
  const name = ['seats', tenant.accountId, tenant.environment, organizationId].join(' ')
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(trx)
  return { limit, taken: await totalInOrganization(trx, 'users', tenant) }
}

/** Whether a newcomer has a seat. */
export function hasSeat({ limit, taken }: Seats): boolean {
  return limit === 0 || taken < limit
}
