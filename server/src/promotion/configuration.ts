import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Account } from '../accounts/accounts.js'
import type { Deps } from '../deps.js'
import type { Cause } from '../tenant.js'
import { pathOf, type Address } from './address.js'
import { ConfigurationFaults } from './faults.js'
import type { Found, Kind, Members, Place } from './kind.js'
import { kinds } from './kinds.js'

/** Whose configuration it is. */
export interface Scope {
  readonly account: Account
  readonly environment: Environment
  readonly cause: Cause
}

/** A thing that there is, by its name in the file. */
export interface Present extends Address {
  readonly place: Place
  readonly id: string
  readonly members: Members
}

/** What there is, and where more can be made. */
export interface Configuration {
  readonly present: readonly Present[]
  /** By the organization's domain. */
  readonly places: ReadonlyMap<string, Place>
  /** Where what is of the account is made; undefined while it has no organization. */
  readonly accountPlace: Place | undefined
}

/**
 * What is promoted of an account's environment, as it is: all that is of the account, and that of some organizations.
 *
 * @param domains The organizations; undefined: every one.
 * @throws ConfigurationFaults for an organization that is not there, and for two things of one name.
 */
export async function readConfiguration(
  deps: Deps,
  scope: Scope,
  domains: readonly string[] | undefined,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<Configuration> {
  const organizations = await findOrganizations(deps, scope, domains)
  checkAreThere(scope, organizations, domains)
  const places = new Map(
    organizations.map((organization) => [organization.domain, placeOf(scope, organization)]),
  )
  const accountPlace = [...places.values()][0] ?? (await anyPlace(deps, scope))
  const present: Present[] = []
  if (accountPlace !== undefined) present.push(...(await presentAt(deps, accountPlace, 'account')))
  for (const [number, place] of [...places.values()].entries()) {
    present.push(...(await presentAt(deps, place, 'organization')))
    onProgress(number + 1, places.size)
  }
  return { present, places, accountPlace }
}

/** What of a record is promoted. */
export function membersOf(kind: Kind, record: Members): Members {
  return Object.fromEntries(kind.members.map((name) => [name, record[name]]))
}

/** What an operator may: everything, in the one environment. */
function placeOf(
  { account, environment, cause }: Scope,
  organization: { id: string; domain: string },
): Place {
  return {
    accountId: account.id,
    accountDomain: account.domain,
    environment,
    domain: organization.domain,
    organizationId: organization.id,
    apiKeyId: 'operator',
    scopes: [],
    organizationIds: null,
    cause,
  }
}

async function presentAt(deps: Deps, place: Place, of: Kind['of']): Promise<Present[]> {
  const present: Present[] = []
  for (const kind of kinds.filter((each) => each.of === of)) {
    const organization = of === 'account' ? null : place.domain
    for (const [key, { id, record }] of named(kind, organization, await kind.find(deps, place)))
      present.push({ kind, organization, key, place, id, members: membersOf(kind, record) })
  }
  return present
}

/** What was found by its keys. */
function named(
  kind: Kind,
  organization: string | null,
  found: readonly Found[],
): (readonly [key: string | null, found: Found])[] {
  const { key: member } = kind
  if (member === null) return found.map((one) => [null, one])
  // Lists are newest first, and of one moment the ids tell.
  const oldestFirst = found.toReversed()
  const seen = new Map<string, number>()
  return oldestFirst.map((one) => {
    const name = String(one.record[member])
    const number = (seen.get(name) ?? 0) + 1
    seen.set(name, number)
    if (number === 1) return [name, one]
    if (kind.doubles === 'numbered') return [`${name}-${number}`, one]
    const message = `is the name of several (${one.id} is another): give each a name of its own`
    throw new ConfigurationFaults([{ path: pathOf({ kind, organization, key: name }), message }])
  })
}

/** The organizations of an account by their domains, or all of it; those that are not there are left out. */
export function findOrganizations(
  { db }: Pick<Deps, 'db'>,
  { account }: Scope,
  domains: readonly string[] | undefined,
): Promise<{ id: string; domain: string }[]> {
  return organizationsOf(db, account)
    .$if(domains !== undefined, (query) => query.where(sql<boolean>`domain = any(${domains}::text[])`))
    .execute()
}

function checkAreThere(
  { account }: Scope,
  found: readonly { readonly domain: string }[],
  domains: readonly string[] = [],
): void {
  const missing = domains.filter((domain) => !found.some((one) => one.domain === domain))
  if (missing.length === 0) return
  const message = `is no organization of ${account.domain}: check its domain, or create it first`
  throw new ConfigurationFaults(missing.map((domain) => ({ path: ['organizations', domain], message })))
}

async function anyPlace({ db }: Pick<Deps, 'db'>, scope: Scope): Promise<Place | undefined> {
  const one = await organizationsOf(db, scope.account).limit(1).executeTakeFirst()
  return one === undefined ? undefined : placeOf(scope, one)
}

function organizationsOf(db: Deps['db'], account: Account) {
  return db
    .selectFrom('organizations')
    .where('account_id', '=', account.id)
    .where('deleted_at', 'is', null)
    .select(['id', 'domain'])
    .orderBy(sql`domain collate "C"`)
}
