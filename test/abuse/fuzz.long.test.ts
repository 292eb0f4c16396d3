import { expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { scimGivenOf } from '../given/scim-given.js'
import { createWorld } from '../given/world.js'
import { readDocument } from './document.js'
import { fuzzed, type Fuzzed, type Stage } from './fuzz.js'
import { randomOf } from './random.js'
import { senderTo, type Answer } from './target.js'
import { pageTargets, scimTargets } from './targets.js'

const requests = Number(process.env.FUZZ_REQUESTS ?? 100_000)
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32))
/** Requests per set of objects, which some of them delete, and the number of concurrent ones. */
const perStage = 500
const atOnce = 8
const maxFaults = 20

test(
  `each answer to ${requests} requests is one that the document has; FUZZ_SEED=${seed}`,
  { timeout: 3_600_000 },
  async () => {
    process.stdout.write(`\nFUZZ_SEED=${seed} FUZZ_REQUESTS=${requests}\n`)
    const service = await startService({ variables: { LOG_LEVEL: 'error' } })
    const send = senderTo(service.port)
    const faults: string[] = []
    const statuses = new Map<number, number>()
    for (let start = 0; start < requests && faults.length < maxFaults; start += perStage) {
      const stage = await newStage()
      let next = start
      const end = Math.min(start + perStage, requests)
      await Promise.all(
        Array.from({ length: atOnce }, async () => {
          while (next < end) await ask(next++, stage)
        }),
      )
    }
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
    process.stdout.write(`${counts.join(', ')}\n${faults.slice(0, maxFaults).join('\n\n')}\n`)
    expect(faults).toEqual([])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
    expect(service.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([])

    async function ask(index: number, stage: Stage): Promise<void> {
      // Each request has a random generator of its own, so that it does not depend on the others.
      const made = fuzzed(stage, randomOf(seed + index * 7919))
      try {
        const answer = await send(made.sent)
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
        const isFailure = answer.status >= 500 && answer.status !== 501
        const fault = isFailure ? loggedOf(answer) : faultOf(made, answer)
        if (fault !== undefined) faults.push(`${index}: ${fault}\n${textOf(made)}`)
      } catch (error) {
        faults.push(`${index}: ${String(error)}\n${textOf(made)}`)
      }
    }

    /** The log of the service about an internal failure. */
    function loggedOf({ status, headers }: Answer): string {
      const id = String(headers['x-request-id'])
      return `${status} ${service.logLines.find((line) => line.includes(id))?.slice(0, 2000) ?? ''}`
    }

    async function newStage(): Promise<Stage> {
      // Each stage has an account, because the number of webhooks and the like per account is limited.
      const account = await service.createAccount()
      const world = await createWorld(service, { account })
      const { directory, secret, scim } = await scimGivenOf(await service.client({ account })).directory()
      const { body } = await scim('POST', '/Users', { body: { userName: `a-${world['user_email'] ?? ''}` } })
      return {
        world,
        token: await service.token({ account }),
        document,
        scim: scimTargets(directory.scim_base_url, secret, String(Reflect.get(Object(body), 'id'))),
        pages: pageTargets(service, world),
      }
    }
  },
)

const document = readDocument()

/** The fault of an answer. A changed path may belong to another target, or to none. */
function faultOf({ target, sent }: Fuzzed, answer: Answer): string | undefined {
  const isElsewhere = !sent.path.startsWith(target.path)
  return isElsewhere ? undefined : target.faultOf(answer)
}

function textOf({ target, sent }: Fuzzed): string {
  const { method, path, headers, body } = sent
  return `${target.name}\n${method} ${path}\n${JSON.stringify({ ...headers, authorization: '…' })}\n${String(body ?? '').slice(0, 2000)}`
}
