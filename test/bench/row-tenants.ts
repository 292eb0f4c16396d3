import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { prepareData, type PreparedData } from './data.js'
import { besideOthers, type Figure } from './figures.js'
import { measure, median, type Measured, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { createUserRequests, getUserRequests } from './row-users.js'
import { getTokens, onPostgres, startService, stopContender, type Contender } from './stage.js'

const works = {
  'GET one user': getUserRequests,
  'list 25': listRequests,
  'POST one user': createUserRequests,
}
type Work = keyof typeof works
const workNames = Object.keys(works) as Work[]

const counts = [1_000, 100_000]
const quickCounts = [1_000]

interface ColdRun extends Measured {
  /** Pages of 8 kB that a request's statements looked at in tables and indexes of the service. */
  readonly buffers: number
}

/** A7: A1 to A3 with ever more organizations among as many users, on a Postgres that has just started. */
export async function manyTenants(settings: Settings): Promise<Figure[]> {
  const { folder, users, isQuick } = settings
  // A quick look leaves out the one that ours is compared with.
  const organizationCounts = isQuick ? quickCounts : [1, ...counts]
  const samples: PreparedData[] = []
  for (const organizations of organizationCounts)
    samples.push(await prepareData(folder, { organizations, users, shape: 'even' }))

  const runs = samples.map(() => ({ 'GET one user': [], 'list 25': [], 'POST one user': [] }) as Runs)
  for (let round = 0; round < Math.min(settings.rounds, 3); round += 1) {
    for (const [index, sample] of samples.entries()) {
      const round = await runCold(sample, settings.seconds)
      for (const work of workNames) runs[index]?.[work].push(round[work])
    }
  }
  const smallest = isQuick ? undefined : runs[0]
  return runs.flatMap((run, index) =>
    run === smallest
      ? []
      : workNames.flatMap((work) =>
          figuresOf(work, organizationCounts[index] ?? 0, run[work], smallest?.[work] ?? []),
        ),
  )
}

type Runs = Record<Work, ColdRun[]>

function figuresOf(work: Work, organizations: number, ours: ColdRun[], smallest: ColdRun[]): Figure[] {
  const what = `${work}, ${organizations.toLocaleString('en')} organizations`
  const buffersOf = (rounds: ColdRun[]) => median(rounds.map(({ buffers }) => buffers))
  return [
    besideOthers('A7', what, { ours, others: smallest }, 'one'),
    {
      row: 'A7',
      what: `${what}: buffers`,
      ours: buffersOf(ours).toFixed(1),
      beside: `one ${buffersOf(smallest).toFixed(1)}`,
      ratio: buffersOf(ours) / buffersOf(smallest),
    },
  ]
}

function runCold(data: PreparedData, seconds: number): Promise<Record<Work, ColdRun>> {
  return onPostgres(data, async (url, postgresPid) => {
    const ours = await startService(data.dataDir)
    const looker = new pg.Client({ connectionString: url })
    await looker.connect()
    try {
      const place = { data, tokens: await getTokens(ours, data) }
      const runs: Partial<Record<Work, ColdRun>> = {}
      for (const work of workNames) {
        const requests = works[work](place)
        await warmCode(ours, postgresPid, requests, seconds)
        runs[work] = await measureBuffers(looker, ours, postgresPid, requests, seconds)
      }
      // Every name of Work has been measured.
      return runs as Record<Work, ColdRun>
    } finally {
      await looker.end()
      await stopContender(ours)
    }
  })
}

/** Compiles the service's code with one request over and over, which leaves the caches of the others cold. */
function warmCode(contender: Contender, postgresPid: number, requests: LoadRequest[], seconds: number) {
  return measure({ postgresPid }, { contender, requestsFile: writeRequests(requests.slice(0, 1)) }, seconds)
}

/** The same, and how many buffers a request has looked at. */
export async function measureBuffers(
  looker: pg.Client,
  contender: Contender,
  postgresPid: number,
  requests: LoadRequest[],
  seconds: number,
): Promise<ColdRun> {
  const before = await readBuffers(looker)
  const measured = await measure(
    { postgresPid },
    { contender, requestsFile: writeRequests(requests) },
    seconds,
  )
  const looked = (await readBuffers(looker)) - before
  return { ...measured, buffers: looked / measured.requests }
}

/** Pages looked at so far. Backends tell when they end, so the idle ones are ended first; the service opens others. */
async function readBuffers(looker: pg.Client): Promise<number> {
  await looker.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where application_name = 'portico' and state = 'idle' and pid <> pg_backend_pid()`,
  )
  await sleep(200)
  const { rows } = await looker.query<{ buffers: string }>(
    `select sum(coalesce(heap_blks_read, 0) + coalesce(heap_blks_hit, 0) + coalesce(idx_blks_read, 0)
       + coalesce(idx_blks_hit, 0) + coalesce(toast_blks_read, 0) + coalesce(toast_blks_hit, 0)) as buffers
     from pg_statio_user_tables`,
  )
  return Number(rows[0]?.buffers)
}

function listRequests({ data, tokens }: Parameters<typeof getUserRequests>[0]): LoadRequest[] {
  return data.targets.map(({ domain, environment }) => ({
    method: 'GET',
    path: `/api/v2/org/${domain}/users`,
    token: tokens[environment],
  }))
}
