import type { ProviderType } from '@portico/contract/sso-onboarding'
import axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { openBrowser } from './browser.js'
import { atFileEnd } from './file-end.js'
import { startService } from './harness.js'
import { onboardingGivenOf, type OnboardingScene } from './onboarding-given.js'
import { requestIdIn, startIdentityProvider } from './saml-identity-provider.js'

/** What the pages say, by which a browser finds its way. */
export const says = {
  en: {
    continue: /^Continue as i\*\*\*@corp\.example$/,
    code: '6-digit code',
    verify: 'Continue',
    next: 'Next step',
    toMetadata: 'Upload the metadata',
    step: /Step (\d+) of (\d+)/,
    file: 'Metadata file',
    read: 'Read the metadata',
    confirm: 'Yes, use these metadata',
    test: 'Begin the test',
    passed: 'The test has passed',
    onwards: 'Continue',
    done: 'That is all from you',
    allValues: 'All values at a glance',
  },
  fr: {
    continue: /^Continuer en tant que i\*\*\*@corp\.example$/,
    code: 'Code à 6 chiffres',
    verify: 'Continuer',
    next: 'Étape suivante',
    toMetadata: 'Déposer les métadonnées',
    step: /Étape (\d+) sur (\d+)/,
    file: 'Fichier de métadonnées',
    read: 'Lire les métadonnées',
    confirm: 'Oui, utiliser ces métadonnées',
    test: 'Commencer le test',
    passed: 'Le test est réussi',
    onwards: 'Continuer',
    done: 'C’est tout de votre côté',
    allValues: 'Toutes les valeurs d’un coup d’œil',
  },
} as const
type Lang = keyof typeof says

/** Pages in which nothing can be evaluated. */
const withoutScripts = new WeakSet<Page>()

export interface BrowserLook extends Omit<BrowserContextOptions, 'viewport'> {
  readonly lang: Lang
  readonly width?: number
}

export type OnboardingBrowser = Awaited<ReturnType<typeof openOnboardingBrowser>>

/** A service, an identity provider whose page signs ada in, and a browser to set the one up with the other. */
export async function openOnboardingBrowser() {
  const service = await startService()
  const client = await service.client()
  const given = onboardingGivenOf(service, client)
  const idp = await startIdentityProvider(service.clock)
  const browser = await openBrowser()
  atFileEnd(() => browser.close())

  /** Sets a product up from the invitation to the end. */
  async function walk({ type, lang, ...look }: BrowserLook & { readonly type: ProviderType }) {
    const scene = await given.invited()
    const { page, faults } = await open(scene, { lang, ...look })
    await arrive(page, scene, lang)
    await choose(page, scene, type, lang)
    await walkTutorial(page, scene, lang)
    await uploadMetadata(page, lang)
    expect(await given.onboardingOf(scene)).toMatchObject({
      provider_type: type,
      onboarding: { state: 'xml_provided' },
    })

    await page.getByRole('link', { name: says[lang].test }).click()
    await page.getByRole('button', { name: 'Sign in as ada' }).click()
    await page.getByRole('heading', { name: says[lang].passed }).waitFor()
    expect(await axeFaults(page)).toBe('')
    await page.getByRole('link', { name: says[lang].onwards, exact: true }).click()
    await page.getByRole('heading', { name: says[lang].done }).waitFor()
    expect(await axeFaults(page)).toBe('')
    expect(await given.onboardingOf(scene)).toMatchObject({ state: 'tested' })
    expect(faults).toEqual([])
  }

  /** A browser that knows the identity provider, whose page signs ada in. */
  async function open({ connection }: OnboardingScene, { lang, width = 1280, ...options }: BrowserLook) {
    // axe is a script of its own. Where it does not run, the pages are held to their policy on the whole way.
    const context = await browser.newContext({
      locale: lang === 'fr' ? 'fr-FR' : 'en-GB',
      viewport: { width, height: 900 },
      bypassCSP: options.javaScriptEnabled !== false,
      ...options,
    })
    const page = await context.newPage()
    if (options.javaScriptEnabled === false) withoutScripts.add(page)
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text())
    })
    await page.route(`${idp.ssoUrl}**`, (route) => {
      const requestId = requestIdIn(route.request().url())
      const response = idp.respond({ ...connection, requestId }, { nameId: 'ada@corp.example' })
      return route.fulfill({
        contentType: 'text/html',
        body: `<!doctype html><title>idp</title><form method="post" action="${connection.acs_url}">
          <input type="hidden" name="SAMLResponse" value="${response}"><button>Sign in as ada</button></form>`,
      })
    })
    return { page, faults }
  }

  async function arrive(page: Page, scene: OnboardingScene, lang: Lang): Promise<void> {
    await page.goto(scene.link)
    expect(await axeFaults(page)).toBe('')
    await page.getByRole('button', { name: says[lang].continue }).click()
    const field = page.getByLabel(says[lang].code)
    await field.waitFor()
    expect(await axeFaults(page)).toBe('')
    await field.fill(await given.codeTo(scene.email))
    // Where scripts run, the code is sent as soon as it is there.
    const button = page.getByRole('button', { name: says[lang].verify, exact: true })
    await Promise.race([button.click().catch(() => undefined), page.waitForURL(/provider|tutorial/)])
    await page.waitForURL(/provider|tutorial/)
  }

  async function choose(page: Page, scene: OnboardingScene, type: ProviderType, lang: Lang): Promise<void> {
    expect(await axeFaults(page)).toBe('')
    expect(await page.getAttribute('html', 'lang')).toBe(lang)
    await page.locator(`form:has(input[value="${type}"]) button`).click()
    await page.waitForURL(/tutorial/)
    expect(await given.onboardingOf(scene)).toMatchObject({ provider_type: type })
  }

  /** Reads every step, from the first to the upload. */
  async function walkTutorial(page: Page, scene: OnboardingScene, lang: Lang): Promise<void> {
    const { acs_url, sp_id } = scene.connection
    let seen = ''
    for (let step = 1; ; step++) {
      const [, current, steps] = says[lang].step.exec(await page.locator('main').innerText()) ?? []
      expect(current).toBe(String(step))
      expect(await axeFaults(page)).toBe('')
      expect(await isTooWide(page)).toBe(false)
      seen += await page.locator('.blocks').innerText()
      const isLast = current === steps
      const name = isLast ? says[lang].toMetadata : says[lang].next
      await page.getByRole('button', { name, exact: true }).click()
      if (isLast) break
      await page.getByText(lang === 'en' ? `Step ${step + 1} of` : `Étape ${step + 1} sur`).waitFor()
    }
    await page.waitForURL(/metadata/)
    expect(seen).toContain(acs_url)
    expect(seen).toContain(sp_id)
  }

  async function uploadMetadata(page: Page, lang: Lang): Promise<void> {
    expect(await axeFaults(page)).toBe('')
    await page.getByLabel(says[lang].file).setInputFiles({
      name: 'metadata.xml',
      mimeType: 'application/xml',
      buffer: Buffer.from(idp.metadata()),
    })
    await page.getByRole('button', { name: says[lang].read }).click()
    await page.getByText(idp.entityId).waitFor()
    expect(await axeFaults(page)).toBe('')
    await page.getByRole('button', { name: says[lang].confirm }).click()
    await page.waitForURL(/\/test/)
    expect(await axeFaults(page)).toBe('')
  }

  return { given, open, arrive, walk }
}

/** What axe finds wrong; nothing where scripts do not run, and axe neither. */
async function axeFaults(page: Page): Promise<unknown> {
  if (withoutScripts.has(page)) return ''
  await page.evaluate(axe.source)
  return page.evaluate(
    `axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(({ violations }) =>
       violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ html }) => html).join(' ')).join('; '))`,
  )
}

async function isTooWide(page: Page): Promise<unknown> {
  if (withoutScripts.has(page)) return false
  return page.evaluate('document.documentElement.scrollWidth > innerWidth + 1')
}
