import { randomBytes } from 'node:crypto'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { ensureStaffOrganization } from '@portico/server/staff-organization'
import pg from 'pg'
import { uuidv7 } from './bare-parts.js'
import { cpuText, type Figure } from './figures.js'
import type { RowName } from './goals.js'
import { interleaved, type Settings } from './measure.js'
import { writeRequests, type LoadRequest } from './requests.js'
import { sessionCookieName } from './sign-in-sample.js'
import { onStage, type Stage } from './stage.js'

/** As many owners as the limits of one take for the load of a minute: 600 pages, or 60 people looked up. */
const staffCount = 200
const people = 2_000

/** K1: a list of 25 users in the largest organization, in the console. */
export function listInConsole(settings: Settings): Promise<Figure[]> {
  return onConsole('K1', 'console, list of 25 users', settings, () => ['organizations/org-1/users'])
}

/** K2: the page about a person in the console. */
export function personInConsole(settings: Settings): Promise<Figure[]> {
  return onConsole('K2', 'console, page about a person', settings, ({ data }) =>
    data.targets
      .filter(({ environment }) => environment === 'production')
      .slice(0, people)
      .map(({ email }) => `people?email=${encodeURIComponent(email)}`),
  )
}

async function onConsole(
  row: RowName,
  what: string,
  settings: Settings,
  pathsOf: (stage: Stage) => readonly string[],
): Promise<Figure[]> {
  return onStage(settings, async (stage) => {
    const cookies = await insertStaff(stage)
    const paths = pathsOf(stage)
    const requests = Array.from({ length: Math.max(paths.length, cookies.length) }, (_, at): LoadRequest => {
      const path = `/console/${stage.data.account.domain}/production/${paths[at % paths.length]}`
      return { method: 'GET', path, cookie: cookies[at % cookies.length] ?? '' }
    })
    const bytes = await bytesOf(stage, requests[0])
    const requestsFile = writeRequests(requests)
    const { page } = await interleaved(stage, { page: { contender: stage.ours, requestsFile } }, settings)
    return [
      { row, what: `${what}: CPU`, ours: cpuText(page) },
      { row, what: `${what}: HTML`, ours: `${(bytes / 1000).toFixed(1)} kB` },
    ]
  })
}

async function bytesOf({ ours }: Stage, request: LoadRequest | undefined): Promise<number> {
  const { path = '', cookie = '' } = request ?? {}
  const answer = await fetch(`http://127.0.0.1:${ours.port}${path}`, {
    headers: { cookie },
    redirect: 'manual',
  })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  return (await answer.arrayBuffer()).byteLength
}

async function staffOrganizationOf(data: Stage['data']) {
  const deps = await openDeps(readConfig({ DATA_DIR: data.dataDir, LOG_LEVEL: 'warn' }))
  try {
    return await ensureStaffOrganization(deps, data.account.id)
  } finally {
    await deps.close()
  }
}

/** Owners of the sample's account with a session each. @returns Their cookies. */
async function insertStaff({ data, databaseUrl }: Stage): Promise<string[]> {
  const staff = await staffOrganizationOf(data)
  const at = new Date()
  const rows = Array.from({ length: staffCount }, () => ({
    ...{ user: uuidv7(at), session: uuidv7(at) },
    secret: randomBytes(32).toString('base64url'),
  }))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    // The end of an earlier run has forgotten the roles.
    await client.query(ownerRole, [staff.staffAccountId, at])
    await client.query(members, [
      ...[staff.staffAccountId, staff.organizationId, staff.applicationId, at],
      ...[rows.map(({ user }) => user), rows.map(({ session }) => session), rows.map(({ secret }) => secret)],
    ])
  } finally {
    await client.end()
  }
  const name = sessionCookieName(staff.organizationId, 'production')
  return rows.map(({ secret }) => `${name}=${secret}`)
}

const ownerRole = `
  insert into roles (account_id, environment, id, name, display_name, is_default, inserted_at, updated_at)
  select $1::uuid, 'production', gen_random_uuid(), 'owner', 'Owner', false, $2::timestamptz, $2::timestamptz
  where not exists (
    select from roles where account_id = $1::uuid and environment = 'production' and name = 'owner'
  )`

const members = `
  with wanted as materialized (
    select $1::uuid as account_id, 'production' as environment, $2::uuid as organization_id, wanted.*
    from unnest($5::uuid[], $6::uuid[], $7::text[]) wanted (user_id, session_id, secret)
  ), member as (
    insert into users (
      account_id, environment, organization_id, id, active, email, email_normalized, email_verified, phone_numbers, profile,
      address, avatar_hexa_color, inserted_at, updated_at
    )
    select account_id, environment, organization_id, user_id, true, user_id || '@staff.example', user_id || '@staff.example',
      true, '[]', '{}', '{}', '#123456', $4::timestamptz, $4::timestamptz
    from wanted
  ), assignment as (
    insert into role_assignments (
      account_id, environment, organization_id, user_id, role_id, source, source_id, inserted_at
    )
    select wanted.account_id, wanted.environment, wanted.organization_id, user_id, roles.id, 'api',
      '00000000-0000-0000-0000-000000000000', $4::timestamptz
    from wanted
    join roles on roles.account_id = wanted.account_id and roles.environment = wanted.environment and roles.name = 'owner'
  )
  insert into sessions (
    account_id, environment, organization_id, id, user_id, application_id, amr, authenticated_at, expires_at,
    last_used_at, browser_used_at, secret_hash
  )
  select account_id, environment, organization_id, session_id, user_id, $3::uuid, array['pwd'], $4::timestamptz,
    $4::timestamptz + interval '8 hours', $4::timestamptz, $4::timestamptz, sha256(convert_to(secret, 'UTF8'))
  from wanted`
