import { textOf } from '../pages/frame/site.js'
import type { Outcome } from '../screens/visit.js'
import type { ConsoleVisit } from './console-visit.js'
import { maxEmailLength } from './person.js'

/** Where the search box of the header leads: from an address to its person, from anything else to organizations of such a name or domain. */
export function search({ base, exchange }: ConsoleVisit): Outcome {
  const typed = textOf(exchange.req.query['q'], maxEmailLength).trim()
  const [page, parameter] = typed.includes('@') ? ['people', 'email'] : ['organizations', 'filter']
  return { location: `${base}/${page}?${new URLSearchParams({ [parameter]: typed }).toString()}` }
}
