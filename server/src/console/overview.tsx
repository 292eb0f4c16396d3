import type { Outcome } from '../screens/visit.js'
import type { ConsoleVisit } from './console-visit.js'
import { consolePage } from './page.js'

/** The first page of an environment: what is to be done. */
export function showOverview(visit: ConsoleVisit): Promise<Outcome> {
  const { exchange, staff, base, mayCall } = visit
  const { words } = consolePage(exchange, exchange.req.path, staff.user.locale)
  const { overview, frame } = words
  const steps = [
    { label: overview.organizations, url: `${base}/organizations/_create`, route: 'organizations.create' },
    { label: overview.applications, url: `${base}/organizations`, route: 'applications.create' },
    { label: overview.keys, url: `${base}/api-keys/_create`, route: 'apiKeys.create' },
  ].filter(({ route }) => mayCall(route))
  const content = (
    <>
      {steps.length > 0 && <h2>{overview.first}</h2>}
      <ol>
        {steps.map(({ label, url }) => (
          <li key={url}>
            <a href={url}>{label}</a>
          </li>
        ))}
      </ol>
    </>
  )
  return Promise.resolve({ page: { status: 200, title: frame.home, crumbs: [], content } })
}
