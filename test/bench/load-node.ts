import { Agent } from 'node:http'
import { acceptances } from './load-invitation.js'
import { assertions } from './load-passkey.js'
import { formType, readLines, send, type Work } from './load-send.js'
import { authorizations, journeys, refreshes, samlResponses } from './load-sign-in.js'
import type { Load, LoadResult } from './load.js'

function singleRequests(load: Load): Work {
  const lines = readLines(load)
  return sending(load, () => draw(lines))
}

/** Each line is sent once: its code is good once. The load is over when there is none left. */
function requestsInTurn(load: Load): Work {
  const lines = readLines(load).toReversed()
  return { ...sending(load, () => lines.pop() ?? []), isUsedUp: () => lines.length === 0 }
}

function sending(load: Load, nextLine: () => string[]): Work {
  let count = 0
  return {
    async once(port, agent) {
      const [method = 'GET', path = '', token, body, cookie] = nextLine()
      count += 1
      const answer = await send(port, agent, {
        method,
        path,
        token,
        cookie,
        body: body?.replaceAll('{unique}', `${load.seed}${count}`),
        ...(body?.startsWith('{') === false && { type: formType }),
      })
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
    },
  }
}

const works: Record<Load['kind'], (load: Load) => Work> = {
  requests: singleRequests,
  once: requestsInTurn,
  journey: journeys,
  refresh: refreshes,
  authorize: authorizations,
  saml: samlResponses,
  passkey: assertions,
  invitation: acceptances,
}

function draw(lines: readonly string[][]): string[] {
  return lines[Math.floor(Math.random() * lines.length)] ?? []
}

async function run(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections })
  const work = works[load.kind](load)
  const latencies: number[] = []
  let failures = 0
  let firstFailure = ''
  const start = performance.now()
  const isOver = () =>
    work.isUsedUp?.() === true ||
    (load.requests === undefined
      ? performance.now() - start >= load.seconds * 1000
      : latencies.length + failures >= load.requests)

  async function caller(): Promise<void> {
    while (!isOver()) {
      const sentAt = performance.now()
      try {
        await work.once(load.port, agent)
        latencies.push(performance.now() - sentAt)
      } catch (error) {
        failures += 1
        firstFailure ||= String(error)
      }
    }
  }
  await Promise.all(Array.from({ length: load.connections }, caller))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  if (failures > 0) process.stderr.write(`${firstFailure}\n`)
  latencies.sort((a, b) => a - b)
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return {
    requests: latencies.length,
    seconds,
    failures,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  }
}

process.on('message', (load: Load) => {
  // An error ends the process, and runNode() reports that.
  void run(load).then((result) => process.send?.(result))
})
