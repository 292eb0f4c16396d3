import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { consoleGivenOf } from '../given/console-given.js'
import { flowGivenOf, isIn } from '../given/flow-given.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'

const attempts = 3
const service = await startService({ variables: { SIGN_IN_ATTEMPTS_PER_ADDRESS: String(attempts) } })
const given = consoleGivenOf(service)
const client = await service.client()
const flows = flowGivenOf(service, client)
let browser: TestBrowser
let owner: Awaited<ReturnType<typeof given.owner>>

beforeAll(async () => {
  owner = await given.owner(service.account)
  if (!hasTool(browserTool)) return
  browser = await openBrowser()
  atFileEnd(() => browser.close())
}, 60_000)

/** A page of a browser of its own. */
async function opened(javaScriptEnabled = true): Promise<Page> {
  const page = await browser.newPage({ javaScriptEnabled })
  page.setDefaultTimeout(10_000)
  return page
}

/** A page of the owner's console. */
async function ofOwner(path: string, javaScriptEnabled = true): Promise<Page> {
  const page = await opened(javaScriptEnabled)
  const cookies = [...owner.visitor.cookies].map(([name, value]) => ({ name, value, url: service.baseUrl }))
  await page.context().addCookies(cookies)
  await page.goto(`${service.baseUrl}/console/${service.account.domain}/${path}`)
  return page
}

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true })

/** Waits for the page with a heading. */
async function arrive(page: Page, name: string): Promise<void> {
  const heading = page.getByRole('heading', { level: 1, name, exact: true })
  await heading.waitFor().catch(async () => {
    throw new Error(`not at ${name}, but at: ${await page.locator('main').innerText()}`)
  })
}

const withScripts = [true, false]

describe.skipIf(!hasTool(browserTool))('on the console in a browser', () => {
  test.each(withScripts)(
    'an address that is locked is found, unlocked, and signs in, scripts: %s',
    async (hasScript) => {
      const { scene, visitor, page: asked } = await flows.atPassword()
      for (let count = 0; count < attempts; count++)
        await visitor.press(asked, 'password', { password: 'wrong' })
      expect(isIn((await flows.signIn(scene)).landed)).toBe(false)

      const page = await ofOwner('sandbox', hasScript)
      await link(page, 'Find a person').click()
      await page.getByLabel('E-mail address').fill(scene.user.email)
      await button(page, 'Look up').click()
      await page.getByText(`${scene.user.email} cannot sign in. Sign-in is locked`).waitFor()
      await button(page, 'Unlock').click()
      await page.getByText(`Nothing stops ${scene.user.email}`).waitFor()

      expect(isIn((await flows.signIn(scene)).landed)).toBe(true)
    },
    30_000,
  )

  test('a user who is inactive is found, activated and renamed, and signs in', async () => {
    const scene = await flows.scene()
    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false })
    expect(isIn((await flows.signIn(scene)).landed)).toBe(false)

    const page = await ofOwner(`sandbox/people?email=${encodeURIComponent(scene.user.email)}`)
    await link(page, 'Activate the user').click()
    await page.getByRole('group', { name: 'Active' }).getByLabel('Yes').check()
    await page.getByLabel('Given name').fill('Augusta')
    await button(page, 'Save').click()
    await page.getByText('Done.').waitFor()

    const user = await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })
    expect(user).toMatchObject({ active: true, profile: { given_name: 'Augusta' } })
    expect(isIn((await flows.signIn(scene)).landed)).toBe(true)
  })

  test('of two who edit a webhook the second one sees what the first one wrote, and deletes it', async () => {
    for (const hasScript of withScripts) {
      const name = `Receiver ${anything()}`
      const page = await ofOwner('sandbox/webhooks/_create', hasScript)
      await page.getByLabel('Name (required)').fill(name)
      await page.getByLabel('Target URL (required)').fill('https://hooks.example/portico')
      await page.getByLabel('user.all', { exact: true }).check()
      await button(page, 'Create').click()
      await page.locator('.secret').waitFor()
      await link(page, 'Back').click()
      await link(page, name).click()
      await link(page, 'Edit').click()

      const other = await ofOwner('sandbox/webhooks', hasScript)
      await link(other, name).click()
      await link(other, 'Edit').click()
      await other.getByLabel('Name').fill(`${name} of another`)
      await button(other, 'Save').click()
      await arrive(other, `${name} of another`)

      await page.getByLabel('Target URL').fill('https://hooks.example/other')
      await button(page, 'Save').click()
      await page.getByText('It was changed meanwhile').waitFor()
      await page.getByText(`${name} of another`).first().waitFor()
      // It writes the entries of the form that was shown, the name among them.
      await button(page, 'Save').click()
      await arrive(page, name)

      await link(page, 'Delete').click()
      await button(page, 'Delete').click()
      await arrive(page, 'Webhooks')
      expect(await link(page, name).count()).toBe(0)
    }
  }, 120_000)

  test('support is invited, signs in by the mailed link, and may not delete users', async () => {
    const scene = await flows.scene()
    const email = anyEmail()
    const page = await ofOwner('sandbox')
    await link(page, 'Staff invitations').click()
    await link(page, 'Create').click()
    await page.getByLabel('Email (required)').fill(email)
    await page.getByLabel('support').check()
    await page.getByLabel('Reason (required)').fill('They help customers')
    await page.getByRole('main').locator('button[type=submit]').click()
    await arrive(page, 'Staff invitations')

    const support = await opened()
    await support.goto(await given.mailedLink(email))
    await support.locator('button[type=submit]').first().click()
    const notNow = support.locator('button[value=not_now]')
    if (await notNow.count()) await notNow.click()
    await arrive(support, 'Home')

    const user = `/console/${service.account.domain}/sandbox/organizations/${scene.org_domain}/users/${scene.user.id}`
    await support.goto(service.baseUrl + user)
    await arrive(support, scene.user.email)
    expect(await link(support, 'Edit').count()).toBe(1)
    expect(await link(support, 'Delete').count()).toBe(0)
    await link(support, 'Edit').click()
    // By hand: the form of another operation, with the field that says that it is from our page.
    const [answer] = await Promise.all([
      support.waitForResponse((response) => response.request().method() === 'POST'),
      support.evaluate(
        `document.querySelector('form.form-main').setAttribute('action', '${user}/_do/users.delete'); document.querySelector('form.form-main button[type=submit]').click()`,
      ),
    ])
    expect(answer.status()).toBe(403)
    expect(await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })).toMatchObject({
      email: scene.user.email,
      active: true,
    })
  }, 60_000)

  test('an organization is made by keys alone', async () => {
    const page = await ofOwner('sandbox')
    const name = `Organization ${anything()}`
    const focused = (member: string) => page.evaluate<string>(`document.activeElement.${member}.trim()`)
    const tabTo = async (text: string, member = 'textContent') => {
      for (let count = 0; count < 80; count++) {
        await page.keyboard.press('Tab')
        if ((await focused(member)) === text) return
      }
      throw new Error(`no key leads to ${text}`)
    }
    await page.keyboard.press('Tab')
    expect(await focused('textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true)

    await page.goto(page.url().replace(/#.*/, ''))
    await tabTo('Organizations')
    await page.keyboard.press('Enter')
    await arrive(page, 'Organizations')
    await tabTo('Create')
    await page.keyboard.press('Enter')
    await page.getByLabel('Name (required)').waitFor()
    await tabTo('name', 'id')
    await page.keyboard.type(name)
    await page.keyboard.press('Enter')
    await arrive(page, name)
  }, 60_000)

  test('a menu of a small screen opens by key, and a form is sent once however often its button is pressed', async () => {
    const page = await ofOwner('sandbox/webhooks/_create')
    await page.setViewportSize({ width: 360, height: 800 })
    const menu = page.locator('details.navigation > summary')
    expect(await link(page, 'Events').isVisible()).toBe(false)
    await menu.focus()
    await page.keyboard.press('Enter')
    expect(await link(page, 'Events').isVisible()).toBe(true)

    const count = await page.evaluate(
      `(() => {
         let sent = 0
         addEventListener('submit', (event) => { if (!event.defaultPrevented) sent += 1; event.preventDefault() })
         const button = document.querySelector('form.form-main button[type=submit]')
         for (const _ of [1, 2, 3]) button.click()
         return sent
       })()`,
    )
    expect(count).toBe(1)
  })
})
