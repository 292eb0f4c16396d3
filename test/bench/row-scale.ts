import { prepareData, type PreparedData } from './data.js'
import { besideOthers, type Figure } from './figures.js'
import { interleaved, sized, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { createUserRequests, getUserRequests } from './row-users.js'
import { getTokens, onPostgres, startService, stopContender, type Contender, type Stage } from './stage.js'

type Place = Pick<Stage, 'data' | 'tokens'>

const works: Readonly<Record<string, (place: Place) => LoadRequest[]>> = {
  'GET one user': getUserRequests,
  'list 25': ({ tokens }) => [
    { method: 'GET', path: '/api/v2/org/org-1/users?per_page=25', token: tokens.production },
  ],
  'POST one user': createUserRequests,
}

/** One organization has so many users, and the others one each. */
function sampleOf(settings: Settings, users: number): Promise<PreparedData> {
  const organizations = users / 10
  const events = users * sized(settings, 10, 1)
  return prepareData(settings.folder, {
    ...{ shape: 'one-large', organizations, users: users + organizations, events },
  })
}

/** E2: A1 to A3 with 1,000,000 users in one organization, 100,000 organizations and 10,000,000 events, beside a thousandth. */
export async function manyRows(settings: Settings): Promise<Figure[]> {
  const { users } = settings
  const large = await sampleOf(settings, users)
  const measureBeside = (beside: SampleStage | undefined) =>
    onSample(large, async (stage) => {
      const figures: Figure[] = []
      for (const [work, requestsOf] of Object.entries(works)) {
        const caseOf = ({ ours, postgresPid, ...place }: SampleStage) => ({
          ...{ contender: ours, postgresPid, requestsFile: writeRequests(requestsOf(place)) },
        })
        const cases = { ours: caseOf(stage), others: caseOf(beside ?? stage) }
        const measured = await interleaved(stage, cases, settings)
        const what = `${work}, ${users.toLocaleString('en')} users in one organization`
        figures.push(besideOthers('E2', what, measured, 'small'))
      }
      return figures
    })
  // A quick look leaves out what ours is compared with.
  if (settings.isQuick) return measureBeside(undefined)
  return onSample(await sampleOf(settings, Math.max(users / 1_000, 1_000)), measureBeside)
}

interface SampleStage extends Place {
  readonly ours: Contender
  readonly postgresPid: number
}

function onSample<Result>(
  data: PreparedData,
  work: (stage: SampleStage) => Promise<Result>,
): Promise<Result> {
  return onPostgres(data, async (_url, postgresPid) => {
    const ours = await startService(data.dataDir)
    try {
      return await work({ data, ours, postgresPid, tokens: await getTokens(ours, data) })
    } finally {
      await stopContender(ours)
    }
  })
}
