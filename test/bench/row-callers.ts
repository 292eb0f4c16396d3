import { milliseconds, type Figure } from './figures.js'
import { measure, medianOf, ratioOf, sized, type Measured, type Settings } from './measure.js'
import { writeRequests } from './requests.js'
import { memoryMb, mixedRequests, onServiceWithMemory } from './row-process.js'

const callers = 200
const roundSeconds = 30

/** E1: many callers of one process, who read and write; none of them is refused. */
export function manyCallers(settings: Settings): Promise<Figure[]> {
  return onServiceWithMemory(settings, async (place) => {
    const { ours } = place
    const requestsFile = writeRequests(mixedRequests(place))
    const load = { contender: ours, requestsFile, connections: callers, mayFail: true }
    const seconds = sized(settings, roundSeconds, 2)
    await measure(place, load, seconds)
    const before = await memoryMb(ours)
    const rounds: Measured[] = []
    for (let round = 0; round < settings.rounds; round += 1) rounds.push(await measure(place, load, seconds))
    return figuresOf(rounds, `${callers} callers, reads and writes mixed, ${seconds} s`, {
      before,
      after: await memoryMb(ours),
    })
  })
}

function figuresOf(
  rounds: readonly Measured[],
  what: string,
  memory: { readonly before: number; readonly after: number },
): Figure[] {
  const total = (figure: 'failures' | 'requests') => rounds.reduce((sum, round) => sum + round[figure], 0)
  return [
    {
      row: 'E1',
      what: `${what}: p99`,
      ours: milliseconds(medianOf(rounds, 'p99Ms')),
      beside: `median ${milliseconds(medianOf(rounds, 'p50Ms'))}`,
      ratio: ratioOf(
        rounds,
        rounds.map((round) => ({ ...round, p99Ms: round.p50Ms })),
        'p99Ms',
      ),
    },
    {
      row: 'E1',
      what: `${what}: failures`,
      ours: String(total('failures')),
      beside: `of ${total('requests').toLocaleString('en')} requests`,
    },
    {
      row: 'E1',
      what: `${what}: memory`,
      ours: `${memory.after.toFixed(1)} MB`,
      beside: `after one round ${memory.before.toFixed(1)} MB`,
    },
  ]
}
