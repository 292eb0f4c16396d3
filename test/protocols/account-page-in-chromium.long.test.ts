import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { axeFaultsOf } from '../given/axe.js'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { flowGivenOf, goodPassword } from '../given/flow-given.js'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)
let browser: TestBrowser

beforeAll(async () => {
  if (!hasTool(browserTool)) return
  browser = await openBrowser()
  atFileEnd(() => browser.close())
}, 60_000)

/** Both languages and themes, each with scripts and without. */
const looks = [
  { lang: 'en', colorScheme: 'light', javaScriptEnabled: true },
  { lang: 'fr', colorScheme: 'dark', javaScriptEnabled: true },
  { lang: 'en', colorScheme: 'dark', javaScriptEnabled: false },
  { lang: 'fr', colorScheme: 'light', javaScriptEnabled: false },
] as const

const sections = ['profile', 'email', 'password', 'second-factor', 'sessions', 'data'] as const

describe.skipIf(!hasTool(browserTool)).each(looks)(
  'in Chromium: $lang, $colorScheme, scripts $javaScriptEnabled',
  ({ lang, ...look }) => {
    test('a user signs in to their account, goes through its sections, changes their name and downloads their data', async () => {
      const scene = await given.scene()
      await given.totp.activate(scene.org_domain)
      const page = await browser.newPage({ ...look, locale: lang === 'en' ? 'en-GB' : 'fr-FR' })
      const address = `${service.baseUrl}/t/${scene.org_domain}/account`
      const query = `?environment=sandbox&ui_locales=${lang}`
      // Scripts of the page are off where axe needs its own.
      const judge = async () => {
        if (look.javaScriptEnabled) expect(await axeFaultsOf(page)).toBe('')
      }

      await page.goto(`${address}${query}`)
      await page.fill('[name=email]', scene.user.email)
      await page.click('button[value=identify]')
      await page.fill('[name=password]', goodPassword)
      await page.click('button[value=password]')
      await page.waitForURL(`${address}${query}`)
      await judge()
      for (const section of sections) {
        await page.click(`a[href*="/account/${section}"]`)
        await page.waitForURL(`${address}/${section}${query}`)
        expect(await page.locator('html').getAttribute('lang')).toBe(lang)
        await judge()
        await page.goto(`${address}${query}`)
      }

      await page.goto(`${address}/profile${query}`)
      await page.fill('[name=family_name]', 'Lovelace')
      await page.click('button[value=save]')
      await page.waitForURL(`${address}/profile${query}&done=1`)
      expect(await page.inputValue('[name=family_name]')).toBe('Lovelace')
      await page.fill('[name=picture]', 'ada.png')
      await page.click('button[value=save]')
      await page.waitForSelector('#picture-fault')
      await judge()

      await page.goto(`${address}/data${query}`)
      // A download shows no other page, so that the button is pressed again on this one.
      for (let times = 0; times < 2; times += 1) {
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.click('button[value=download]'),
        ])
        expect(file.suggestedFilename()).toBe(`${scene.org_domain}-account.json`)
      }
      await page.close()
    }, 120_000)
  },
)
