import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { startPortico, type RunningPortico } from './portico.js'

export type Variables = Record<string, string>
type DatabaseVariables = Variables & { readonly DATABASE_URL: string }

export interface Key {
  readonly client_id: string
  readonly client_secret: string
}

export const masterKeys = `v1:${randomBytes(32).toString('base64')}`

export const given = {
  /** An empty database of the test server, or a copy of one there. */
  async database({
    name = `cli_${randomBytes(6).toString('hex')}`,
    template = '',
  } = {}): Promise<DatabaseVariables> {
    if (process.env.PORTICO_TEST_SERVICE === 'emulator') {
      const { excludeTest } = await import('../clients/emulated/excluded.js')
      excludeTest('a database of its own, for a command of operators')
    }
    const from = template === '' ? '' : `template ${template} strategy file_copy`
    await withPostgres(inject('adminUrl'), (client) => client.query(`create database ${name} ${from}`))
    const url = new URL(inject('adminUrl'))
    url.pathname = name
    return { DATABASE_URL: url.href, MASTER_KEYS: masterKeys }
  },

  async service(variables: Variables, args: readonly string[] = []): Promise<RunningPortico> {
    const service = await startPortico(variables, args)
    onTestFinished(async () => {
      await service.stop('SIGKILL')
    })
    return service
  },
}

export async function withPostgres<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

export async function tokenOf(baseUrl: string, domain: string, key: Key): Promise<Response> {
  return fetch(`${baseUrl}/api/v2/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ domain, ...key, grant_type: 'client_credentials' }),
  })
}
