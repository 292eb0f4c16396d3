import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { account, serveAccountProvider } from '../../given/account-provider.js'
import { browserOf, listen, memberOf, secret } from './session-given.js'

const folder = fileURLToPath(new URL('../../../docs/examples', import.meta.url))

test.each([
  ['express-product', 12],
  ['hono-product', 12],
  ['next-product', 20],
])('the code of a user of %s has at most %i lines', (name, most) => {
  const files = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(join(folder, name, file), 'utf8'))
  const lines = files.flatMap((text) => text.split('\n')).filter((line) => line.trim() !== '')

  expect(lines.length).toBeGreaterThan(5)
  expect(lines.length).toBeLessThanOrEqual(most)
})

test('the Express product signs a user in, with nothing but its environment', async () => {
  const provider = await serveAccountProvider()
  const variables = {
    PORTICO_URL: provider.baseUrl,
    PORTICO_ACCOUNT: 'acme',
    PORTICO_CLIENT_ID: account.clientId,
    PORTICO_CLIENT_SECRET: account.clientSecret,
    PORTICO_ENVIRONMENT: 'sandbox',
    SESSION_SECRET: secret,
    APP_URL: 'http://localhost:4000',
  }
  Object.assign(process.env, variables)
  const { app } = await import('../../../docs/examples/express-product/app.js')
  for (const name of Object.keys(variables)) delete process.env[name]
  const { open, begin, visitor } = browserOf(provider, await listen(app))

  expect((await open('/')).html).toBe('Sign in at /auth/sign-in')
  const { location } = await open('/invoices')
  expect(location).toBe('/auth/sign-in?return_to=%2Finvoices')
  expect((await open(provider.signIn(await begin(location ?? '')))).location).toBe('/invoices')
  expect((await open('/')).html).toBe('Hello ada@awesome.example')
  expect(memberOf(await open('/invoices'), 'organization')).toEqual({ domain: 'awesome-company' })
  expect([...visitor.cookies.keys()]).toEqual(['portico'])
})
