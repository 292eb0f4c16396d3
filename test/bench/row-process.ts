import { once } from 'node:events'
import type { Figure } from './figures.js'
import { runLoad } from './load.js'
import { median, sized, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { skewedData } from './data.js'
import { createUserRequests, getUserRequests } from './row-users.js'
import {
  getTokens,
  grantOf,
  memoryOptions,
  onPostgres,
  onStage,
  startService,
  stopContender,
  type Contender,
  type Stage,
} from './stage.js'

/** A6: the start of the service with its own Postgres, and what its memory grows by under load. */
export async function startAndGrow(settings: Settings): Promise<Figure[]> {
  const data = await skewedData(settings)
  const starts: number[] = []
  for (let round = 0; round < settings.rounds; round += 1) starts.push(await startSeconds(data.dataDir))
  const seconds = median(starts)
  const [early, late] = [sized(settings, 10_000, 250), sized(settings, 100_000, 1_000)]
  const growth = await onServiceWithMemory(settings, (place) => memoryGrowth(place, { early, late }))
  return [
    { row: 'A6', what: 'start on existing data to /readyz', ours: `${seconds.toFixed(2)} s` },
    {
      row: 'A6',
      what: `memory after ${late.toLocaleString('en')} requests`,
      ours: `${growth.lateMb.toFixed(1)} MB`,
      beside: `after ${early.toLocaleString('en')} ${growth.earlyMb.toFixed(1)} MB`,
    },
  ]
}

async function startSeconds(dataDir: string): Promise<number> {
  const start = performance.now()
  const service = await startService(dataDir)
  const seconds = (performance.now() - start) / 1000
  await stopContender(service)
  return seconds
}

/** Under reads, writes, lists and token grants in equal parts. */
async function memoryGrowth(
  place: MemoryPlace,
  { early, late }: { readonly early: number; readonly late: number },
): Promise<{ earlyMb: number; lateMb: number }> {
  const requestsFile = writeRequests(mixedRequests(place))
  const send = async (requests: number) => {
    await runLoad({
      kind: 'requests',
      port: place.ours.port,
      requestsFile,
      connections: 25,
      seconds: 0,
      requests,
      seed: `${Date.now().toString(36)}m${requests}x`,
    })
    return memoryMb(place.ours)
  }
  return { earlyMb: await send(early), lateMb: await send(late - early) }
}

export type MemoryPlace = Pick<Stage, 'data' | 'ours' | 'postgresPid' | 'tokens'>

/** Runs work on the service, so that memoryMb() can be asked of it; in a quick look on the one of other rows. */
export async function onServiceWithMemory<Result>(
  settings: Settings,
  work: (place: MemoryPlace) => Promise<Result>,
): Promise<Result> {
  if (settings.isQuick) return onStage(settings, work)
  const data = await skewedData(settings)
  return onPostgres(data, async (_url, postgresPid) => {
    const ours = await startService(data.dataDir, memoryOptions)
    try {
      return await work({ data, ours, postgresPid, tokens: await getTokens(ours, data) })
    } finally {
      await stopContender(ours)
    }
  })
}

/** Resident memory after a full collection. */
export async function memoryMb({ process: child }: Contender): Promise<number> {
  child.send('memory')
  // What memory-hook.mjs answers.
  const [bytes] = (await once(child, 'message')) as [number]
  return bytes / 2 ** 20
}

/** Reads, writes, lists and token grants in equal parts. */
export function mixedRequests(place: Pick<Stage, 'data' | 'tokens'>): LoadRequest[] {
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
