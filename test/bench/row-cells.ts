import { execFileSync } from 'node:child_process'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { findCitus, citusMissing } from '../citus/citus-programs.js'
import { startCluster } from '../citus/cluster.js'
import { addToWorkers, prepareCommand } from '../citus/test-cell.js'
import { fillData, prepareOnce, type PreparedData } from './data.js'
import { milliseconds, perSecond, type Figure } from './figures.js'
import { cpuSecondsOf, limitCpu, moveToServerCore } from './machine.js'
import { measure, median, sized, warmUp, type Case, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import type { SampleSize } from './sample.js'
import { grantRequests } from './row-tokens.js'
import { createUserRequests, getUserRequests } from './row-users.js'
import {
  getTokens,
  onPostgres,
  root,
  serviceCommand,
  startService,
  stopContender,
  type Contender,
} from './stage.js'

/** Requests against the account of a sample. */
type Work = (place: Pick<Place, 'data' | 'tokens'>) => LoadRequest[]

const works: readonly (readonly [what: string, work: Work])[] = [
  ['GET one user', getUserRequests],
  ['POST one user', createUserRequests],
  ['client-credentials grant', ({ data }) => grantRequests(data)],
]

interface Place {
  readonly data: PreparedData
  readonly tokens: Awaited<ReturnType<typeof getTokens>>
}

/** CPU of one request, in ms: of the service, and of each server. */
interface Shares {
  readonly rate: number
  readonly process: number
  readonly servers: readonly number[]
}

function sizeOf(settings: Settings) {
  const users = sized(settings, Math.min(settings.users, 50_000), 1_000)
  return { organizations: 100, users, shape: 'even' } as const
}
const sampleName = (number: string, { users }: SampleSize) => `cell-${number}-${users}-users`

/** A quick look is at the first of them. */
const worksOf = (settings: Settings) => works.slice(0, sized(settings, works.length, 1))

/** Of a core: so little that servers are full before the process that uses them. */
const serverShare = 0.1
const callersOfServer = 25
const cannotLimit =
  'S1: control groups of the CPU cannot be written here (Linux, as root): what the servers carry is not measured\n'

/** S1: accounts in two databases on two servers with twice the callers, beside those of one. */
export async function twoCells(settings: Settings): Promise<Figure[]> {
  const { folder } = settings
  const size = sizeOf(settings)
  const first = await prepareOnce(folder, sampleName('one', size), (dataDir, url) =>
    fillData(dataDir, url, size),
  )
  // Databases of one list share their master keys.
  const second = await prepareOnce(folder, sampleName('two', size), async (dataDir, url) => {
    await copyFile(join(first.dataDir, 'master-keys'), join(dataDir, 'master-keys'))
    return fillData(dataDir, url, size)
  })
  const MASTER_KEYS = (await readFile(join(first.dataDir, 'master-keys'), 'utf8')).trim()
  return onPostgres(first, (firstUrl, firstPid) =>
    onPostgres(second, async (secondUrl, secondPid) => {
      const cells = [
        { name: 'one', url: firstUrl },
        { name: 'two', url: secondUrl },
      ]
      const started: Contender[] = []
      const pids = [firstPid, secondPid]
      const lifts: ReturnType<typeof limitCpu>[] = []
      try {
        for (const count of [1, 2]) {
          const CELLS = JSON.stringify(cells.slice(0, count))
          started.push(await startService(first.dataDir, [], { CELLS, MASTER_KEYS }))
        }
        const [single, double] = started
        if (single === undefined || double === undefined) return []
        const placesOf = async (contender: Contender, samples: readonly PreparedData[]) =>
          Promise.all(samples.map(async (data) => ({ data, tokens: await getTokens(contender, data) })))
        const alone = await placesOf(single, [first])
        const both = await placesOf(double, [first, second])
        const cases = worksOf(settings).map(([what, work]) => ({
          what,
          one: { ...caseOf(single, work, alone), connections: callersOfServer },
          two: { ...caseOf(double, work, both), connections: 2 * callersOfServer },
        }))
        // With servers that are limited, it would take minutes until V8 has compiled what the process runs.
        for (const { one, two } of cases)
          for (const each of [one, two]) await warmUp({ postgresPid: firstPid }, each, settings)
        const free: Record<'one' | 'two', Shares[]>[] = []
        for (const { one, two } of cases) free.push(await sharesOf({ one, two }, pids, settings))
        lifts.push(...pids.map((pid) => limitCpu(pid, serverShare)))
        const isLimited = !lifts.includes(undefined)
        if (!isLimited) process.stderr.write(cannotLimit)
        const figures: Figure[] = []
        for (const [index, { what, one, two }] of cases.entries()) {
          const limited = isLimited ? await sharesOf({ one, two }, pids, settings) : undefined
          figures.push(rateFigure(what, limited), ...cpuFigures(what, free[index] ?? { one: [], two: [] }))
        }
        return figures
      } finally {
        try {
          for (const lift of lifts) lift?.()
        } finally {
          await Promise.all(started.map(stopContender))
        }
      }
    }),
  )
}

interface Beside {
  readonly one: readonly Shares[]
  readonly two: readonly Shares[]
}

function twoFigure(
  what: string,
  { one, two }: Beside,
  of: (shares: Shares) => number,
  toText: (value: number) => string,
): Figure {
  return {
    row: 'S1',
    what,
    ours: toText(median(two.map(of))),
    beside: `one ${toText(median(one.map(of)))}`,
    ratio: median(two.map((shares, round) => of(shares) / of(one[round] ?? shares))),
  }
}

/** @param limited Undefined where the servers cannot be limited. */
function rateFigure(what: string, limited: Beside | undefined): Figure {
  return twoFigure(
    `${what}, two servers: a second`,
    limited ?? { one: [], two: [] },
    ({ rate }) => rate,
    perSecond,
  )
}

function cpuFigures(what: string, free: Beside): Figure[] {
  const whole = ({ servers }: Shares) => servers.reduce((sum, each) => sum + each, 0)
  const firstOf = (shares: Shares) => (shares.servers[0] ?? NaN) / whole(shares)
  return [
    twoFigure(`${what}, two servers: CPU of the process`, free, ({ process }) => process, milliseconds),
    twoFigure(`${what}, two servers: CPU of the servers`, free, whole, milliseconds),
    {
      row: 'S1',
      what: `${what}, two servers: share of the first`,
      ours: median(free.two.map(firstOf)).toFixed(2),
    },
  ]
}

/** S2: a schema of a Citus cluster by its coordinator, and by the worker that has it, beside a database of one Postgres. */
export async function citusCell(settings: Settings): Promise<Figure[]> {
  const bin = findCitus()
  if (bin === undefined) {
    process.stderr.write(citusMissing)
    return []
  }
  const size = sizeOf(settings)
  const plain = await prepareOnce(settings.folder, sampleName('one', size), (dataDir, url) =>
    fillData(dataDir, url, size),
  )
  const MASTER_KEYS = (await readFile(join(plain.dataDir, 'master-keys'), 'utf8')).trim()
  const cluster = await startCluster(bin)
  const started: Contender[] = []
  try {
    const coordinator = await onServer(cluster.url, 'create database portico')
    await addToWorkers(coordinator, cluster.workers)
    const variables = { DATABASE_URL: coordinator, MASTER_KEYS }
    runPortico(['migrate'], variables)
    const distributed = await fillData(plain.dataDir, coordinator, size, variables)
    runPortico(prepareCommand(cluster.workers), variables)
    const place = await placeOfCell(coordinator)
    const worker = new URL(coordinator)
    worker.host = place
    for (const pid of cluster.pids) moveToServerCore(pid)
    const start = async (more: NodeJS.ProcessEnv) => {
      const contender = await startService(plain.dataDir, [], more)
      started.push(contender)
      return contender
    }
    const byCoordinator = await start(variables)
    const byWorker = await start({
      ...variables,
      DATABASE_URL: worker.href,
      DATABASE_DIRECT_URL: coordinator,
    })
    const placeOf = async (contender: Contender, data: PreparedData) => [
      { data, tokens: await getTokens(contender, data) },
    ]
    const measureBeside = async (one: Contender | undefined, plainPid: number) => {
      const figures: Figure[] = []
      for (const [what, work] of worksOf(settings)) {
        const cases: Record<string, Case> = {
          ...(one && { one: caseOf(one, work, await placeOf(one, plain)) }),
          coordinator: caseOf(byCoordinator, work, await placeOf(byCoordinator, distributed)),
          worker: caseOf(byWorker, work, await placeOf(byWorker, distributed)),
        }
        for (const each of Object.values(cases)) await warmUp({ postgresPid: plainPid }, each, settings)
        const { one: beside = [], ...shares } = await sharesOf(cases, [plainPid, ...cluster.pids], settings)
        for (const way of ['coordinator', 'worker'])
          figures.push(citusFigure(`${what}, by the ${way}: CPU of the servers`, shares[way] ?? [], beside))
      }
      return figures
    }
    // A quick look leaves out what the cell is compared with.
    if (settings.isQuick) return await measureBeside(undefined, process.pid)
    return await onPostgres(plain, async (_url, plainPid) => measureBeside(await start({}), plainPid))
  } finally {
    await Promise.all(started.map(stopContender))
    await cluster.close()
  }
}

function citusFigure(what: string, cell: readonly Shares[], plain: readonly Shares[]): Figure {
  const coordinatorOf = ({ servers: [, coordinator = NaN] }: Shares) => coordinator
  const workersOf = ({ servers: [, , ...workers] }: Shares) => workers.reduce((sum, each) => sum + each, 0)
  const wholeOf = (shares: Shares) => coordinatorOf(shares) + workersOf(shares)
  const plainOf = ({ servers: [own = NaN] }: Shares) => own
  return {
    row: 'S2',
    what,
    ours: `${milliseconds(median(cell.map(wholeOf)))} (coordinator ${milliseconds(median(cell.map(coordinatorOf)))})`,
    beside: `one Postgres ${milliseconds(median(plain.map(plainOf)))}`,
    ratio: median(plain.map((shares, round) => wholeOf(cell[round] ?? shares) / plainOf(shares))),
  }
}

/** Requests for each sample in turn. */
function caseOf(contender: Contender, work: Work, places: readonly Place[]): Case {
  return { contender, requestsFile: writeRequests(places.flatMap((place) => work(place))) }
}

/** The cases in turn, round by round. */
async function sharesOf<Name extends string>(
  cases: Readonly<Record<Name, Case>>,
  pids: readonly number[],
  { rounds, seconds }: Pick<Settings, 'rounds' | 'seconds'>,
): Promise<Record<Name, Shares[]>> {
  const names = Object.keys(cases) as Name[]
  const shares = Object.fromEntries(names.map((name) => [name, [] as Shares[]])) as Record<Name, Shares[]>
  for (let round = 0; round < rounds; round += 1) {
    for (const name of names) {
      const before = pids.map(cpuSecondsOf)
      const measured = await measure({ postgresPid: pids[0] ?? 0 }, cases[name], seconds)
      const after = pids.map(cpuSecondsOf)
      const servers = after.map(
        (at, index) => ((at ?? NaN) - (before[index] ?? NaN)) * (1000 / measured.requests),
      )
      shares[name].push({ rate: measured.rate, process: measured.serverCpuMs, servers })
    }
  }
  return shares
}

function runPortico(args: readonly string[], variables: Readonly<Record<string, string>>): void {
  const [program = ''] = serviceCommand
  execFileSync(process.execPath, [program, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/** @returns The address of the database portico there. */
async function onServer(adminUrl: string, statement: string): Promise<string> {
  await query(adminUrl, statement)
  const url = new URL(adminUrl)
  url.pathname = 'portico'
  return url.href
}

/** The worker that has the schema, as host:port. */
async function placeOfCell(url: string): Promise<string> {
  const rows = await query(
    url,
    `select distinct nodename || ':' || nodeport as place from pg_dist_shard
     join pg_dist_placement using (shardid) join pg_dist_node using (groupid)
     where logicalrelid = 'accounts'::regclass`,
  )
  return String(rows[0]?.['place'])
}

async function query(connectionString: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(text)).rows
  } finally {
    await client.end()
  }
}
