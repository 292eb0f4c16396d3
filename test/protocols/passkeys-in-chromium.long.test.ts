import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { goodPassword } from '../api/password-given.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { axeFaultsOf } from '../given/axe.js'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import type { FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { passkeyGivenOf } from '../given/passkey-given.js'
import {
  addAuthenticator,
  platform,
  proposeNone,
  type Authenticator,
} from '../given/virtual-authenticator.js'

const service = await startService()
const client = await service.client()
const given = passkeyGivenOf(service, client)
let browser: TestBrowser

beforeAll(async () => {
  if (!hasTool(browserTool)) return
  browser = await openBrowser()
  atFileEnd(() => browser.close())
}, 60_000)

/** Nobody is there: that the browser was sent is what counts. */
const atStore = /^https:\/\/store\.example\/callback\?code=/

const roaming = { ...platform, transport: 'usb', defaultBackupEligibility: false, defaultBackupState: false }
const withoutVerification = {
  ...roaming,
  ...{ hasResidentKey: false, hasUserVerification: false, isUserVerified: false },
}

/** A page in a browser with an authenticator. */
async function openWith(authenticator: Authenticator) {
  const page = await browser.newPage()
  page.setDefaultTimeout(20_000)
  const kept = await addAuthenticator(page, authenticator)
  return { page, kept }
}

/** Signs in with the password, and the passkey of a user who has one, from the page of one's own passkeys. */
async function toOwnPasskeys(page: Page, scene: FlowScene, { hasOne = false } = {}): Promise<void> {
  await page.goto(`${service.baseUrl}${given.addressOf(scene)}`)
  await page.fill('#email', scene.user.email)
  await page.click('button[value=identify]')
  await page.fill('#password', goodPassword)
  await page.click('button[value=password]')
  if (hasOne) await page.click('button[value=passkey]')
  await page.waitForURL(/\/account\/passkeys/)
}

async function add(page: Page): Promise<void> {
  await page.click('button[value=add]')
  await page.waitForSelector('button[value=remove]', { state: 'attached' })
}

describe.skipIf(!hasTool(browserTool))('passkeys in Chromium', () => {
  test.each([
    ['of the device', platform, true],
    ['of a security key', roaming, false],
  ] as const)(
    'one %s is added, and signs in by the button',
    async (_, authenticator, synced) => {
      const scene = await given.flows.scene()
      const { page } = await openWith(authenticator)
      await proposeNone(page)
      await toOwnPasskeys(page, scene)
      expect(await axeFaultsOf(page)).toBe('')
      await add(page)
      expect(await axeFaultsOf(page)).toBe('')
      expect(await given.passkeysOf(scene)).toMatchObject([{ synced }])

      await page.context().clearCookies()
      await page.goto(given.flows.authorizeUrl(scene))
      const arrived = page.waitForRequest(atStore)
      await page.click('button[value=passkey]')
      await arrived
    },
    60_000,
  )

  test('one is proposed among the addresses, and signs in when it is chosen', async () => {
    const scene = await given.flows.scene()
    const { page } = await openWith(platform)
    await toOwnPasskeys(page, scene)
    await add(page)
    await page.context().clearCookies()

    // The virtual authenticator chooses by itself, as soon as the page waits.
    const arrived = page.waitForRequest(atStore)
    await page.goto(given.flows.authorizeUrl(scene))
    await arrived
  }, 60_000)

  test('one is asked for at once where the application wants it', async () => {
    const scene = await given.flows.scene()
    const { page } = await openWith(platform)
    await proposeNone(page)
    await toOwnPasskeys(page, scene)
    await add(page)
    await page.context().clearCookies()
    const arrived = page.waitForRequest(atStore)
    await page.goto(given.flows.authorizeUrl(scene, { idp_hint: 'passkey' }))
    await arrived
  }, 60_000)

  test('where there is none, the page that asks for one at once stays as any other', async () => {
    const scene = await given.flows.scene()
    const { page } = await openWith(platform)
    await page.goto(given.flows.authorizeUrl(scene, { idp_hint: 'passkey' }))
    await page.fill('#email', scene.user.email)
    await page.click('button[value=identify]')
    await page.waitForSelector('#password')
  }, 60_000)

  test('a security key that verifies nobody is not added where passkeys are a first factor, and the page says so', async () => {
    const scene = await given.flows.scene()
    const { page } = await openWith(withoutVerification)
    await toOwnPasskeys(page, scene)
    await page.click('button[value=add]')
    await page.waitForSelector('[data-failed]:not([hidden])')
    expect(await given.passkeysOf(scene)).toEqual([])

    await client.passkeys.updateConnection({ org_domain: scene.org_domain, first_factor: false })
    await page.goto(`${service.baseUrl}${given.addressOf(scene)}`)
    await add(page)
    expect(await given.passkeysOf(scene)).toMatchObject([{ synced: false }])
  }, 60_000)

  test('one is offered at the end of a sign-in in a browser that can make it, and in no other', async () => {
    const scene = await given.flows.scene()
    await service.query('update users set email_proved_at = now() where id = $1', [scene.user.id])
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, prompt: 'after_sign_in' })
    const signIn = async (page: Page) => {
      await page.goto(given.flows.authorizeUrl(scene))
      await page.fill('#email', scene.user.email)
      await page.click('button[value=identify]')
      await page.fill('#password', goodPassword)
      await page.click('button[value=password]')
    }
    const plain = await browser.newPage()
    const atOnce = plain.waitForRequest(atStore)
    await signIn(plain)
    await atOnce

    const { page } = await openWith(platform)
    await proposeNone(page)
    await signIn(page)
    await page.waitForSelector('form[data-passkey=create] button[value=passkey]')
    expect(await axeFaultsOf(page)).toBe('')
    const arrived = page.waitForRequest(atStore)
    await page.click('button[value=passkey]')
    await arrived

    expect(await given.passkeysOf(scene)).toHaveLength(1)
  }, 60_000)

  test('the same passkey is not added twice, and one is renamed and removed', async () => {
    const scene = await given.flows.scene()
    const { page } = await openWith(platform)
    await toOwnPasskeys(page, scene)
    await add(page)
    await page.click('button[value=add]')
    await page.waitForSelector('[data-held]:not([hidden])')
    expect(await page.isVisible('[data-failed]')).toBe(false)

    await page.click('summary')
    await page.fill('input[name=name]', 'My laptop')
    await page.click('button[value=rename]')
    await page.getByText('My laptop').first().waitFor()
    await page.click('details:has(button[value=remove]) summary')
    await page.click('button[value=remove]')
    await page.waitForSelector('button[value=remove]', { state: 'detached' })
    expect(await given.passkeysOf(scene)).toEqual([])
  }, 60_000)

  test('one that was removed, and a new address, are told to the browser, which keeps the passkey of another organization', async () => {
    const scene = await given.flows.scene()
    const other = await given.flows.scene()
    const { page, kept } = await openWith(platform)
    await proposeNone(page)
    for (const one of [scene, other]) {
      await toOwnPasskeys(page, one)
      await add(page)
      await page.context().clearCookies()
    }
    const place = { org_domain: other.org_domain, user_id: other.user.id }
    const email = `new.${other.user.email}`
    await client.users.update({ ...place, email })
    const moved = { ...other, user: { ...other.user, email } }
    const names = async () => (await kept()).map(({ userName = '' }) => userName.split(' ')[0])

    await toOwnPasskeys(page, moved, { hasOne: true })

    await expect.poll(names).toContain(email)
    expect(await names()).toContain(scene.user.email)
    const [removed] = await given.passkeysOf(other)
    await client.passkeys.delete({ ...place, passkey_id: removed?.id ?? '' })

    await page.context().clearCookies()
    await toOwnPasskeys(page, moved)

    await expect.poll(names).toEqual([scene.user.email])
  }, 60_000)

  test('without scripts there is no button, and the other ways are there', async () => {
    const scene = await given.flows.scene()
    const page = await browser.newPage({ javaScriptEnabled: false })
    await page.goto(given.flows.authorizeUrl(scene))
    expect(await page.isVisible('button[value=passkey]')).toBe(false)
    expect(await page.isVisible('button[value=identify]')).toBe(true)
  }, 60_000)
})
