import type { Environment } from '@portico/contract/fields'
import { sql, type Expression, type Kysely, type RawBuilder } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { isAddressAllowed } from '../../directory/allowed-domain.js'
import { isConfigured } from '../../directory/configured.js'
import { isSsoRequired, ownsDomain, selfAndParentsOf } from '../../directory/domains/authority.js'
import { isUsableBy } from '../../directory/usable.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import { isOrganizationOf, ofEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'
import { domainOfEmail } from '../../platform/email.js'

/** More than anybody chooses from; of what is beyond, the organization's domain is typed. */
export const mostEntries = 100

/** An organization that the owner of a mailbox can enter, and by what. */
export interface Entry {
  /**
   * `member`: a user has the address; `invited`: an invitation waits for it; `sso`: a connection owns its domain; `may_join`: entering
   * creates its user; `may_ask`: its owner may ask to join.
   */
  readonly kind: 'member' | 'invited' | 'sso' | 'may_join' | 'may_ask'
  /** By what the owner of the mailbox becomes a user by entering; null where they do not. */
  readonly createdBy: CreatedBy | null
  readonly domain: string
  readonly name: string
  /** Null where it has none. */
  readonly iconLogoUrl: string | null
  /** Null where the owner of the mailbox has not signed in yet. */
  readonly lastSignedInAt: Date | null
}

/** A link of an open organization, the invitation of the address, or the verified domain of the address. */
export type CreatedBy = 'link' | 'invitation' | 'join'

/** A proved mailbox, and the application that its owner wants to use. */
export interface EntryKey {
  readonly accountId: string
  readonly environment: Environment
  readonly applicationId: string
  readonly emailNormalized: string
  /** The only organization that is meant; null: every one. */
  readonly onlyDomain: string | null
  /** An answer of the API had the link that has proved it: its caller, too, may have opened it. */
  readonly isLinkReturned?: boolean
}

type Mailbox = EntryKey & { readonly emailDomain: string; readonly emailDomains: readonly string[] }

/** Finds organizations for a mailbox that is none of their users'. */
interface EntrySource {
  readonly list: (db: Kysely<DB>, mailbox: Mailbox, at: Date) => Promise<readonly Entry[]>
  /** What has to be there for it to find any. */
  readonly of: Sought
  /** Whether a mail must have proved the mailbox: its owner gets roles by it, or is let in where links let nobody in. */
  readonly isOfMail: boolean
}

/** Few addresses have something for them. In the order in which an organization that two of them find is taken. */
const rareSources: readonly EntrySource[] = [
  { list: listInvitingOrganizations, of: 'is_invited', isOfMail: true },
  { list: listConnections, of: 'has_connection', isOfMail: false },
  { list: listJoinedByDomain, of: 'is_domain_proved', isOfMail: true },
  { list: listOpenOrganizations, of: 'is_domain_listed', isOfMail: false },
]

/** The organizations that the owner of a mailbox can enter by an application: the last used first, then by name. */
export async function listEntries({ db, now }: Pick<Deps, 'db' | 'now'>, key: EntryKey): Promise<Entry[]> {
  const { emailNormalized } = key
  const emailDomain = domainOfEmail(emailNormalized)
  const mailbox = { ...key, emailDomain, emailDomains: selfAndParentsOf(emailDomain) }
  const at = now()
  const rows = await selectUsersAndSought(db, { ...mailbox, at })
  const [sought] = rows
  const asked = rareSources.filter(
    ({ of, isOfMail }) => sought?.[of] === true && !(isOfMail && key.isLinkReturned === true),
  )
  const found = await Promise.all(asked.map(({ list }) => list(db, mailbox, at)))
  const byDomain = new Map<string, Entry>()
  for (const entry of [...rows.flatMap(membershipsIn), ...found.flat()])
    if (!byDomain.has(entry.domain)) byDomain.set(entry.domain, entry)
  return [...byDomain.values()].toSorted(compareEntries).slice(0, mostEntries)
}

/** What the account may have for an address or its domain, in whichever organization. */
type Sought = 'is_invited' | 'has_connection' | 'is_domain_proved' | 'is_domain_listed'

/**
 * The users of the address, and in each row whether there is anything else for it; a row without a user where it has none. Most
 * addresses have nothing else, and a look into four indexes is a fraction of the statements that list what there is. It is one
 * statement, because planning and sending it costs more than reading.
 */
const selectUsersAndSought = statement((db, mailbox: Mailbox & { readonly at: Date }) =>
  db
    .selectFrom(
      db
        .selectNoFrom([
          hasRows(invitationsTo(db, mailbox).select('invitations.id')).as('is_invited'),
          hasRows(connectionsNaming(db, mailbox)).as('has_connection'),
          hasRows(provedDomains(db, mailbox)).as('is_domain_proved'),
          hasRows(listingOrganizations(db, mailbox)).as('is_domain_listed'),
        ])
        .as('sought'),
    )
    .leftJoin(memberships(db, mailbox).as('member'), (join) => join.onTrue())
    .selectAll(),
)

/** Reads all rows: for `exists` Postgres expects an early hit, and may read the account's rows in place of the index. */
function hasRows(query: Expression<unknown>): RawBuilder<boolean> {
  return sql<boolean>`cardinality(array(${query})) > 0`
}

function compareEntries(a: Entry, b: Entry): number {
  const time = (b.lastSignedInAt?.getTime() ?? 0) - (a.lastSignedInAt?.getTime() ?? 0)
  return time === 0 ? a.name.localeCompare(b.name) : time
}

/** Empty where the join found no user. */
function membershipsIn({
  domain,
  name,
  icon_logo_url,
  last_signed_in_at: lastSignedInAt,
}: Awaited<ReturnType<typeof selectUsersAndSought>>[number]): Entry[] {
  if (domain === null || name === null) return []
  return [{ ...toEntry('member', { domain, name, icon_logo_url }), lastSignedInAt }]
}

function memberships(db: Kysely<DB>, mailbox: Mailbox) {
  return offeredOrganizations(db, mailbox, sql.ref('users.organization_id'))
    .innerJoin('users', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .where(ofEnvironment(mailbox, 'users'))
    .where('users.email_normalized', '=', mailbox.emailNormalized)
    .where('users.deleted_at', 'is', null)
    .where('users.active', '=', true)
    .where(isOwnAddress())
    .where(isAddressAllowed(sql.ref('users.email_normalized')))
    .select(usedAt().as('last_signed_in_at'))
    .orderBy(sql`${usedAt()} desc nulls last`)
    .orderBy('organizations.name')
    .limit(mostEntries)
}

/** Before the mailbox was proved, an administrator may have signed in as its user. */
function usedAt() {
  return sql<Date | null>`case when users.email_proved_at is not null then users.last_signed_in_at end`
}

/** The address of a user who came by a relay was chosen by another organization, until its owner has proved it here. */
function isOwnAddress() {
  return sql<boolean>`(
    users.email_proved_at is not null
    or not exists (
      select from user_identities as identity
      where identity.account_id = users.account_id
        and identity.environment = users.environment
        and identity.organization_id = users.organization_id
        and identity.user_id = users.id
        and identity.kind = 'relay'
    )
  )`
}

async function listInvitingOrganizations(db: Kysely<DB>, mailbox: Mailbox, at: Date): Promise<Entry[]> {
  const rows = await selectInviting(db, { ...mailbox, at })
  return rows.map((row) => toEntry('invited', row, 'invitation'))
}

/** Organizations that have invited the address. These are found first, in an array: the account may have many organizations. */
const selectInviting = statement((db, mailbox: Mailbox & { readonly at: Date }) => {
  const inviting = invitationsTo(db, mailbox).select('invitations.organization_id')
  return offeredOrganizations(db, mailbox, sql.ref('organizations.id'))
    .where(sql<boolean>`organizations.id = any(array(${inviting}))`)
    .where(isAddressAllowed(sql`${mailbox.emailNormalized}::text`))
    .where(isUnknown(mailbox))
    .orderBy('organizations.name')
    .limit(mostEntries)
})

/** Those that wait for the address. */
function invitationsTo(db: Kysely<DB>, mailbox: Mailbox & { readonly at: Date }) {
  return db
    .selectFrom('invitations')
    .where(ofEnvironment(mailbox, 'invitations'))
    .where('invitations.email_normalized', '=', mailbox.emailNormalized)
    .where('invitations.state', '=', 'pending')
    .where('invitations.expires_at', '>', mailbox.at)
}

async function listConnections(db: Kysely<DB>, mailbox: Mailbox): Promise<Entry[]> {
  const rows = await selectConnections(db, mailbox)
  return rows.map((row) => toEntry('sso', row))
}

/** Connections that name the domain, or one that may include it. */
function connectionsNaming(db: Kysely<DB>, mailbox: Mailbox) {
  return db
    .selectFrom('sso_connections as connection')
    .where(ofEnvironment(mailbox, 'connection'))
    .where(sql<boolean>`connection.email_domains && ${mailbox.emailDomains}::text[]`)
    .select('connection.id')
}

/** Organizations whose connection owns the domain and admits unknown users. */
const selectConnections = statement((db, mailbox: Mailbox) =>
  offeredOrganizations(db, mailbox, sql.ref('connection.organization_id'))
    .innerJoin('sso_connections as connection', (join) =>
      join.on(isOrganizationOf('organizations', 'connection')),
    )
    .where(ofEnvironment(mailbox, 'connection'))
    .where(ownsDomain('connection', mailbox))
    .where('connection.active', '=', true)
    .where(isConfigured())
    .where('connection.user_security_type', '=', 'none')
    .where(isAddressAllowed(sql`${mailbox.emailNormalized}::text`))
    .where(isUnknown(mailbox))
    .orderBy('organizations.name')
    .limit(mostEntries),
)

async function listJoinedByDomain(db: Kysely<DB>, mailbox: Mailbox): Promise<Entry[]> {
  const rows = await selectJoinedByDomain(db, mailbox)
  return rows.map(({ join_by_domain: mode, ...row }) =>
    mode === 'automatic' ? toEntry('may_join', row, 'join') : toEntry('may_ask', row),
  )
}

/** Organizations that have proved the domain of the mailbox, and let its users join, or ask to, by the links of their pages. */
const selectJoinedByDomain = statement((db, mailbox: Mailbox) => {
  return offeredOrganizations(db, mailbox, sql.ref('policy.organization_id'))
    .innerJoin('organization_policies as policy', (join) =>
      join.on(isOrganizationOf('organizations', 'policy')),
    )
    .innerJoin('magic_link_connections as link', (join) => join.on(sameTenant('link', 'policy')))
    .where(ofEnvironment(mailbox, 'policy'))
    .where(sql<boolean>`policy.organization_id = any(array(${provedDomains(db, mailbox)}))`)
    .where('policy.join_by_domain', '<>', 'off')
    .where('link.active', '=', true)
    .where(isAddressAllowed(sql`${mailbox.emailNormalized}::text`))
    .where(isUnknown(mailbox))
    .where(isSignInFree(mailbox))
    .select('policy.join_by_domain')
    .orderBy('organizations.name')
    .limit(mostEntries)
})

/** The organizations that have proved the domain of the mailbox. */
function provedDomains(db: Kysely<DB>, mailbox: Mailbox) {
  return (
    db
      .selectFrom('domains')
      .where(ofEnvironment(mailbox, 'domains'))
      // By equality with each possible name, which the index of the names serves.
      .where(sql<boolean>`domains.domain = any(${mailbox.emailDomains}::text[])`)
      .where('domains.state', 'in', ['verified', 'lapsing'])
      .where(sql<boolean>`(domains.domain = ${mailbox.emailDomain} or domains.include_subdomains)`)
      .select('domains.organization_id')
  )
}

async function listOpenOrganizations(db: Kysely<DB>, mailbox: Mailbox): Promise<Entry[]> {
  const rows = await selectOpenOrganizations(db, mailbox)
  return rows.map((row) => toEntry('may_join', row, 'link'))
}

/** Organizations whose links create users of the domain. */
const selectOpenOrganizations = statement((db, mailbox: Mailbox) =>
  offeredOrganizations(db, mailbox, sql.ref('link.organization_id'))
    .innerJoin('magic_link_connections as link', (join) => join.on(isOrganizationOf('organizations', 'link')))
    .where(ofEnvironment(mailbox, 'link'))
    .where('link.active', '=', true)
    .where('link.find_or_create_user', '=', true)
    .where(isListedBy('organizations', mailbox))
    .where(isUnknown(mailbox))
    .where(isSignInFree(mailbox))
    .orderBy('organizations.name')
    .limit(mostEntries),
)

/** Those that list the domain, which few addresses have. */
function listingOrganizations(db: Kysely<DB>, mailbox: Mailbox) {
  return db
    .selectFrom('organizations as listing')
    .where('listing.account_id', '=', mailbox.accountId)
    .where('listing.deleted_at', 'is', null)
    .where(isListedBy('listing', mailbox))
    .select('listing.id')
}

/** An empty list has no domain. Containment uses the index of undeleted organizations, so that the cost does not grow with their number. */
function isListedBy(organizations: string, { emailDomain }: Mailbox) {
  return sql<boolean>`${sql.ref(`${organizations}.allowed_email_domains`)} @> array[${emailDomain}::text]`
}

/** Organizations of the account that are there and can use the application. */
function offeredOrganizations(db: Kysely<DB>, mailbox: Mailbox, organizationId: Expression<string>) {
  return db
    .selectFrom('organizations')
    .innerJoin('applications', (join) =>
      join
        .onRef('applications.account_id', '=', 'organizations.account_id')
        .on('applications.environment', '=', mailbox.environment)
        .on('applications.id', '=', mailbox.applicationId),
    )
    .where('organizations.account_id', '=', mailbox.accountId)
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(${mailbox.onlyDomain}::text is null or organizations.domain = ${mailbox.onlyDomain})`,
    )
    .where(isUsableBy(organizationId))
    .select(['organizations.domain', 'organizations.name', 'organizations.icon_logo_url'])
}

/** The organization does not demand single sign-on of the address. */
function isSignInFree({ accountId, environment, emailNormalized }: Mailbox) {
  return sql<boolean>`not ${isSsoRequired({
    accountId,
    environment,
    organizationId: sql.ref('organizations.id'),
    emailNormalized: sql<string>`${emailNormalized}::text`,
  })}`
}

/** An address that a user of the organization has is listed for that user, or, where they are inactive, not at all. */
function isUnknown({ environment, emailNormalized }: Mailbox) {
  return sql<boolean>`not exists (
    select from users
    where users.account_id = organizations.account_id
      and users.environment = ${environment}
      and users.organization_id = organizations.id
      and users.email_normalized = ${emailNormalized}
      and users.deleted_at is null
  )`
}

function toEntry(
  kind: Entry['kind'],
  {
    domain,
    name,
    icon_logo_url: iconLogoUrl,
  }: Pick<Entry, 'domain' | 'name'> & { icon_logo_url: string | null },
  createdBy: Entry['createdBy'] = null,
): Entry {
  return { kind, createdBy, domain, name, iconLogoUrl, lastSignedInAt: null }
}
