import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@portico/sdk'
import { freePort, readCredentials, startService } from '../demo/service.js'
import { colleague, password, prepare } from './product/prepare.js'

const { EXAMPLE_PORT = '4000' } = process.env

/** Starts the product with Express or Hono, with a service of its own, whose data go when it ends. */
async function main(framework: 'express' | 'hono'): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'portico-example-'))
  const starting = startService(dataDir, await freePort(), { isApart: true })
  async function remove(): Promise<void> {
    await starting.then(
      (service) => service.stop(),
      () => undefined,
    )
    await rm(dataDir, { recursive: true, force: true })
  }
  let ending: Promise<void> | undefined
  // Once, however many signals come: a terminal sends one to this process, and npm the same one again.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      ending ??= remove().then(() => process.exit())
    })
  try {
    await starting
    await serve(framework, dataDir)
  } catch (error) {
    // Without its service it fails, which is no fault once it ends.
    if (ending !== undefined) return
    await remove()
    throw error
  }
}

async function serve(framework: 'express' | 'hono', dataDir: string): Promise<void> {
  const { base_url: baseUrl, domain, sandbox } = await readCredentials(dataDir)
  const { client_id: clientId, client_secret: clientSecret } = sandbox
  const appUrl = `http://localhost:${EXAMPLE_PORT}`
  const client = createClient({ baseUrl, domain, clientId, clientSecret })
  const { variables, email, organizations } = await prepare(client, appUrl)
  // What the environment of a product has.
  Object.assign(process.env, variables, { PORT: EXAMPLE_PORT, PORTICO_URL: baseUrl, PORTICO_ACCOUNT: domain })
  await import(`./${framework}-product/main.js`)
  process.stdout.write(instructions({ appUrl, baseUrl, email, organizations }))
}

function instructions(of: {
  readonly appUrl: string
  readonly baseUrl: string
  readonly email: string
  readonly organizations: readonly string[]
}): string {
  const [one = '', two = '', three = ''] = of.organizations
  return `The product is at ${of.appUrl}, and three companies use it.

1. Sign in at ${one}: the address is ${of.email}, the password ${password}
2. Switch to ${two}: the same person is another user there, and signs in once more.
3. In a second tab open ${of.appUrl}/o/${one}/invoices, which switches back without a question.
   Add an invoice in the first tab: it is still ${two}'s, so nothing is added to the wrong company.
4. Open Payroll: it asks for a second factor, which any authenticator app has.
5. Sign out: both companies are signed out at once, and nothing is asked. Mails are kept at ${of.baseUrl}/outbox, if you ask for a link in the place of the password.
6. Sign in at ${one} again, open Your account, then Passkeys, and add one. Sign out, and press Sign in with a passkey at ${one}: no password is asked,
   nor a second factor for Payroll.
7. Sign in at ${three} by Continue with Test provider, which signs in anybody whom you type. A new address becomes a user. That of
   ${of.email} asks for the password once, and is linked from then on.
8. In another browser open ${of.baseUrl}/outbox, and accept the invitation of ${colleague}: she becomes a user of ${one}, and is signed in to the product.

Ctrl+C ends the product and its service, and removes their data.
`
}

const [name = 'express'] = process.argv.slice(2)
if (name === 'spa') await import('./spa-and-api/main.js')
else if (name === 'express' || name === 'hono') await main(name)
else throw new Error(`There is no example ${name}: npm run example, or with -- hono, or with -- spa.`)
