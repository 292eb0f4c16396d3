import { besideOthers, type Figure } from './figures.js'
import { interleaved, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { mixedRequests } from './row-process.js'
import { skewedData } from './data.js'
import { getTokens, issuerOf, onPostgres, startService, stopContender, type Contender } from './stage.js'

/** E3: the same load, dealt over more processes on one Postgres. */
export async function addProcesses(settings: Settings): Promise<Figure[]> {
  const data = await skewedData(settings)
  return onPostgres(data, async (_url, postgresPid) => {
    const started: Contender[] = []
    try {
      const contender = await startService(data.dataDir)
      started.push(contender)
      // Tokens are of an issuer, which all of them are.
      const BASE_URL = issuerOf(contender)
      for (let count = 1; count < 4; count += 1)
        started.push(await startService(data.dataDir, [], { BASE_URL }))
      const [, ...others] = started
      const tokens = await getTokens(contender, data)
      const each = { contender, requestsFile: writeRequests(mixedRequests({ data, tokens })) }
      const { one, two, four } = await interleaved(
        { postgresPid },
        { four: { ...each, others }, two: { ...each, others: others.slice(0, 1) }, one: each },
        settings,
      )
      return [
        besideOthers('E3', 'reads and writes mixed, 2 processes', { ours: two, others: one }, 'one'),
        besideOthers('E3', 'reads and writes mixed, 4 processes', { ours: four, others: one }, 'one'),
      ]
    } finally {
      await Promise.all(started.map(stopContender))
    }
  })
}
