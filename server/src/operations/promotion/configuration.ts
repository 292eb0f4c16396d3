import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Account } from '../accounts/accounts.js'
import type { Deps } from '../../delivery/deps.js'
import { operatorCaller, type Cause } from '../../platform/tenant.js'
import { pathOf, type Address } from './address.js'
import { ConfigurationFaults } from './faults.js'
import type { Found, Kind, Members, PromotionTarget } from './kind.js'
import { kinds } from './kinds.js'
import { assignNumbers, isOf, toKey } from './numbers.js'

/** The owner of a configuration. */
export interface Scope {
  readonly account: Account
  readonly environment: Environment
  readonly cause: Cause
}

/** An existing thing, by its name in the file. */
export interface ExistingThing extends Address {
  readonly place: PromotionTarget
  readonly id: string
  readonly members: Members
}

/** An earlier name of a thing in the file. */
export interface FormerName extends Address {
  readonly id: string
}

/** The existing things, and the tenants in which more can be made. */
export interface Configuration {
  readonly present: readonly ExistingThing[]
  /** Earlier names of renamed things, which stay reserved. */
  readonly former: readonly FormerName[]
  /** By the organization's domain. */
  readonly places: ReadonlyMap<string, PromotionTarget>
  /** Where things of the account are made; undefined while it has no organization. */
  readonly accountPlace: PromotionTarget | undefined
}

/**
 * The promoted configuration of an account's environment: all of the account, and that of some organizations.
 *
 * @param domains The organizations; undefined: every one.
 * @throws ConfigurationFaults for a missing organization, and for two things of one name.
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
  const present: ExistingThing[] = []
  const former: FormerName[] = []
  if (accountPlace !== undefined) present.push(...(await readAt(deps, accountPlace, 'account')).present)
  for (const [number, place] of [...places.values()].entries()) {
    const its = await readAt(deps, place, 'organization')
    present.push(...its.present)
    former.push(...its.former)
    onProgress(number + 1, places.size)
  }
  return { present, former, places, accountPlace }
}

/** The promoted members of a record. */
export function promotedMembersOf(kind: Kind, record: Members): Members {
  return Object.fromEntries(kind.members.map((name) => [name, record[name]]))
}

/** The rights of an operator: everything, in one environment. */
function placeOf(
  { account, environment, cause }: Scope,
  organization: { id: string; domain: string },
): PromotionTarget {
  const caller = operatorCaller(account, environment, cause)
  return { ...caller, domain: organization.domain, organizationId: organization.id }
}

async function readAt(
  deps: Deps,
  place: PromotionTarget,
  of: Kind['of'],
): Promise<Pick<Configuration, 'present' | 'former'>> {
  const present: ExistingThing[] = []
  const former: FormerName[] = []
  for (const kind of kinds.filter((each) => each.of === of)) {
    const organization = of === 'account' ? null : place.domain
    const its = await named(deps, place, kind, organization)
    for (const { key, id, record } of its.found)
      present.push({ kind, organization, key, place, id, members: promotedMembersOf(kind, record) })
    for (const one of its.former) former.push({ kind, organization, ...one })
  }
  return { present, former }
}

/** The existing things of a kind, by their keys. */
async function named(
  deps: Deps,
  place: PromotionTarget,
  kind: Kind,
  organization: string | null,
): Promise<{
  found: readonly (Found & { readonly key: string | null })[]
  former: readonly { readonly id: string; readonly key: string }[]
}> {
  const { key: member } = kind
  const all = await kind.find(deps, place)
  if (member === null) return { found: all.map((one) => ({ ...one, key: null })), former: [] }
  // Lists are newest first, with the id as tie-breaker.
  const things = all.toReversed().map((one) => ({ ...one, name: String(one.record[member]) }))
  if (kind.doubles === 'numbered') {
    const numbers = await assignNumbers(deps, place, kind.section, things)
    const found = things.flatMap((one) =>
      numbers.filter((number) => isOf(number, one)).map((number) => ({ ...one, key: toKey(number) })),
    )
    const former = numbers.filter((number) => !things.some((one) => isOf(number, one)))
    return { found, former: former.map((number) => ({ id: number.id, key: toKey(number) })) }
  }
  const double = things.find((one, index) => things.findIndex(({ name }) => name === one.name) < index)
  if (double === undefined) return { found: things.map((one) => ({ ...one, key: one.name })), former: [] }
  const message = `is the name of several (${double.id} is another): give each a name of its own`
  throw new ConfigurationFaults([{ path: pathOf({ kind, organization, key: double.name }), message }])
}

/** The organizations of an account by their domains, or all of it; missing ones are left out. */
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

async function anyPlace({ db }: Pick<Deps, 'db'>, scope: Scope): Promise<PromotionTarget | undefined> {
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
