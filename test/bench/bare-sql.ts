import { createHash } from 'node:crypto'
import type pg from 'pg'
import { insertLog } from './token-statements.js'

/** A statement by the name it is prepared under. */
export function run<Row extends pg.QueryResultRow>(
  db: pg.Pool | pg.PoolClient,
  name: string,
  text: string,
  values: unknown[],
): Promise<Row[]> {
  return db.query<Row>({ name, text, values }).then(({ rows }) => rows)
}

/** Like the service's transactions: `begin` is sent with the first statement. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const begun = client.query('begin')
    const result = await work(client)
    await begun
    await client.query({ name: 'commit', text: 'commit' })
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

/** The stored form of a secret. */
export function digest(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

/** The owner of a token or link, and the request that uses it. */
export interface Scene {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
  readonly domain: string
  readonly requestId: string
  readonly userId: string
  readonly at: Date
}

export function log(client: pg.PoolClient, scene: Scene, code: string, application: string, email: string) {
  const { accountId, environment, domain, requestId, userId, at } = scene
  const values = [accountId, environment, scene.organizationId, domain, code, application, email]
  return run(client, 'log', insertLog, [...values, userId, requestId, at])
}
