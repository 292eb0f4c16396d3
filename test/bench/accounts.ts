import { createAccount } from '@portico/server/accounts'
import { createApiKey } from '@portico/server/api-keys'
import { readConfig } from '@portico/server/config'
import { openDeps } from '@portico/server/deps'
import { exampleOf } from '@portico/contract/record'
import { User } from '@portico/contract/users'
import pg from 'pg'
import { prepareOnce, type PreparedData } from './data.js'
import { onKept } from './kept.js'
import { sized, type Settings } from './measure.js'
import { onPostgres, startService, stopContender, type Contender } from './stage.js'

export type PreparedAccount = Pick<PreparedData, 'account' | 'credentials'>

/** A data directory with many accounts, each with a key and as many events. */
export interface PreparedAccounts {
  readonly dataDir: string
  readonly accounts: readonly PreparedAccount[]
  readonly eventsPerAccount: number
}

/** The sample of the rows about events: 1,000 accounts, whose 300 events each are interleaved, as in life. */
export function accountsData(settings: Settings): Promise<PreparedAccounts> {
  const { folder } = settings
  const accountCount = sized(settings, 1_000, 100)
  const eventsPerAccount = sized(settings, 300, 200)
  const name = `${accountCount}-accounts-${eventsPerAccount}-events`
  return prepareOnce(folder, name, async (dataDir, url) => {
    const accounts = await makeAccounts(dataDir, accountCount)
    await insertEvents(
      url,
      accounts.map(({ account }) => account.id),
      eventsPerAccount,
    )
    return { dataDir, accounts, eventsPerAccount }
  })
}

interface AccountsStage {
  readonly data: PreparedAccounts
  readonly databaseUrl: string
  readonly postgresPid: number
  readonly ours: Contender
}

/** Runs work on that sample with the service, and takes both down. In a quick look rows share them. */
export function onAccountsStage<Result>(
  settings: Settings,
  work: (stage: AccountsStage) => Promise<Result>,
): Promise<Result> {
  return onKept(settings, 'accounts', (use) => onOwnAccountsStage(settings, use), work)
}

async function onOwnAccountsStage<Result>(
  settings: Settings,
  work: (stage: AccountsStage) => Promise<Result>,
): Promise<Result> {
  const data = await accountsData(settings)
  return onPostgres(data, async (databaseUrl, postgresPid) => {
    const ours = await startService(data.dataDir)
    try {
      return await work({ data, databaseUrl, postgresPid, ours })
    } finally {
      await stopContender(ours)
    }
  })
}

/** By the service's own operations: secrets are hashed, and the keys of tokens sealed. */
async function makeAccounts(dataDir: string, accountCount: number): Promise<PreparedAccount[]> {
  const deps = await openDeps(readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'warn' }))
  const made: PreparedAccount[] = []
  try {
    for (let number = 1; number <= accountCount; number += 1) {
      const account = await createAccount(deps, { name: `Bench ${number}`, plan: 'unlimited' })
      const keyOf = (environment: 'sandbox' | 'production') =>
        createApiKey(deps, deps.db, { accountId: account.id, environment, name: 'bench' })
      const credentials = { sandbox: await keyOf('sandbox'), production: await keyOf('production') }
      made.push({ account: { id: account.id, domain: account.domain }, credentials })
    }
  } finally {
    await deps.close()
  }
  return made
}

/** The code of every event of the sample. */
export const eventCode = 'user.user.create.success'
export const eventData: object = exampleOf(User)
export const eventParams = {
  org_domain: 'awesome-company',
  email: 'ada@example.com',
  phone_number: '+33612345678',
}

async function insertEvents(
  url: string,
  accountIds: readonly string[],
  eventsPerAccount: number,
): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(
      `insert into events (
         account_id, environment, id, domain, code, data, params, actor_type, actor_id, request_id, issued_at
       )
       select ($1::uuid[])[1 + i % $2], 'sandbox',
         (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3)
           || '8' || substr(md5(i::text), 4, 15))::uuid,
         'awesome-company', $4, $5, $6, 'api_key', md5('key' || i % $2)::uuid, md5('request' || i)::uuid, at
       from generate_series(0, $2::integer * $3::integer - 1) i,
         lateral (select $7::timestamptz + i * interval '10 milliseconds' as at) moment`,
      [accountIds, accountIds.length, eventsPerAccount, eventCode, eventData, eventParams, start()],
    )
    for (const id of accountIds)
      for (let isMore = true; isMore;) {
        const { rows } = await client.query<{ isMore: boolean }>(
          `select number_events($1, 'sandbox') as "isMore"`,
          [id],
        )
        isMore = rows[0]?.isMore === true
      }
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
}

/**
 * Time of the first event of the sample: so late that a worker does not delete them for their age while the sample is kept, and before
 * any that rows add.
 */
const start = () => new Date(Date.now() - 24 * 60 * 60 * 1_000)
