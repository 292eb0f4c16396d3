import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAccount } from '@portico/server/accounts'
import { createApiKey } from '@portico/server/api-keys'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { startEmbedded } from '@portico/server/embedded'
import { copyTemplate } from '@portico/server/embedded-template'
import pg from 'pg'
import { sized, type Settings } from './measure.js'
import { insertSample, type SampleSize } from './sample.js'

export type Environment = 'sandbox' | 'production'

/** A user of the sample, drawn so that every organization and environment comes up as often; a large one as often as all others. */
export interface Target {
  readonly domain: string
  readonly environment: Environment
  readonly id: string
  readonly email: string
}

export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

/** A data directory of the service with a sample in it, ready to be started on. */
export interface PreparedData {
  readonly dataDir: string
  readonly size: SampleSize
  readonly account: { readonly id: string; readonly domain: string }
  readonly credentials: Readonly<Record<Environment, Credentials>>
  readonly targets: readonly Target[]
}

const targetCount = 20_000

/** The sample of every row but A7: one organization of 3 users in 10, one of 1 in 10, 998 that share the rest. */
export function skewedData({ folder, users, isQuick }: Settings): Promise<PreparedData> {
  return prepareData(folder, { organizations: sized({ isQuick }, 1_000, 100), users, shape: 'skewed' })
}

/**
 * Every other organization with users in the sandbox is of the rows whose users get roles, and a directory with them; the rest have the
 * directories of other rows.
 */
export function dealOrganizations({ targets }: Pick<PreparedData, 'targets'>) {
  const ofSandbox = targets.filter(({ environment }) => environment === 'sandbox')
  const domains = [...new Set(ofSandbox.map(({ domain }) => domain))]
  const every = (place: number) => domains.filter((_, index) => index % 2 === place)
  return { ofRoles: every(0), others: every(1) }
}

/** Creates the data directory of a sample, or reuses that of an earlier run. */
export async function prepareData(folder: string, size: SampleSize): Promise<PreparedData> {
  const { organizations, users, shape, events } = size
  const name = [
    `${organizations}-organizations-${users}-users`,
    ...(shape === 'even' ? [] : [shape]),
    ...(events === undefined ? [] : [`${events}-events`]),
  ].join('-')
  return prepareOnce(folder, name, (dataDir, url) => fillData(dataDir, url, size))
}

/**
 * Creates and fills a data directory with its own Postgres, or reuses that of an earlier run.
 *
 * @param fill Its result is stored beside the rows as JSON.
 */
export async function prepareOnce<Prepared extends { readonly dataDir: string }>(
  folder: string,
  name: string,
  fill: (dataDir: string, url: string) => Promise<Prepared>,
): Promise<Prepared> {
  const schema = schemaMark()
  await removeOtherSchemas(folder, schema)
  const dataDir = join(folder, schema, name)
  const file = join(dataDir, 'sample.json')
  if (!existsSync(file)) {
    process.stderr.write(`making ${dataDir}, once …\n`)
    await rm(dataDir, { recursive: true, force: true })
    await copyEmpty(folder, dataDir)
    const postgres = await startEmbedded({ dataDir })
    try {
      await writeFile(file, JSON.stringify(await fill(dataDir, postgres.url)), { mode: 0o600 })
    } finally {
      await postgres.stop()
    }
  }
  // Written above, in this form.
  return JSON.parse(await readFile(file, 'utf8')) as Prepared
}

/** Makes a data directory with every migration and nothing else: a copy, because to make one takes seconds. */
export async function copyEmpty(folder: string, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  await copyTemplate(folder, dataDir, new Date())
  // A sample outlives its Postgres, as an emulator's data does not.
  await rm(join(dataDir, 'throwaway'))
}

/** Identifies the schema of the migrations, because a sample with another schema cannot be used. */
function schemaMark(): string {
  const hash = createHash('sha256')
  for (const file of readdirSync(migrations)
    .filter((name) => name.endsWith('.js'))
    .toSorted())
    hash.update(readFileSync(new URL(file, migrations)))
  return `schema-${hash.digest('hex').slice(0, 8)}`
}

const migrations = new URL('../../server/dist/platform/db/migrations/', import.meta.url)

async function removeOtherSchemas(folder: string, schema: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const stale = (await readdir(folder)).filter((name) => /^schema-[0-9a-f]{8}$/.test(name) && name !== schema)
  for (const name of stale) await rm(join(folder, name), { recursive: true, force: true })
}

/** @param variables Of the database, where it is not that of the data directory. */
export async function fillData(
  dataDir: string,
  url: string,
  size: SampleSize,
  variables: NodeJS.ProcessEnv = {},
): Promise<PreparedData> {
  const owner = await makeAccount(dataDir, variables)
  await insertSample(url, owner.account.id, size)
  return { dataDir, size, ...owner, targets: await drawTargets(url, owner.account.id, size) }
}

/** The account and a key for each environment, by the service's own operations: keys are sealed, secrets hashed. */
export async function makeAccount(
  dataDir: string,
  variables: NodeJS.ProcessEnv = {},
): Promise<Pick<PreparedData, 'account' | 'credentials'>> {
  const deps = await openDeps(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...variables }))
  try {
    const name = `Bench ${randomBytes(3).toString('hex')}`
    const { id, domain } = await createAccount(deps, { name, plan: 'unlimited' })
    const keyOf = (environment: Environment) =>
      createApiKey(deps, deps.db, { accountId: id, environment, name: 'bench' })
    const credentials = { sandbox: await keyOf('sandbox'), production: await keyOf('production') }
    return { account: { id, domain }, credentials }
  } finally {
    await deps.close()
  }
}

async function drawTargets(url: string, accountId: string, size: SampleSize): Promise<Target[]> {
  const perPlace = Math.ceil(targetCount / (size.organizations * 2))
  // As the service connects: otherwise the whole table is read for each organization of a large sample.
  const client = new pg.Client({ connectionString: url, options: '-c enable_seqscan=off' })
  await client.connect()
  try {
    const { rows } = await client.query<Target>(
      `select organizations.domain, place.environment, users.id, users.email
       from (
         select id, domain, $4 and domain = 'org-1' as is_large from organizations where account_id = $1
         order by $4 and domain = 'org-1' desc, md5(domain) limit $2
       ) organizations
       cross join unnest(array['sandbox', 'production']) place (environment)
       cross join lateral (
         select id, email from users
         where account_id = $1 and environment = place.environment and organization_id = organizations.id
         order by md5(id::text) limit case when organizations.is_large then $2 else $3 end
       ) users`,
      [accountId, targetCount / 2, perPlace, size.shape === 'one-large'],
    )
    return rows
  } finally {
    await client.end()
  }
}

/** Deletes the rows that a run added, so that the next one starts with the same sample. */
export async function forgetSince(url: string, moment: Date): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const [table, column] of addedTo)
      await client.query(`delete from ${table} where ${column} >= $1`, [moment])
    await client.query(`vacuum ${addedTo.map(([table]) => table).join(', ')}`)
  } finally {
    await client.end()
  }
}

// In this order: a row before the one it refers to.
const addedTo = [
  ['webhooks', 'inserted_at'],
  ['passwords', 'inserted_at'],
  ['password_peppers', 'inserted_at'],
  ['password_connections', 'inserted_at'],
  ['passkeys', 'inserted_at'],
  ['passkey_connections', 'inserted_at'],
  ['sessions', 'authenticated_at'],
  ['user_identities', 'inserted_at'],
  ['sso_connections', 'inserted_at'],
  ['account_flows', 'inserted_at'],
  ['email_sessions', 'inserted_at'],
  ['magic_link_challenges', 'inserted_at'],
  ['scim_requests', 'inserted_at'],
  ['directories', 'inserted_at'],
  ['roles', 'inserted_at'],
  ['permissions', 'inserted_at'],
  ['sign_in_flows', 'inserted_at'],
  ['invitations', 'inserted_at'],
  ['users', 'inserted_at'],
  ['meta_keys', 'inserted_at'],
  ['events', 'issued_at'],
  ['log_events', 'inserted_at'],
  ['audit_entries', 'inserted_at'],
] as const
