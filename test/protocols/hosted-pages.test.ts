import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '@portico/sdk'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { flowGivenOf, goodPassword, type FlowGiven, type FlowScene } from '../given/flow-given.js'
import { startService, type Service } from '../given/harness.js'
import { longTest, sampled } from '../sampled.js'

let service: Service
let client: Client
let given: FlowGiven
let browser: TestBrowser
/** The redirect URL of the application in these fixtures. */
let storefront: string

beforeAll(async () => {
  service = await startService()
  client = await service.client()
  given = flowGivenOf(service, client)
  storefront = await startStorefront()
  if (hasTool(browserTool)) browser = await openBrowser()
})

afterAll(async () => {
  if (hasTool(browserTool)) await browser.close()
})

const words = {
  en: {
    address: 'E-mail address',
    continue: 'Continue',
    change: 'Change the address',
    password: 'Password',
    signIn: 'Sign in',
    error: 'Error: ',
  },
  fr: {
    address: 'Adresse e-mail',
    continue: 'Continuer',
    change: 'Modifier l’adresse',
    password: 'Mot de passe',
    signIn: 'Se connecter',
    error: 'Erreur\u00a0: ',
  },
}

describe.skipIf(!hasTool(browserTool))('in a browser', () => {
  const looks = [
    { lang: 'en', javaScriptEnabled: true },
    { lang: 'fr', javaScriptEnabled: false },
    { lang: 'fr', javaScriptEnabled: true },
    { lang: 'en', javaScriptEnabled: false },
  ] as const
  test.each(sampled(looks, 1))(
    'a person signs in by password: $lang, scripts: $javaScriptEnabled',
    async ({ lang, javaScriptEnabled }) => {
      const scene = await atStorefront(given.scene())
      const say = words[lang]
      const { page, faults } = await open({ javaScriptEnabled })

      await page.goto(urlOf(scene, { ui_locales: lang }))
      expect(await page.getAttribute('html', 'lang')).toBe(lang)
      // The field has autofocus.
      await page.locator('input:focus').waitFor()
      await page.keyboard.type('nobody@awesome.example')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: say.change }).click()
      await page.getByLabel(say.address).fill(scene.user.email)
      await page.getByRole('button', { name: say.continue }).click()

      const password = page.getByLabel(say.password, { exact: true })
      await password.fill('not the password')
      await page.getByRole('button', { name: say.signIn }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.title()).toMatch(new RegExp(`^${say.error}`))
      expect(await page.locator(':focus').getAttribute('id')).toBe('password')

      await password.fill(goodPassword)
      await password.press('Enter')
      await page.waitForURL(`${storefront}**`)

      expect(new URL(page.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/)
      // A browser logs the status 422 of the page with the fault.
      expect(faults.filter((fault) => !fault.includes('422'))).toEqual([])
    },
    60_000,
  )

  longTest('who stays in a language that was chosen on a page signs in in it', async () => {
    const scene = await atStorefront(given.scene())
    const { page } = await open({ locale: 'en-GB' })
    await page.goto(urlOf(scene))

    await page.getByRole('link', { name: 'Français' }).click()
    await page.getByLabel(words.fr.address).fill(scene.user.email)
    await page.getByRole('button', { name: words.fr.continue }).click()

    await page.getByRole('heading', { name: 'Saisissez votre mot de passe' }).waitFor()
  })

  longTest('the code of an app is sent as soon as it is typed', async () => {
    const scene = await atStorefront(given.enrolledScene())
    const { page } = await open({})
    await throughPassword(page, urlOf(scene), scene.user.email)

    await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    await page.locator('input:focus').waitFor()
    await page.keyboard.type(given.totp.codeOf(scene.app))
    await page.waitForURL(`${storefront}**`)
  })

  longTest('without scripts a recovery code does in its place', async () => {
    const scene = await atStorefront(given.enrolledScene())
    const { page } = await open({ javaScriptEnabled: false })
    await throughPassword(page, urlOf(scene), scene.user.email)

    await page.getByRole('link', { name: 'Use a recovery code instead' }).click()
    await page.getByLabel('Recovery code').fill('aaaaa-aaaaa')
    await page.getByRole('button', { name: 'Continue' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('recovery code is incorrect')
    await page.getByLabel('Recovery code').fill(scene.recoveryCodes[0] ?? '')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`${storefront}**`)
  })

  longTest('the logo of the organization is loaded, and its color is that of the button', async () => {
    const scene = await atStorefront(given.scene())
    await client.organizations.update({
      org_domain: scene.org_domain,
      color: '#6d28d9',
      inline_logo_url: 'https://logo.example/wide.svg',
      terms_of_service_url: 'https://awesome.example/terms',
    })
    const { page, faults } = await open({})
    const referrers: unknown[] = []
    await page.route('https://logo.example/**', (route) => {
      referrers.push(route.request().headers()['referer'])
      const body =
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><rect width="90" height="30"/></svg>'
      return route.fulfill({ contentType: 'image/svg+xml', body })
    })

    await page.goto(urlOf(scene))

    const logo = page.locator('main img')
    expect(await logo.getAttribute('alt')).not.toBe('')
    expect(await page.evaluate(`document.querySelector('main img').naturalWidth`)).toBe(90)
    expect(referrers).toEqual([undefined])
    const background = `getComputedStyle(document.querySelector('button.main')).backgroundColor`
    expect(await page.evaluate(background)).toBe('rgb(109, 40, 217)')
    expect(await page.getByRole('link', { name: 'Terms' }).getAttribute('href')).toBe(
      'https://awesome.example/terms',
    )
    expect(faults).toEqual([])
  })
})

/** A page, and the errors in its console. */
async function open(options: BrowserContextOptions): Promise<{ page: Page; faults: string[] }> {
  const page = await browser.reusedPage(options)
  const faults: string[] = []
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())))
  page.on('pageerror', (error) => void faults.push(String(error)))
  return { page, faults }
}

async function throughPassword(page: Page, url: string, email: string): Promise<void> {
  await page.goto(url)
  await page.getByLabel(words.en.address).fill(email)
  await page.getByRole('button', { name: words.en.continue }).click()
  await page.getByLabel(words.en.password, { exact: true }).fill(goodPassword)
  await page.getByRole('button', { name: words.en.signIn }).click()
}

async function atStorefront<Scene extends FlowScene>(made: Promise<Scene>): Promise<Scene> {
  const scene = await made
  const { org_domain, application } = scene
  await client.applications.update({
    org_domain,
    client_id: application.client_id,
    allowed_redirect_urls: [storefront],
  })
  return scene
}

function urlOf(scene: FlowScene, members: Record<string, string> = {}): string {
  return given.authorizeUrl(scene, { redirect_uri: storefront, ...members })
}

async function startStorefront(): Promise<string> {
  const server = createServer((_, res) => {
    res.setHeader('content-type', 'text/html').end('<!doctype html><title>Store</title><h1>Welcome</h1>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atFileEnd(() => server.close())
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}/callback`
}
