import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { openBrowser } from '../given/browser.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { sampled } from '../sampled.js'
import { pkcePair } from '../given/visitor.js'
import { exchange } from './code-given.js'
import { oathtoolCode } from '../given/authenticator.js'

const service = await startService()
const client = await service.client()
/** The origin of the application, different from that of the service. */
const store = await startStore()

const password = 'velvet harbour 41 lanterns'

describe.skipIf(!hasTool(browserTool) || !hasTool('oathtool'))('in a browser', () => {
  const looks = [
    ['en', true],
    ['fr', false],
  ] as const
  test.each(sampled(looks, 1))(
    'a person signs up, sets a password, enrols an app, signs in, steps up, ends a session and signs out: %s, scripts %s',
    async (lang, javaScriptEnabled) => {
      const place = await givenApplication()
      const email = anyEmail()
      const browser = await openBrowser()
      const options = { javaScriptEnabled, locale: lang === 'fr' ? 'fr-FR' : 'en-GB' }
      try {
        const context = await browser.newContext(options)
        const laptop = await context.newPage()
        const person = { place, email, lang, context }

        // Signs up with an unknown address and the link sent to it.
        await begin(laptop, place)
        await fill(laptop, 'email', email, 'identify')
        await press(laptop, 'mail_link')
        await expectLanguage(laptop, lang)
        const signedUp = await openMailedLink(person)
        expect(await tokensOf(place, signedUp)).toMatchObject({ email, amr: ['email'] })

        // Sets a password, also with a link.
        await begin(laptop, place, { prompt: 'login' })
        await fill(laptop, 'email', email, 'identify')
        await press(laptop, 'forgot_password')
        const setting = await openMailedLink(person, 'password')
        expect((await tokensOf(place, setting)).email).toBe(email)

        // Signs in with it in another browser.
        const desktop = await browser.newPage(options)
        await begin(desktop, place)
        await fill(desktop, 'email', email, 'identify')
        await fill(desktop, 'password', password, 'password')
        expect(await tokensOf(place, await landed(desktop))).toMatchObject({
          amr: ['pwd'],
          acr: 'urn:portico:acr:1fa',
        })

        // Enrols an app, because the application requires a second factor, and signs in again for that.
        await begin(laptop, place, { acr_values: 'urn:portico:acr:mfa' })
        await fill(laptop, 'email', email, 'identify')
        await fill(laptop, 'password', password, 'password')
        await press(laptop, 'enroll')
        await expectLanguage(laptop, lang)
        const secret = ((await laptop.locator('code.secret').textContent()) ?? '').replaceAll(' ', '')
        await typeCode(laptop, secret, { action: 'validate', javaScriptEnabled })
        expect(await laptop.locator('#codes li').count()).toBe(5)
        await laptop.locator('[name="acknowledged"]').check()
        await press(laptop, 'acknowledge')
        const enrolled = await tokensOf(place, await landed(laptop))
        expect(enrolled).toMatchObject({ acr: 'urn:portico:acr:mfa' })
        expect(enrolled.amr).toEqual(expect.arrayContaining(['otp', 'mfa']))

        // The other browser, which completed only one factor, is asked only for the code.
        await service.clock.advance(30)
        await begin(desktop, place, { acr_values: 'urn:portico:acr:mfa' })
        await typeCode(desktop, secret, { action: 'totp', javaScriptEnabled })
        expect(await tokensOf(place, await landed(desktop))).toMatchObject({ acr: 'urn:portico:acr:mfa' })

        // A third browser (the page of the second one without cookies) signs in with both.
        await service.clock.advance(30)
        await desktop.context().clearCookies()
        await desktop.setViewportSize({ width: 360, height: 740 })
        const phone = desktop
        await begin(phone, place)
        await fill(phone, 'email', email, 'identify')
        await fill(phone, 'password', password, 'password')
        await typeCode(phone, secret, { action: 'totp', javaScriptEnabled })
        const { idToken } = await tokensOf(place, await landed(phone))

        // Lists the sessions, and ends one.
        await phone.goto(`${service.baseUrl}/t/${place.org_domain}/sessions?ui_locales=${lang}`)
        await expectLanguage(phone, lang)
        const others = phone.locator('button[value="end"]')
        const before = await others.count()
        await others.first().click()
        await phone.waitForLoadState()
        expect(await phone.locator('button[value="end"]').count()).toBe(before - 1)

        // Signs out through the application, after which no session exists there.
        const out = new URLSearchParams({
          id_token_hint: idToken,
          post_logout_redirect_uri: `${store}/signed-out`,
          state: 'bye',
        })
        await phone.goto(`${service.baseUrl}/t/${place.org_domain}/logout?${out.toString()}`)
        expect(phone.url()).toBe(`${store}/signed-out?state=bye`)
        await begin(phone, place)
        await phone.locator('[name="email"]').waitFor()
      } finally {
        await browser.close()
      }
    },
    120_000,
  )
})

interface Place {
  readonly org_domain: string
  readonly client_id: string
  readonly verifier: string
  readonly challenge: string
}

/** An organization with open sign-up, and its application. */
async function givenApplication(): Promise<Place> {
  const { domain: org_domain } = await service.given.organization()
  await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
  await client.password.createConnection({ org_domain })
  await client.totp.updateConnection({ org_domain, active: true })
  const { client_id } = await service.given.application({
    org_domain,
    organization_domain_scope: org_domain,
    allowed_redirect_urls: [`${store}/callback`],
    allowed_logout_urls: [`${store}/signed-out`],
  })
  return { org_domain, client_id, ...pkcePair() }
}

async function begin(page: Page, place: Place, members: Record<string, string> = {}): Promise<void> {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: place.client_id,
    redirect_uri: `${store}/callback`,
    scope: 'openid email',
    state: 'state',
    code_challenge: place.challenge,
    code_challenge_method: 'S256',
    ...members,
  })
  await page.goto(`${service.baseUrl}/t/${place.org_domain}/authorize?${query.toString()}`)
}

async function press(page: Page, action: string): Promise<void> {
  const loaded = page.waitForEvent('load')
  await page.locator(`button[name="action"][value="${action}"]`).click()
  await loaded
}

async function fill(page: Page, field: string, value: string, action: string): Promise<void> {
  await page.locator(`[name="${field}"]:not([type="hidden"])`).fill(value)
  await press(page, action)
}

/** Enters a code, which scripts submit as soon as it is complete. */
async function typeCode(
  page: Page,
  secret: string,
  { action, javaScriptEnabled }: { action: string; javaScriptEnabled: boolean },
): Promise<void> {
  const code = await oathtoolCode(secret, service.clock.now())
  const field = page.locator('[name="code"]')
  if (!javaScriptEnabled) {
    await fill(page, 'code', code, action)
    return
  }
  const loaded = page.waitForEvent('load')
  await field.fill(code)
  await loaded
}

/** Opens the latest mailed link in a tab of the person, and continues to the application. */
async function openMailedLink(
  { email, lang, context }: { email: string; lang: string; context: BrowserContext },
  purpose?: 'password',
): Promise<URL> {
  await service.runJobs()
  const { data } = await client.outbox.list({ to: email })
  const link = data.flatMap(({ text }) => /http\S+magic-link\S+/.exec(text) ?? [])[0]
  const tab = tabs.get(context) ?? (await context.newPage())
  tabs.set(context, tab)
  await tab.goto(link ?? '')
  await expectLanguage(tab, lang)
  await tab.locator('form button').first().click()
  if (purpose === 'password') {
    await tab.locator('[name="password"]').waitFor()
    await expectLanguage(tab, lang)
    await fill(tab, 'password', password, 'set_password')
  }
  return landed(tab)
}

/** The tab in which a person opens mailed links. */
const tabs = new WeakMap<BrowserContext, Page>()

async function expectLanguage(page: Page, lang: string): Promise<void> {
  expect(await page.getAttribute('html', 'lang')).toBe(lang)
}

/** The URL with which the application was called. */
async function landed(page: Page): Promise<URL> {
  await page.waitForURL(`${store}/callback**`)
  return new URL(page.url())
}

/** The claims of the access token exchanged for a code, and the ID token. */
async function tokensOf(place: Place, url: URL) {
  const answer = await exchange(service, {
    code: url.searchParams.get('code') ?? '',
    code_verifier: place.verifier,
    redirect_uri: `${store}/callback`,
    client_id: place.client_id,
  })
  expect([answer.status, url.searchParams.get('iss')]).toEqual([
    200,
    `${service.baseUrl}/t/${place.org_domain}`,
  ])
  // The form defined by the contract of the token endpoint.
  const { access_token, id_token } = answer.body as { access_token: string; id_token: string }
  const claims = JSON.parse(Buffer.from(access_token.split('.')[1] ?? '', 'base64url').toString()) as {
    email: string
    amr: string[]
    acr: string
  }
  return { ...claims, idToken: id_token }
}

async function startStore(): Promise<string> {
  const server = createServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Store</title>')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  // A listening TCP server has an address with a port.
  return `http://localhost:${(server.address() as AddressInfo).port}`
}
