import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '@portico/sdk'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { readKeyUri } from '../given/authenticator.js'
import { password } from '../../docs/examples/product/prepare.js'
import { openBrowser } from '../given/browser.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { freePort } from '../given/free-port.js'
import { anyEmail } from '../given/given.js'
import { until } from '../resilience/until.js'
import { besideStart, startScript, stopScript } from './beside-start.js'

describe.skipIf(!hasTool(browserTool))('npm run example -- spa, beside npm start', () => {
  test('a person signs up, calls the back end, passes a second factor for the payroll, renews, and signs out', async () => {
    await besideStart(async (home) => {
      const client = await clientOf(home)
      const port = await freePort()
      const url = `http://localhost:${port}/`
      const variables = { DATA_DIR: join(home, '.data'), EXAMPLE_PORT: String(port) }
      const example = await startScript('example', variables, url, ['spa'])
      const browser = await openBrowser()
      try {
        const context = await browser.newContext()
        const page = await context.newPage()
        await page.goto(url)
        await page.locator('#sign-in').click()
        const email = anyEmail()
        await page.locator('[name="email"]').fill(email)
        await page.locator('[value="identify"]').click()
        await page.locator('[value="mail_link"]').click()

        const app = await context.newPage()
        const signUp = await mailedLink(client, email)
        await app.goto(signUp)
        await app.locator('form button').first().click()
        await app.locator('#me').waitFor()
        await app.locator('#me').click()
        await expectAnswer(app, email)

        // A user without a second factor signs in again to set one up.
        await app.locator('#payroll').click()
        await app.locator('[name="email"]').fill(email)
        await app.locator('[value="identify"]').click()
        await app.locator('[value="mail_link"]').click()
        const payroll = await context.newPage()
        await payroll.goto(await mailedLink(client, email, signUp))
        await payroll.locator('form button').first().click()
        await payroll.locator('[value="enroll"]').click()
        const uri = await payroll.locator('a[href^="otpauth:"]').getAttribute('href')
        // Scripts submit the code as soon as it is complete.
        await payroll.locator('[name="code"]').fill(readKeyUri(uri ?? '').codeAt(new Date()))
        await payroll.locator('[name="acknowledged"]').check()
        await payroll.locator('[value="acknowledge"]').click()
        await expectAnswer(payroll, 'salary')

        await payroll.locator('#renew').click()
        await expectAnswer(payroll, 'The tokens are new')
        await payroll.locator('#sign-out').click()
        await payroll.locator('#sign-in').waitFor()
        expect(await payroll.locator('#status').textContent()).toBe('You are not signed in.')
      } finally {
        await browser.close()
        await stopScript(example)
      }
    })
  }, 180_000)
})

describe.skipIf(!hasTool(browserTool))('npm run example', () => {
  test.each(['express', 'hono'])(
    'starts the product with %s and a service of its own',
    async (framework) => {
      const port = String(await freePort())
      const url = `http://localhost:${port}/`
      const example = await startScript('example', { EXAMPLE_PORT: port }, url, [framework])
      const browser = await openBrowser()
      try {
        const page = await browser.newPage()
        await page.goto(url)
        await page.getByText('Sign in at awesome-bakery').click()
        await page.locator('[name="email"]').fill('ada@people.example')
        await page.locator('[value="identify"]').click()
        await page.locator('[name="password"]').fill(password)
        await page.locator('[value="password"]').click()
        await page.waitForURL(`${url}o/awesome-bakery/invoices`)
        await page.locator('#add').click()
        await page.locator('#answer', { hasText: 'An invoice was added.' }).waitFor()
      } finally {
        await browser.close()
        await stopScript(example)
      }
    },
    180_000,
  )
})

describe('the end of npm run example', () => {
  test.each([
    ['SIGINT', 1],
    ['SIGTERM', 1],
    ['SIGINT', 2],
    ['SIGTERM', 2],
  ] as const)(
    'by %s to its process group, %i times, leaves no folder and no service',
    async (signal, times) => {
      const TMPDIR = await mkdtemp(join(tmpdir(), 'portico-end-'))
      const madeIn = async () => (await readdir(TMPDIR)).filter((name) => name.startsWith('portico-example-'))
      const port = String(await freePort())
      const example = await startScript(
        'example',
        { EXAMPLE_PORT: port, TMPDIR },
        `http://localhost:${port}/`,
      )
      try {
        const [made = ''] = await madeIn()
        const credentials = JSON.parse(await readFile(join(TMPDIR, made, 'credentials.json'), 'utf8')) as {
          base_url: string
        }

        for (let count = 0; count < times; count += 1) process.kill(-(example.pid ?? 0), signal)

        await until(async () => (await madeIn()).length === 0)
        await expect(fetch(credentials.base_url)).rejects.toThrow()
      } finally {
        await stopScript(example)
        await rm(TMPDIR, { recursive: true, force: true })
      }
    },
    60_000,
  )
})

async function clientOf(home: string): Promise<Client> {
  // The service writes this form at its first start.
  const credentials = JSON.parse(await readFile(join(home, '.data', 'credentials.json'), 'utf8')) as {
    base_url: string
    domain: string
    sandbox: { client_id: string; client_secret: string }
  }
  const { base_url: baseUrl, domain, sandbox } = credentials
  return createClient({ baseUrl, domain, clientId: sandbox.client_id, clientSecret: sandbox.client_secret })
}

/** Waits for a mailed link to an address that differs from the previous one. */
async function mailedLink(client: Client, email: string, before?: string): Promise<string> {
  let link: string | undefined
  await until(async () => {
    const { data } = await client.outbox.list({ to: email })
    link = /http\S+magic-link\S+/.exec(data[0]?.text ?? '')?.[0]
    return link !== undefined && link !== before
  })
  return link ?? ''
}

async function expectAnswer(page: Page, text: string): Promise<void> {
  await page.locator('#answer', { hasText: text }).waitFor()
}
