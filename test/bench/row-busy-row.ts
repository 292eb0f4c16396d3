import { setTimeout as sleep } from 'node:timers/promises'
import { milliseconds, type Figure } from './figures.js'
import { measure, medianOf, type Measured, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { getUserRequests } from './row-users.js'
import { onStage } from './stage.js'

/** All of them change the same user. */
const callers = 200
/** The changes begin and end this long before and after the measurement. */
const marginSeconds = 1

/** B5: throughput of other keys while 200 callers change one row. No request may fail. */
export async function readBesideBusyRow(settings: Settings): Promise<Figure[]> {
  return onStage(settings, async (stage) => {
    const target = stage.data.targets.find(({ environment }) => environment === 'sandbox')
    if (target === undefined) throw new Error('the sample has no user in the sandbox')
    const changes = {
      contender: stage.ours,
      connections: callers,
      requestsFile: writeRequests([
        {
          method: 'PUT',
          path: `/api/v2/org/${target.domain}/users/${target.id}`,
          token: stage.tokens.sandbox,
          body: { profile: { family_name: '{unique}' } },
        },
      ]),
    }
    const ofProduction = getUserRequests(stage).filter(({ token }) => token === stage.tokens.production)
    const reads = { contender: stage.ours, connections: 1, requestsFile: writeRequests(ofProduction) }
    const idle: Measured[] = []
    const busy: Measured[] = []
    // Two at once: the rounds have two, and a process of load that is started among them would begin late.
    await Promise.all([reads, reads].map((each) => measure(stage, each, settings.seconds * 2)))
    for (let round = 0; round < settings.rounds; round += 1) {
      idle.push(await measure(stage, reads, settings.seconds))
      const load = measure(stage, changes, settings.seconds + 2 * marginSeconds)
      await sleep(marginSeconds * 1000)
      busy.push(await measure(stage, reads, settings.seconds))
      await load
    }
    return [
      {
        row: 'B5',
        what: `GET one user while ${callers} callers change another, one caller: p99`,
        ours: milliseconds(medianOf(busy, 'p99Ms')),
        beside: `idle ${milliseconds(medianOf(idle, 'p99Ms'))}`,
      },
    ]
  })
}
