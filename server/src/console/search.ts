import { reference } from '@portico/contract/fields'
import type { FoundKind, FoundRecords } from '@portico/contract/found-records'
import { textOf } from '../pages/frame/site.js'
import { failureOf } from '../screens/failed.js'
import { addressOf } from '../screens/screen.js'
import type { Outcome } from '../screens/visit.js'
import type { ConsoleVisit } from './console-visit.js'
import { maxEmailLength } from './person.js'

const anyId = reference()

/** Where a record that was found by its id is, below the address of the environment. */
const addresses: Readonly<Record<FoundKind, string>> = {
  organization: 'organizations/:org_domain',
  application: 'organizations/:org_domain/applications/:id',
  user: 'organizations/:org_domain/users/:id',
}

/**
 * Where the search box of the header leads: from an id to its organization, application or user, from an address to its person, from
 * anything else to organizations of such a name or domain.
 */
export async function search(visit: ConsoleVisit): Promise<Outcome> {
  const { base, exchange } = visit
  const typed = textOf(exchange.req.query['q'], maxEmailLength).trim()
  const found = await findById(visit, typed)
  if (found !== undefined) return { location: `${base}/${found}` }
  const [page, parameter] = typed.includes('@') ? ['people', 'email'] : ['organizations', 'filter']
  return { location: `${base}/${page}?${new URLSearchParams({ [parameter]: typed }).toString()}` }
}

async function findById({ call }: ConsoleVisit, typed: string): Promise<string | undefined> {
  const { success, data: id } = anyId.safeParse(typed)
  if (!success) return undefined
  const answer = await call({ route: 'records.find', query: { id } })
  if (failureOf(answer) !== undefined) return undefined
  const { data } = answer.body as FoundRecords
  const [first] = data
  return first && addressOf(addresses[first.kind], { org_domain: first.org_domain, id: first.id })
}
