import { besideOthers, type Figure } from './figures.js'
import { interleaved, type Case, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { mixedRequests } from './row-process.js'
import { issuerOf, onStage, startService, stopContender, type Contender } from './stage.js'

/** E3: the same load, dealt over more processes on one Postgres. */
export async function addProcesses(settings: Settings): Promise<Figure[]> {
  const counts = settings.isQuick ? [2] : [2, 4]
  return onStage(settings, async (stage) => {
    const started: Contender[] = []
    try {
      // Tokens are of an issuer, which all of them are.
      const BASE_URL = issuerOf(stage.ours)
      while (started.length + 1 < Math.max(...counts))
        started.push(await startService(stage.data.dataDir, [], { BASE_URL }))
      const alone: Case = { contender: stage.ours, requestsFile: writeRequests(mixedRequests(stage)) }
      const several = counts.map((count) => [
        String(count),
        { ...alone, others: started.slice(0, count - 1) },
      ])
      const cases: Record<string, Case> = { ...Object.fromEntries(several), others: alone }
      const { others = [], ...measured } = await interleaved(stage, cases, settings)
      return counts.map((count) =>
        besideOthers(
          'E3',
          `reads and writes mixed, ${count} processes`,
          { ours: measured[count] ?? [], others },
          'one',
        ),
      )
    } finally {
      await Promise.all(started.map(stopContender))
    }
  })
}
