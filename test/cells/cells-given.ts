import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient, type Client } from '@portico/sdk'
import { readConfig } from '@portico/server/config'
import { createLog } from '@portico/server/log'
import { startService } from '@portico/server/processes'
import { givenFolder, porticoJson } from '../cli/portico.js'
import { atFileEnd } from '../file-end.js'
import { freePort } from '../given/free-port.js'
import { testMasterKeys } from '../given/own-service.js'

/** An account of one of several databases, with a key and its client. */
export interface Account {
  readonly domain: string
  readonly client: Client
  readonly key: { readonly client_id: string; readonly client_secret: string }
}

/** Starts the service on these databases, and gives its settings. */
export async function startCells(
  cells: readonly { readonly name: string; readonly url: string }[],
  { worker = false } = {},
): Promise<Record<string, string>> {
  const folder = givenFolder()
  const file = join(folder, 'cells.json')
  const list = cells.map((cell) => ({ ...cell, pool_size: 6 }))
  writeFileSync(file, JSON.stringify(list, undefined, 2))
  const port = await freePort()
  const settings = {
    PORT: String(port),
    BASE_URL: `http://localhost:${port}`,
    DATA_DIR: folder,
    CELLS_FILE: file,
    MASTER_KEYS: testMasterKeys,
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    DRAIN_SECONDS: '1',
  }
  const config = readConfig(settings)
  const service = await startService(config, { worker, log: createLog(config) })
  atFileEnd(() => service.close())
  return settings
}

/** Makes an account in a database, by the commands of an operator. */
export async function makeAccount(cell: string, settings: Record<string, string>): Promise<Account> {
  const { domain } = await porticoJson<{ domain: string }>(
    ['account', 'create', 'Awesome', '--cell', cell],
    settings,
  )
  const args = ['api-key', 'create', '--account', domain, '--environment', 'sandbox', '--cell', cell]
  const key = await porticoJson<Account['key']>(args, settings)
  return {
    domain,
    key,
    client: createClient({
      baseUrl: settings['BASE_URL'] ?? '',
      domain,
      maxRetries: 0,
      ...toCredentials(key),
    }),
  }
}

function toCredentials({ client_id, client_secret }: Account['key']) {
  return { clientId: client_id, clientSecret: client_secret }
}
