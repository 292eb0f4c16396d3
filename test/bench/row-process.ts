import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { PreparedData } from './data.js'
import { atMost, type Figure } from './figures.js'
import { runLoad } from './load.js'
import { median, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { createUserRequests, getUserRequests, skewedData } from './row-users.js'
import { getTokens, grantOf, onPostgres, startService, stopContender, type Stage } from './stage.js'

const early = 10_000
const late = 100_000

/** A6: the start of the service with its own Postgres, and what its memory grows by under load. */
export async function startAndGrow(settings: Settings): Promise<Figure[]> {
  const data = await skewedData(settings)
  const starts: number[] = []
  for (let round = 0; round < settings.rounds; round += 1) starts.push(await startSeconds(data.dataDir))
  const seconds = median(starts)
  const growth = await onPostgres(data, () => memoryGrowth(data))
  return [
    atMost('A6', 'start on existing data to /readyz', seconds, {
      text: `${seconds.toFixed(2)} s`,
      goal: 'at most 1.5 s',
      bound: 1.5,
    }),
    atMost('A6', `memory after ${late.toLocaleString('en')} requests`, growth.lateMb - growth.earlyMb, {
      text: `${growth.lateMb.toFixed(1)} MB`,
      beside: `after ${early.toLocaleString('en')} ${growth.earlyMb.toFixed(1)} MB`,
      goal: 'less than 10 MB more',
      bound: 10,
    }),
  ]
}

async function startSeconds(dataDir: string): Promise<number> {
  const start = performance.now()
  const service = await startService(dataDir)
  const seconds = (performance.now() - start) / 1000
  await stopContender(service)
  return seconds
}

/** Resident memory after a full collection, under reads, writes, lists and token grants in equal parts. */
async function memoryGrowth(data: PreparedData): Promise<{ earlyMb: number; lateMb: number }> {
  const hook = fileURLToPath(new URL('memory-hook.mjs', import.meta.url))
  const service = await startService(data.dataDir, ['--expose-gc', '--import', hook])
  try {
    const requestsFile = writeRequests(mixedRequests({ data, tokens: await getTokens(service, data) }))
    const send = async (requests: number) => {
      await runLoad({
        kind: 'requests',
        port: service.port,
        requestsFile,
        connections: 25,
        seconds: 0,
        requests,
        seed: `${Date.now().toString(36)}m${requests}x`,
      })
      service.process.send('memory')
      const [bytes] = (await once(service.process, 'message')) as [number]
      return bytes / 2 ** 20
    }
    return { earlyMb: await send(early), lateMb: await send(late - early) }
  } finally {
    await stopContender(service)
  }
}

function mixedRequests(place: Pick<Stage, 'data' | 'tokens'>): LoadRequest[] {
  const { data, tokens } = place
  const every = 10
  const some = <Item>(items: readonly Item[]) => items.filter((_, index) => index % every === 0)
  const targets = some(data.targets)
  return [
    ...some(getUserRequests(place)),
    ...some(createUserRequests(place)),
    ...targets.map(({ domain, environment }) => ({
      method: 'GET' as const,
      path: `/api/v2/org/${domain}/users`,
      token: tokens[environment],
    })),
    ...targets.map(({ environment }) => ({
      method: 'POST' as const,
      path: '/api/v2/oauth/token',
      body: grantOf(data, environment),
    })),
  ]
}
