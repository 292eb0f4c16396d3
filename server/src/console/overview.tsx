import type { Health, HealthCode, Statistics } from '@portico/contract/health'
import { failureOf } from '../screens/failed.js'
import type { Outcome } from '../screens/visit.js'
import { Chart } from './chart.js'
import type { ConsoleVisit } from './console-visit.js'
import { consolePage } from './page.js'
import type { ConsoleTexts } from './texts/en.js'

/** How many days the chart shows. */
const days = 30

/** The list that shows what a tile counts, below the address of the environment; undefined where none does. */
const listOf: Readonly<Record<HealthCode, string | undefined>> = {
  webhooks_failing: 'webhooks',
  deliveries_lost: 'webhooks',
  certificates_ending: 'sso-connections?active=true',
  sso_connections_failing: 'sso-connections?active=true',
  directories_refusing: 'organizations',
  messages_failed: 'log-events?code=MAIL_FAILED',
  jobs_failed: undefined,
  jobs_overdue: undefined,
  api_keys_ending: 'api-keys?state=active',
  api_keys_unused: 'api-keys?state=active',
}

/** The first page of an environment: what needs attention, the sign-ins of the last days, and the first steps where there is nothing. */
export async function showOverview(visit: ConsoleVisit): Promise<Outcome> {
  const { exchange, staff } = visit
  const { words } = consolePage(exchange, exchange.req.path, staff.user.locale)
  const [health, statistics, organizations] = await Promise.all([
    visit.call({ route: 'health.get' }),
    visit.call({ route: 'statistics.get', query: { days } }),
    visit.call({ route: 'organizations.list', query: { per_page: 1 } }),
  ])
  const { total } = organizations.body as { total?: number }
  const content = (
    <>
      {total === 0 && <FirstSteps visit={visit} words={words} />}
      {failureOf(health) === undefined && (
        <Tiles visit={visit} words={words} health={health.body as Health} />
      )}
      {failureOf(statistics) === undefined && (
        <Chart words={words} language={visit.language} statistics={statistics.body as Statistics} />
      )}
    </>
  )
  return { page: { status: 200, title: words.frame.home, crumbs: [], content } }
}

interface PartProps {
  readonly visit: ConsoleVisit
  readonly words: ConsoleTexts
}

function FirstSteps({ visit: { base, mayCall }, words: { overview } }: PartProps) {
  const steps = [
    { label: overview.organizations, url: `${base}/organizations/_create`, route: 'organizations.create' },
    { label: overview.applications, url: `${base}/organizations`, route: 'applications.create' },
    { label: overview.keys, url: `${base}/api-keys/_create`, route: 'apiKeys.create' },
  ].filter(({ route }) => mayCall(route))
  if (steps.length === 0) return null
  return (
    <section>
      <h2>{overview.first}</h2>
      <ol>
        {steps.map(({ label, url }) => (
          <li key={url}>
            <a href={url}>{label}</a>
          </li>
        ))}
        <li>
          <a href="/docs/guides/start.html">{overview.example}</a>
        </li>
      </ol>
    </section>
  )
}

function Tiles({ visit: { base }, words: { overview }, health }: PartProps & { readonly health: Health }) {
  const open = health.tiles.filter(({ count }) => count > 0)
  return (
    <section>
      <h2>{overview.attention}</h2>
      {open.length === 0 ? (
        <p class="done">{overview.allWell}</p>
      ) : (
        <ul class="tiles">
          {open.map(({ code, count }) => {
            const list = listOf[code]
            return (
              <li key={code}>
                <strong>{count}</strong>{' '}
                {list === undefined ? (
                  overview.tiles[code]
                ) : (
                  <a href={`${base}/${list}`}>{overview.tiles[code]}</a>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
