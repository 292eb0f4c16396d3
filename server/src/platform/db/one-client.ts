import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

/** Runs work on one connection, which is its session: as a client, and as Kysely on the same one. */
export async function withClient<Result>(
  url: string,
  work: (client: pg.Client, db: Kysely<unknown>) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'portico',
    connectionTimeoutMillis: 5_000,
  })
  // A lost connection fails the statement under way; without a listener it would end the process.
  client.on('error', () => undefined)
  await client.connect()
  try {
    await client.query("set timezone = 'UTC'; set datestyle = 'ISO, YMD'")
    const lent = { query: client.query.bind(client), release: () => undefined }
    const pool = { connect: () => Promise.resolve(lent), end: () => Promise.resolve() }
    // Kysely calls only connect() and end() of a pool, and query() and release() of a client.
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: pool as unknown as pg.Pool }) })
    return await work(client, db)
  } finally {
    await client.end()
  }
}
