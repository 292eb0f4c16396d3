import { createClient } from '@portico/sdk'
import { onAccountsStage, type PreparedAccount } from './accounts.js'
import { toCursor } from './bare-events.js'
import { besideOthers, milliseconds, type Figure } from './figures.js'
import { interleaved, medianOf, ratioOf, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { getToken, type Contender } from './stage.js'

/**
 * D5: as many requests append an event as read the one behind a cursor, of random accounts of 1,000: no account waits for the
 * order of another's events.
 */
export async function appendAndRead(settings: Settings): Promise<Figure[]> {
  return onAccountsStage(settings, async (stage) => {
    const { ours, data } = stage
    const requests: LoadRequest[][] = []
    for (const account of data.accounts) requests.push(await requestsOf(ours, account, data.eventsPerAccount))
    const caseOf = (each: LoadRequest[][]) => ({
      contender: ours,
      requestsFile: writeRequests(each.flat()),
    })
    const cases = { many: caseOf(requests), one: caseOf(requests.slice(0, 1)) }
    const { many, one } = await interleaved(stage, cases, settings)
    const what = `events, append one or read one, ${requests.length.toLocaleString('en')} accounts`
    return [
      besideOthers('D5', what, { ours: many, others: one }, 'one account'),
      {
        row: 'D5',
        what: `${what}: p99`,
        ours: milliseconds(medianOf(many, 'p99Ms')),
        beside: `one account ${milliseconds(medianOf(one, 'p99Ms'))}`,
        ratio: ratioOf(many, one, 'p99Ms'),
      },
    ]
  })
}

/** A user is created, and the event behind those of the sample is read. */
async function requestsOf(
  ours: Contender,
  { account, credentials }: PreparedAccount,
  eventCount: number,
): Promise<LoadRequest[]> {
  const token = await getToken(ours, { account, credentials }, 'sandbox')
  const { client_id: clientId, client_secret: clientSecret } = credentials.sandbox
  const baseUrl = `http://127.0.0.1:${ours.port}`
  const client = createClient({ baseUrl, domain: account.domain, clientId, clientSecret })
  // Kept with the sample.
  const [kept] = (await client.organizations.list({ per_page: 1 })).data
  const { domain } = kept ?? (await client.organizations.create({ name: account.domain }))
  return [
    {
      method: 'POST',
      path: `/api/v2/org/${domain}/users`,
      token,
      body: { email: '{unique}@people.example' },
    },
    { method: 'GET', path: `/api/v2/events?after=${toCursor(String(eventCount))}&limit=1`, token },
  ]
}
