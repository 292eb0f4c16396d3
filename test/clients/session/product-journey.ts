import type { BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { password, prepare } from '../../../docs/examples/product/prepare.js'
import { readKeyUri } from '../../given/authenticator.js'
import type { TestBrowser } from '../../given/browser.js'
import { freePort } from '../../given/free-port.js'
import type { Service } from '../../given/harness.js'
import { startProduct, type Program } from './product-process.js'

export type Product = Awaited<ReturnType<typeof prepareProduct>>

const hour = 3_600
const minute = 60
/** How long a service that does not answer is left alone, and a second more. */
const pause = 6
/** The attributes of the cookie on https, where it also has a longer name. */
const attributes = '__Host-; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure'
const maxBytes = 1_500

/**
 * Registers a product with three organizations, and its webhook, and starts it.
 *
 * @param program What runs at a port.
 */
export async function prepareProduct(service: Service, program: (port: string) => Program) {
  const client = await service.client()
  const port = String(await freePort())
  const origin = `http://127.0.0.1:${port}`
  const { signature_key } = await client.webhooks.create({
    name: 'Ledger',
    target_url: `${origin}/auth/events`,
    event_codes: ['user.session.end.success', 'user.session.end_all.success'],
  })
  const { variables, email, organizations } = await prepare(client, origin)
  const secret = variables['SESSION_SECRET'] ?? ''
  const all = {
    ...variables,
    PORTICO_URL: service.baseUrl,
    PORTICO_ACCOUNT: service.account.domain,
    PORTICO_WEBHOOK_KEY: signature_key,
    PORT: port,
  }
  const [one = '', two = '', three = ''] = organizations
  const process = await startProduct(service, program(port), origin, all)
  return { ...process, service, client, secret, email, one, two, three }
}

/** A browser with a page of the product. */
export async function openProduct(product: Product, browser: TestBrowser) {
  const context = await browser.newContext()
  const page = await context.newPage()
  return { ...product, ...stepsOf(product, page), context, page }
}

export type OpenProduct = Awaited<ReturnType<typeof openProduct>>

function stepsOf({ origin, email }: Product, page: Page) {
  const context = page.context()

  /** Opens a page of the product; its status. The cookie stays small. */
  async function open(path: string, at = page): Promise<number> {
    const answer = await at.goto(origin + path)
    await expectSmall(context)
    return answer?.status() ?? 0
  }

  /** The address and the password, on the pages of the service. */
  async function pass(at = page): Promise<void> {
    await at.locator('[name="email"]').fill(email)
    await at.locator('[value="identify"]').click()
    await at.locator('[name="password"]').fill(password)
    await at.locator('[value="password"]').click()
  }

  /** Waits for a page of the product, with the user at an organization. */
  async function expectAt(path: string, organization: string, at = page): Promise<void> {
    await at.waitForURL(origin + path)
    expect(await at.locator('#user').textContent()).toBe(`${email} at ${organization}`)
    await expectSmall(context)
  }

  return {
    open,
    pass,
    expectAt,
    /** Signs in at an organization, and ends at its invoices. */
    async signIn(organization: string): Promise<void> {
      await open(`/o/${organization}/invoices`)
      await pass()
      await expectAt(`/o/${organization}/invoices`, organization)
    },
    cookie: () => cookieOf(context),
  }
}

async function cookieOf(context: BrowserContext): Promise<string | undefined> {
  const cookies = await context.cookies()
  return cookies.find(({ name }) => name === 'portico')?.value
}

async function expectSmall(context: BrowserContext): Promise<void> {
  const value = (await cookieOf(context)) ?? ''
  expect(`portico=${value}${attributes}`.length).toBeLessThan(maxBytes)
}

/** Three organizations: sign-in, return_to, switch, two tabs, a second factor, sign-out. */
export async function useThreeOrganizations(product: OpenProduct): Promise<void> {
  const { page, context, open, pass, expectAt, cookie, one, two, three } = product
  await open('/')
  expect(await cookie()).toBeUndefined()
  await page.getByText(`Sign in at ${one}`).click()
  await pass()
  await expectAt(`/o/${one}/invoices`, one)
  // Another organization of the same person, and the page that was asked for.
  await open(`/o/${two}/invoices?page=2`)
  await pass()
  await expectAt(`/o/${two}/invoices?page=2`, two)

  const tab = await context.newPage()
  await open(`/o/${two}/invoices`, tab)
  await page.getByText(`Switch to ${three}`).click()
  await pass()
  await expectAt(`/o/${three}/invoices`, three)
  const refused = tab.waitForResponse((answer) => answer.request().method() === 'POST')
  await tab.locator('#add').click()
  expect((await refused).status()).toBe(409)
  await tab.locator('#answer', { hasText: 'Nothing was added: other_organization.' }).waitFor()
  // Its session at the service still lives: no question.
  await tab.getByText('Go on').click()
  await expectAt(`/o/${two}/invoices`, two, tab)
  await tab.locator('#add').click()
  await tab.locator('#answer', { hasText: 'An invoice was added.' }).waitFor()
  await tab.close()

  await open('/payroll')
  await enroll(product)
  await expectAt('/payroll', two)

  const signedIn = await sessionsOf(product, two)
  await page.getByText('Sign out').click()
  // The application has just ended the session by its own token, so that nothing is asked.
  await page.waitForURL(`${product.origin}/`)
  expect(await cookie()).toBeUndefined()
  expect(await sessionsOf(product, two)).toBe(signedIn - 1)
  await open(`/o/${two}/invoices`)
  expect(new URL(page.url()).origin).toBe(product.service.baseUrl)
}

/** How many sessions the user has at an organization. */
async function sessionsOf({ client }: Product, org_domain: string): Promise<number> {
  const [user] = (await client.users.list({ org_domain })).data
  const { data } = await client.sessions.list({ org_domain, user_id: user?.id ?? '' })
  return data.length
}

/** Signs in once more, and sets a second factor up, because the page asks for one. */
async function enroll({ page, pass, service }: OpenProduct): Promise<void> {
  await pass()
  await page.locator('[value="enroll"]').click()
  const uri = await page.locator('a[href^="otpauth:"]').getAttribute('href')
  // Scripts submit the code as soon as it is complete.
  await page.locator('[name="code"]').fill(readKeyUri(uri ?? '').codeAt(service.clock.now()))
  await page.locator('[name="acknowledged"]').check()
  await page.locator('[value="acknowledge"]').click()
}

/** Expiry, an answer that is lost, a service that is away, another secret, another process. */
export async function outliveFaults(product: OpenProduct): Promise<void> {
  const { page, open, signIn, cookie, exchanges, advance, setFault, restart, one, secret } = product
  const path = `/o/${one}/invoices`
  await signIn(one)
  const before = await exchanges()
  await advance(hour)
  const statuses = await page.evaluate(
    (address) =>
      Promise.all(
        Array.from({ length: 20 }, (_, number) =>
          fetch(`${address}?number=${number}`).then(({ status }) => status),
        ),
      ),
    path,
  )
  expect(new Set(statuses)).toEqual(new Set([200]))
  expect(await exchanges()).toBe(before + 1)
  for (let hours = 0; hours < 2; hours += 1) {
    await advance(hour)
    expect(await open(path)).toBe(200)
  }
  expect(await exchanges()).toBe(before + 3)

  await advance(hour)
  await setFault('lost')
  expect(await open(path)).toBe(200)
  await advance(pause)
  expect(await open(path)).toBe(200)
  expect(await exchanges()).toBe(before + 5)

  await advance(hour)
  await setFault('away')
  const kept = await cookie()
  for (const [minutes, status] of [
    [0, 200],
    [4, 200],
    [2, 503],
  ] as const) {
    await advance(minutes * minute)
    expect(await open(path)).toBe(status)
  }
  expect(await cookie()).toBe(kept)
  await setFault('')
  await advance(pause)
  expect(await open(path)).toBe(200)

  const sealed = await cookie()
  const newer = `${secret}-newer`
  await restart({ SESSION_SECRET: `${newer},${secret}` })
  expect(await open(path)).toBe(200)
  expect(await cookie()).toBe(sealed)
  await advance(hour)
  expect(await open(path)).toBe(200)
  await restart({ SESSION_SECRET: newer })
  expect(await open(path)).toBe(200)
}

/** Ends the user's sessions by the API. */
export async function endSessions({ client, one }: Product): Promise<void> {
  const [user] = (await client.users.list({ org_domain: one })).data
  await client.sessions.endAll({ org_domain: one, user_id: user?.id ?? '' })
}

/** A session that the API has ended: at once where the webhook tells, else at the next refresh. Then a sign-out, without a question. */
export async function noticeEnd(product: OpenProduct): Promise<void> {
  const { page, open, signIn, cookie, advance, service, one } = product
  const path = `/o/${one}/invoices`
  await signIn(one)
  await endSessions(product)
  expect(await open(path)).toBe(200)
  expect(page.url()).toBe(product.origin + path)
  await service.runJobs()
  await open(path)
  expect([new URL(page.url()).origin, await cookie()]).toEqual([service.baseUrl, undefined])

  await signIn(one)
  await endSessions(product)
  await advance(hour)
  await open(path)
  expect([new URL(page.url()).origin, await cookie()]).toEqual([service.baseUrl, undefined])

  await signIn(one)
  await page.getByText('Sign out').click()
  await page.waitForURL(`${product.origin}/`)
  expect(await cookie()).toBeUndefined()
}
