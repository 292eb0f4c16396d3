import pg from 'pg'
import { onAccountsStage } from './accounts.js'
import { toCursor } from './bare-events.js'
import { besideBare, type Figure } from './figures.js'
import { interleaved, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { getToken, startBare, stopContender } from './stage.js'

const pageSize = 100

/** D3: pages of 100 events behind a cursor, of random accounts of 1,000. */
export async function readEventPages(settings: Settings): Promise<Figure[]> {
  return onAccountsStage(settings, async (stage) => {
    const { ours, data, databaseUrl } = stage
    const bare = settings.isQuick ? ours : await startBare(databaseUrl, ours)
    try {
      const positions = await pageStarts(databaseUrl)
      const requests: LoadRequest[] = []
      for (const account of data.accounts) {
        const token = await getToken(ours, account, 'sandbox')
        for (const position of positions.get(account.account.id) ?? [])
          requests.push({
            method: 'GET',
            path: `/api/v2/events?after=${toCursor(position)}&limit=${pageSize}`,
            token,
          })
      }
      const requestsFile = writeRequests(requests)
      const cases = { ours: { contender: ours, requestsFile }, bare: { contender: bare, requestsFile } }
      const measured = await interleaved(stage, cases, settings)
      return besideBare('D3', 'events by cursor, pages of 100, 1,000 accounts', measured)
    } finally {
      if (bare !== ours) await stopContender(bare)
    }
  })
}

/** The positions behind which a full page of each account's events is, by account. */
async function pageStarts(url: string): Promise<ReadonlyMap<string, string[]>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ account_id: string; positions: string[] }>(
      `select account_id, array_agg((position - 1)::text) as positions
       from (
         select account_id, position, row_number() over w as place, count(*) over (partition by account_id) as total
         from event_positions where environment = 'sandbox'
         window w as (partition by account_id order by position)
       ) numbered
       where place % $1 = 1 and place + $1 <= total + 1
       group by account_id`,
      [pageSize],
    )
    return new Map(rows.map((row) => [row.account_id, row.positions]))
  } finally {
    await client.end()
  }
}
