import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { writePassword } from '@portico/server/stored-password'
import { Argon2id } from 'oslo/password'
import pg from 'pg'
import type { PreparedData, Target } from './data.js'
import { besideBare, milliseconds, perSecond, type Figure } from './figures.js'
import { onceOf } from './kept.js'
import { measure, medianOf, ratioOf, sized, type Case, type Measured, type Settings } from './measure.js'
import { measureRaw } from './raw.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { getUserRequests } from './row-users.js'
import { redirectUri } from './sample.js'
import { onStage, type Contender, type Stage } from './stage.js'

const password = 'correct horse battery staple'
/** So many that no address has attempts at the same time often enough to be locked. */
const userCount = 2_000

/** Challenges are few a second, and V8 compiles what has run often. */
const warmUpSeconds = 20

interface PasswordStage extends Stage {
  /** Of every user's password. */
  readonly hash: string
  readonly challenges: Case
}

/** B1: right passwords, against the library that verifies their hashes. */
export function challengePasswords(settings: Settings): Promise<Figure[]> {
  return onPasswordStage(settings, async ({ challenges, hash, ...stage }) => {
    const ours: Measured[] = []
    const raw: Measured[] = []
    await measure(stage, challenges, sized(settings, warmUpSeconds, 1))
    for (let round = 0; round < settings.rounds; round += 1) {
      ours.push(await measure(stage, challenges, settings.seconds))
      if (!settings.isQuick)
        raw.push(await measureRaw('raw-argon2.ts', [hash, password, String(settings.seconds)]))
    }
    return besideBare('B1', 'password challenges', { ours, bare: raw }, 'raw Argon2id')
  })
}

/** B2: throughput of other callers while passwords are verified. */
export function readMeanwhile(settings: Settings): Promise<Figure[]> {
  return onPasswordStage(settings, async ({ challenges, ...stage }) => {
    const many = { contender: stage.ours, requestsFile: writeRequests(getUserRequests(stage)) }
    const one = { ...many, connections: 1 }
    const during = async (each: Case) => {
      const load = measure(stage, challenges, settings.seconds + 2 * marginSeconds)
      await sleep(marginSeconds * 1000)
      const measured = await measure(stage, each, settings.seconds)
      await load
      return measured
    }
    const idle: Measured[] = []
    const busy: Measured[] = []
    const busyOne: Measured[] = []
    const idleOne: Measured[] = []
    // Two at once: the rounds have two, and a process of load that is started among them would begin late.
    await Promise.all([many, one].map((each) => measure(stage, each, settings.seconds * 2)))
    for (let round = 0; round < settings.rounds; round += 1) {
      idle.push(await measure(stage, many, settings.seconds))
      idleOne.push(await measure(stage, one, settings.seconds))
      busy.push(await during(many))
      busyOne.push(await during(one))
    }
    return [
      {
        row: 'B2',
        what: 'GET one user during B1, one caller: p99',
        ours: milliseconds(medianOf(busyOne, 'p99Ms')),
        beside: `idle ${milliseconds(medianOf(idleOne, 'p99Ms'))}`,
      },
      {
        row: 'B2',
        what: 'GET one user during B1: a second',
        ours: perSecond(medianOf(busy, 'rate')),
        beside: `idle ${perSecond(medianOf(idle, 'rate'))}`,
        ratio: ratioOf(busy, idle, 'rate'),
      },
    ]
  })
}

/** The challenges begin so much before what is measured beside them, and end so much after it. */
const marginSeconds = 1

function onPasswordStage<Result>(
  settings: Settings,
  work: (stage: PasswordStage) => Promise<Result>,
): Promise<Result> {
  return onStage(settings, async (stage) => work(await withPasswords(stage)))
}

/** Gives users of a stage passwords. */
const withPasswords = onceOf(async (stage: Stage): Promise<PasswordStage> => {
  const { ours, data, tokens, databaseUrl } = stage
  const targets = data.targets.filter(({ environment }) => environment === 'sandbox').slice(0, userCount)
  const hash = await new Argon2id({ memorySize: 19_456, iterations: 2, parallelism: 1 }).hash(password)
  await connect(ours, tokens.sandbox, targets)
  await givePasswords(databaseUrl, data, targets, hash)
  const requests = challengeRequests(targets, tokens.sandbox)
  await checkOne(ours, requests)
  const challenges = { contender: ours, requestsFile: writeRequests(requests) }
  return { ...stage, hash, challenges }
})

/** Gives each organization a password connection, by the API. */
async function connect(ours: Contender, token: string, targets: readonly Target[]): Promise<void> {
  for (const domain of new Set(targets.map((target) => target.domain))) {
    const path = `/api/v2/org/${domain}/password-connection`
    const answer = await post(ours, { method: 'POST', path, token, body: {} })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    await answer.arrayBuffer()
  }
}

/** Stores the same hash for each user, by the service's own function: it is wrapped for its row as any other. */
async function givePasswords(
  url: string,
  { dataDir, account }: PreparedData,
  targets: readonly Target[],
  hash: string,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ id: string; organization_id: string }>(
    'select id, organization_id from users where id = any($1)',
    [targets.map(({ id }) => id)],
  )
  await client.end()
  const deps = await openDeps(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' }))
  try {
    await deps.db.transaction().execute(async (trx) => {
      for (const { id, organization_id } of rows) {
        const place = { accountId: account.id, environment: 'sandbox', organizationId: organization_id }
        await writePassword(deps, trx, { ...place, userId: id }, hash)
      }
    })
  } finally {
    await deps.close()
  }
}

function challengeRequests(targets: readonly Target[], token: string): LoadRequest[] {
  return targets.map(({ domain, email }) => ({
    method: 'POST',
    path: '/api/v2/password-challenge',
    token,
    body: { user_email: email, org_domain: domain, plain_text: password, redirect_uri: redirectUri },
  }))
}

/** Checks once that the passwords are correct, because an incorrect one has the same status and cost. */
async function checkOne(ours: Contender, [request]: readonly LoadRequest[]): Promise<void> {
  if (request === undefined) throw new Error('the sample has no user in the sandbox')
  const body: unknown = await (await post(ours, request)).json()
  if (typeof body !== 'object' || body === null || !('valid?' in body) || body['valid?'] !== true)
    throw new Error(`the password is not taken: ${JSON.stringify(body)}`)
}

function post(ours: Contender, { path, token, body }: LoadRequest): Promise<Response> {
  return fetch(`http://127.0.0.1:${ours.port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}
