import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { account, serveAccountProvider } from '../../given/account-provider.js'
import { browserOf, listen, secret } from './session-given.js'

const folder = fileURLToPath(new URL('../../../docs/examples', import.meta.url))

/** What of an example is about sessions. The rest is markup and style, and what starts it here. */
const usersCode: Readonly<Record<string, readonly string[]>> = {
  'express-product': ['app.ts'],
  'hono-product': ['app.ts'],
  'next-product': [
    'lib/auth.ts',
    'proxy.ts',
    'app/auth/[...portico]/route.ts',
    'app/page.tsx',
    'app/o/[organization]/invoices/page.tsx',
    'app/api/o/[organization]/invoices/route.ts',
    'app/payroll/page.tsx',
  ],
}

test.each([
  ['express-product', 12],
  ['hono-product', 12],
  ['next-product', 20],
])('the code of a user of %s has at most %i lines', (name, most) => {
  const text = (file: string) => readFileSync(join(folder, name, file), 'utf8')
  const lines = usersCode[name]?.flatMap((file) => text(file).split('\n')) ?? []
  const written = lines.filter((line) => line.trim() !== '')

  expect(written.length).toBeGreaterThan(5)
  expect(written.length).toBeLessThanOrEqual(most)
  expect(Math.max(...written.map(({ length }) => length))).toBeLessThanOrEqual(110)
  const others = readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.tsx?$/.test(file) && usersCode[name]?.includes(file) === false)
  // Types say nothing that a reader would have to write.
  for (const file of others) expect(text(file)).not.toMatch(/^import (?!type ).*(@portico\/sdk|\/auth')/m)
})

test('the products look alike, each with a style of its own to copy', () => {
  const [one, other] = ['product/style.css', 'next-product/app/style.css'].map((file) =>
    readFileSync(join(folder, file), 'utf8'),
  )
  expect(one).toBe(other)
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

  expect((await open('/')).html).not.toContain('Sign out')
  const path = '/o/awesome-company/invoices'
  const { location } = await open(path)
  const query = new URLSearchParams({ organization: 'awesome-company', return_to: path })
  expect(location).toBe(`/auth/sign-in?${query.toString()}`)
  expect((await open(provider.signIn(await begin(location ?? '')))).location).toBe(path)
  expect((await open('/')).html).toContain('Hello Ada Lovelace.')
  expect((await open(path)).html).toContain('ada@awesome.example at awesome-company')
  expect([...visitor.cookies.keys()]).toEqual(['portico'])
})
