import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { openOnboardingBrowser, says, type OnboardingBrowser } from '../given/onboarding-browser.js'
import { longTest } from '../sampled.js'

let setup: OnboardingBrowser

beforeAll(async () => {
  if (hasTool(browserTool)) setup = await openOnboardingBrowser({ hasAxe: false })
}, 60_000)

// onboarding-pages.long.test.ts has the other products, OpenID Connect, and axe on each page.
describe.skipIf(!hasTool(browserTool))('an administrator', () => {
  test.each([
    { type: 'okta', lang: 'en', colorScheme: 'light', width: 1280, javaScriptEnabled: true },
  ] as const)(
    'goes from the invitation to the end of the test: $type, $lang, $width px, scripts: $javaScriptEnabled',
    (look) => setup.walk(look),
    120_000,
  )

  longTest('copies a value by its button', async () => {
    const scene = await setup.given.invited({ provider_type: 'keycloak' })
    const { page, faults } = await setup.open(scene, { lang: 'en', colorScheme: 'light' })
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await setup.arrive(page, scene, 'en')
    await page.getByRole('button', { name: says.en.next }).click()
    await page.getByRole('button', { name: 'Copy Client ID' }).click()

    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(scene.connection.sp_id)
    await page.getByRole('button', { name: 'Copied Client ID' }).waitFor()
    expect(faults).toEqual([])
  })

  longTest('without scripts sees the values, and no button that does nothing', async () => {
    const scene = await setup.given.invited({ provider_type: 'okta' })
    const { page } = await setup.open(scene, { lang: 'en', javaScriptEnabled: false })
    await setup.arrive(page, scene, 'en')
    await page.getByRole('button', { name: says.en.next }).click()

    await page.getByText(scene.connection.acs_url).first().waitFor()
    expect(await page.getByRole('button', { name: 'Copy' }).count()).toBe(0)
  })

  longTest('downloads our metadata', async () => {
    const scene = await setup.given.invited({ provider_type: 'adfs' })
    const { page } = await setup.open(scene, { lang: 'en', colorScheme: 'light' })
    await setup.arrive(page, scene, 'en')
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download our metadata' }).first().click(),
    ])
    expect(download.suggestedFilename()).toBe('sp-metadata.xml')
  })

  longTest('goes on in the language that they have chosen', async () => {
    const scene = await setup.given.invited()
    const { page } = await setup.open(scene, { lang: 'en', colorScheme: 'light' })
    await page.goto(scene.link)
    await page.getByRole('link', { name: 'Français' }).click()
    await page.getByRole('button', { name: says.fr.continue }).click()
    const field = page.getByLabel(says.fr.code)
    await field.waitFor()
    // A code entered before the script is loaded needs the button.
    await page.waitForLoadState('domcontentloaded')
    await field.fill(await setup.given.codeTo(scene.email))
    await page.getByRole('heading', { name: 'Quel est votre fournisseur d’identité' }).waitFor()
    await page.getByRole('button', { name: /Okta/ }).click()
    await page.getByText('Étape 1 sur 5').waitFor()
  })
})
