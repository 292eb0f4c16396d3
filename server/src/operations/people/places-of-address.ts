import { sql, type Kysely } from 'kysely'
import { isSsoRequired } from '../../directory/domains/authority.js'
import { isPasskeyUsableByUserOf } from '../../directory/sessions/passkey-held.js'
import { isUsableBy } from '../../directory/usable.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { ofEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import { hasSocialIdentity } from '../../sign-in/methods-of-user.js'
import { connectionsOfOrganization } from '../../sso/sign-in/connection-of-address.js'
import type { LookedUp } from './address.js'

/** As many as one page shows; each is looked at from every side. */
export const mostPlaces = 20

/** An organization in which an address may sign in, with its user and connections. */
export type Place = Awaited<ReturnType<typeof selectPlaces>>[number]

/** Where to look. */
interface Sought extends LookedUp {
  /** The only organization that is meant; null: those to which something leads. */
  readonly onlyDomain: string | null
  /** Organizations in which the address has tried to sign in. */
  readonly triedIds: readonly string[]
  /** The domain of passkeys; undefined where the service has none. */
  readonly passkeyRpId: string | undefined
}

/**
 * The organizations of an address: its users are there, an invitation waits, its domain counts there, or somebody has tried to sign in
 * there with it. Those with a user come first.
 */
export function listPlaces(db: Kysely<DB>, sought: Sought): Promise<Place[]> {
  return selectPlaces(db, sought)
}

const selectPlaces = statement((db, sought: Sought) => {
  const members = db
    .selectFrom('users')
    .where(ofEnvironment(sought, 'users'))
    .where('users.email_normalized', '=', sought.email)
    .where('users.deleted_at', 'is', null)
    .select('users.organization_id')
  const invited = db
    .selectFrom('invitations')
    .where(ofEnvironment(sought, 'invitations'))
    .where('invitations.email_normalized', '=', sought.email)
    .where('invitations.state', '=', 'pending')
    .select('invitations.organization_id')
  const owners = db
    .selectFrom('domains')
    .where(ofEnvironment(sought, 'domains'))
    // By equality with each possible name, which the index of the names serves.
    .where(sql<boolean>`domains.domain = any(${sought.emailDomains}::text[])`)
    .where('domains.state', 'in', ['verified', 'lapsing', 'declared'])
    .where(sql<boolean>`(domains.domain = ${sought.emailDomain} or domains.include_subdomains)`)
    .select('domains.organization_id')
  const named = db
    .selectFrom('organizations as named')
    .where('named.account_id', '=', sought.accountId)
    .where('named.domain', '=', sought.onlyDomain)
    .where('named.deleted_at', 'is', null)
    .select('named.id')
  // As an array that is known before: the key finds the organizations, however many the account has.
  const ids = sql<string[]>`case when ${sought.onlyDomain}::text is null
    then array(${members} union all ${invited} union all ${owners}) || ${sought.triedIds}::uuid[]
    else array(${named}) end`
  return db
    .selectFrom('organizations')
    .leftJoin('users', (join) =>
      join
        .onRef('users.account_id', '=', 'organizations.account_id')
        .onRef('users.organization_id', '=', 'organizations.id')
        .on('users.environment', '=', sought.environment)
        .on('users.email_normalized', '=', sought.email)
        .on('users.deleted_at', 'is', null),
    )
    .leftJoinLateral(keptMails(db, sought).as('kept'), (join) => join.onTrue())
    .where('organizations.account_id', '=', sought.accountId)
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${sought.organizationIds}::uuid[] is null or organizations.id = any(${sought.organizationIds}::uuid[]))`,
    )
    .where(sql<boolean>`organizations.id = any(${ids})`)
    .select([
      'organizations.id as organizationId',
      'organizations.domain',
      'organizations.name',
      'users.id as userId',
      'users.active',
      'users.last_signed_in_at as lastSignedInAt',
      deletedAt(sought).as('deletedAt'),
      'kept.id as keptMailId',
      'kept.inserted_at as keptMailAt',
      hasApplication(sought).as('hasApplication'),
      hasPassword().as('hasPassword'),
      isPasskeyUsableByUserOf('users', sought.passkeyRpId).as('hasPasskey'),
      hasSocialIdentity().as('hasSocialIdentity'),
      connectionsOfOrganization(sought.environment).as('connections'),
      isSsoRequired({
        ...{ accountId: sought.accountId, environment: sought.environment },
        organizationId: sql.ref('organizations.id'),
        emailNormalized: sql<string>`${sought.email}::text`,
      }).as('isSsoRequired'),
    ])
    .orderBy(sql`users.id is null`)
    .orderBy('organizations.domain')
    .limit(mostPlaces + 1)
})

/** When the last user who had the address was deleted. */
function deletedAt({ environment, email }: LookedUp) {
  return sql<Date | null>`(
    select max(gone.deleted_at) from users as gone
    where gone.account_id = organizations.account_id
      and gone.environment = ${environment}
      and gone.organization_id = organizations.id
      and gone.email_normalized = ${email}
      and gone.deleted_at is not null
  )`
}

/** The mail that the outbox has kept last of the address in the organization. */
function keptMails(db: Kysely<DB>, { accountId, environment, email }: LookedUp) {
  return db
    .selectFrom('outbox_messages')
    .where(ofEnvironment({ accountId, environment }, 'outbox_messages'))
    .where(sql<boolean>`outbox_messages.organization_id = organizations.id`)
    .where('outbox_messages.email_normalized', '=', email)
    .where(sql<boolean>`outbox_messages.channel = 'mail'`)
    .select(['outbox_messages.id', 'outbox_messages.inserted_at'])
    .orderBy('outbox_messages.inserted_at', 'desc')
    .limit(1)
}

/** Whether an application can receive users of the organization. */
function hasApplication({ accountId, environment }: LookedUp) {
  return sql<boolean>`exists (
    select from applications
    where ${ofEnvironment({ accountId, environment }, 'applications')}
      and ${isUsableBy(sql<string>`organizations.id`)}
      and cardinality(applications.allowed_redirect_urls) > 0
  )`
}

/** Whether the user of the address has a password. */
function hasPassword() {
  return sql<boolean>`exists (
    select from passwords where ${sameTenant('passwords', 'users')} and passwords.user_id = users.id
  )`
}
