import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { uuidv7 } from './bare-parts.js'
import { besideOthers, cpuText, milliseconds, type Figure } from './figures.js'
import { interleaved, medianOf, type Measured, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { authorizeRequest, onePerOrganization, onSignInStage } from './row-codes.js'
import { measureBuffers } from './row-tenants.js'
import { insertSignIns, sessionCookieOf, type Held, type SignInSample } from './sign-in-sample.js'
import type { Stage } from './stage.js'

const sessionsOfBrowser = 10
const lists = 500

/** B6: the work of B4 at the account's issuer, which finds the organization by the browser's sessions; and the list of an address. */
export async function signInAtAccount(settings: Settings): Promise<Figure[]> {
  return onSignInStage(settings, async (stage, sample) => [
    ...(await authorizeAtAccount(stage, sample, settings)),
    ...(await listOrganizations(stage, sample, settings)),
  ])
}

async function authorizeAtAccount(stage: Stage, sample: SignInSample, settings: Settings): Promise<Figure[]> {
  const held = await insertSignIns(sample, onePerOrganization(stage), 'cookie')
  const caseOf = (toRequest: (each: Held, index: number) => LoadRequest) =>
    ({ kind: 'authorize', contender: stage.ours, requestsFile: writeRequests(held.map(toRequest)) }) as const
  const atAccount = (each: Held, browser: readonly Held[]) => ({
    ...authorizeRequest(sample, each, `/a/${sample.data.account.domain}`),
    cookie: browser.map(sessionCookieOf).join('; '),
  })
  const measured = await interleaved(
    stage,
    {
      others: caseOf((each) => authorizeRequest(sample, each)),
      one: caseOf((each) => atAccount(each, [each])),
      ten: caseOf((each, index) => atAccount(each, browserOf(held, index))),
    },
    settings,
  )
  const figure = (what: string, ours: typeof measured.one) =>
    besideOthers('B6', `account's issuer, ${what}`, { ours, others: measured.others }, 'the organization')
  return [figure('a browser of one session', measured.one), figure('of ten', measured.ten)]
}

/** Sessions at as many organizations: this one and those after it. */
function browserOf(held: readonly Held[], index: number): Held[] {
  const count = Math.min(sessionsOfBrowser, held.length)
  return Array.from({ length: count }, (_, place) => held[(index + place) % held.length]).filter(
    (each) => each !== undefined,
  )
}

async function listOrganizations(stage: Stage, sample: SignInSample, settings: Settings): Promise<Figure[]> {
  const requests = await insertAccountFlows(stage, sample, 'choose')
  const asked = await insertAccountFlows(stage, sample, 'identifier')
  const caseOf = (of: LoadRequest[]) => ({ contender: stage.ours, requestsFile: writeRequests(of) })
  const looker = new pg.Client({ connectionString: stage.databaseUrl })
  await looker.connect()
  try {
    const { ours } = stage
    const { list, page } = await interleaved(stage, { list: caseOf(requests), page: caseOf(asked) }, settings)
    const buffersOf = async (of: LoadRequest[]) =>
      (await measureBuffers(looker, ours, stage.postgresPid, of, settings.seconds)).buffers
    const buffers = (await buffersOf(requests)) - (await buffersOf(asked))
    return [
      { row: 'B6', what: 'page with the organizations of an address: CPU', ours: cpuText(list) },
      {
        row: 'B6',
        what: 'the list alone: CPU of Postgres',
        ours: milliseconds(postgresOf(list) - postgresOf(page)),
      },
      { row: 'B6', what: 'the list alone: buffers', ours: buffers.toFixed(1) },
    ]
  } finally {
    await looker.end()
  }
}

function postgresOf(runs: readonly Measured[]): number {
  return medianOf(runs, 'cpuMs') - medianOf(runs, 'serverCpuMs')
}

/**
 * Inserts sign-ins at the account's issuer.
 *
 * @param step What the next page is of: the list, of mailboxes that are proved, or the field for an address, without a proof.
 */
async function insertAccountFlows(
  stage: Stage,
  { application, data }: SignInSample,
  step: 'choose' | 'identifier',
): Promise<LoadRequest[]> {
  const at = new Date()
  const rows = onePerOrganization(stage)
    .slice(0, lists)
    .map(({ email }) => ({
      ...{ email, flow: uuidv7(at), proof: uuidv7(at) },
      secret: randomBytes(32).toString('base64url'),
    }))
  const client = new pg.Client({ connectionString: stage.databaseUrl })
  await client.connect()
  try {
    await client.query(insertion, [
      ...[data.account.id, application, at],
      ...[rows.map(({ email }) => email), rows.map(({ flow }) => flow), rows.map(({ proof }) => proof)],
      rows.map(({ secret }) => createHash('sha256').update(secret).digest()),
      JSON.stringify({ response_type: 'code', client_id: application, redirect_uri: 'https://app.example' }),
      step,
    ])
  } finally {
    await client.end()
  }
  return rows.map(({ flow, secret }) => ({
    method: 'GET',
    path: `/a/${data.account.domain}/sign-in/${flow}`,
    cookie: `portico-flow=${secret}`,
  }))
}

const insertion = `
  with wanted as (
    select * from unnest($4::text[], $5::uuid[], $6::uuid[], $7::bytea[]) wanted (email, flow_id, proof_id, secret_hash)
  ), proof as (
    insert into email_sessions (
      account_id, environment, id, email, email_normalized, secret_hash, proved_at, last_used_at, expires_at, inserted_at
    )
    select $1::uuid, 'sandbox', proof_id, email, lower(email), secret_hash, $3::timestamptz, $3::timestamptz,
      $3::timestamptz + interval '8 hours', $3::timestamptz
    from wanted
    returning id, email, email_normalized
  )
  insert into account_flows (
    account_id, environment, id, application_id, browser_hash, request, step, email, email_normalized,
    email_session_id, expires_at, inserted_at
  )
  select $1::uuid, 'sandbox', flow_id, $2::uuid, secret_hash, $8::jsonb, $9, proved.email, proved.email_normalized,
    proved.id, $3::timestamptz + interval '1 hour', $3::timestamptz
  from wanted left join proof proved on proved.id = wanted.proof_id and $9 = 'choose'`
