import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient } from '@portico/sdk'
import { createBackEnd } from './back-end.js'
import { prepare } from './prepare.js'

const { DATA_DIR = '.data', EXAMPLE_PORT = '4000' } = process.env

/** What `npm start` has written. */
interface Credentials {
  readonly base_url: string
  readonly domain: string
  readonly sandbox: { readonly client_id: string; readonly client_secret: string }
}

async function main(): Promise<void> {
  const credentials = await readCredentials()
  const client = createClient({
    baseUrl: credentials.base_url,
    domain: credentials.domain,
    clientId: credentials.sandbox.client_id,
    clientSecret: credentials.sandbox.client_secret,
  })
  const origin = `http://localhost:${EXAMPLE_PORT}`
  const registration = await prepare(client, origin)
  const backEnd = await createBackEnd({ baseUrl: credentials.base_url, ...registration })
  backEnd.listen(Number(EXAMPLE_PORT), '127.0.0.1', () => {
    process.stdout.write(
      `The example is at ${origin}\n` +
        `Sign in with any address: the mails of the sandbox are kept at ${credentials.base_url}/outbox\n`,
    )
  })
}

async function readCredentials(): Promise<Credentials> {
  const file = join(DATA_DIR, 'credentials.json')
  try {
    // Written by the service at its first start, in this form.
    return JSON.parse(await readFile(file, 'utf8')) as Credentials
  } catch (cause) {
    throw new Error(`There is no ${file}: run npm start first, in another shell, and leave it running.`, {
      cause,
    })
  }
}

await main()
