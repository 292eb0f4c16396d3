import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { accountSignInGivenOf, addressesOf } from './account-sign-in-given.js'

// 200 addresses of each kind are typed, in turns: the times of the answers must not tell one kind from another.

const rounds = 200
/** Of Welch's t-test; beyond it a difference is no chance. */
const mostT = 4.5

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)

test('the time of an answer to a typed address does not tell whether a user has it', async () => {
  const application = await given.application()
  const kinds = Object.entries(addressesOf(client, given))
  const times = new Map(kinds.map(([kind]) => [kind, new Array<number>()]))
  for (let round = -10; round < rounds; round += 1)
    for (const [kind, addressOf] of inTurns(kinds, round)) {
      const email = await addressOf()
      const visitor = given.flows.visitorOf()
      const asked = await given.begin(application, visitor)
      const begun = performance.now()
      const { status } = await visitor.send(asked, 'identify', { email })
      const took = performance.now() - begun
      expect(status).toBe(303)
      // The first rounds warm up.
      if (round >= 0) times.get(kind)?.push(Math.log(took))
    }

  const unknown = times.get('unknown') ?? []
  const seen = [...times].map(([kind, of]) => [kind, Math.abs(tOf(of, unknown))] as const)
  expect(seen.filter(([, t]) => !(t < mostT))).toEqual([])
  expect(unknown).toHaveLength(rounds)
}, 900_000)

/** Each kind is the first as often as the others. */
function inTurns<Kind>(kinds: readonly Kind[], round: number): readonly Kind[] {
  const first = ((round % kinds.length) + kinds.length) % kinds.length
  return [...kinds.slice(first), ...kinds.slice(0, first)]
}

/** Welch's t; 0 for a sample and itself. */
function tOf(a: readonly number[], b: readonly number[]): number {
  const [one, other] = [momentsOf(a), momentsOf(b)]
  const spread = one.variance / a.length + other.variance / b.length
  return spread === 0 ? 0 : (one.mean - other.mean) / Math.sqrt(spread)
}

function momentsOf(sample: readonly number[]) {
  const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length
  const variance = sample.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (sample.length - 1)
  return { mean, variance }
}
