import type { ProviderType } from '@portico/contract/sso-onboarding'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { axeFaultsOf } from './axe.js'
import { openBrowser } from './browser.js'
import { atFileEnd } from '../file-end.js'
import { startService } from './harness.js'
import { onboardingGivenOf, type OnboardingScene } from './onboarding-given.js'
import { startOpenIdProvider } from './openid-provider.js'
import { requestIdIn, startIdentityProvider } from './saml-identity-provider.js'

/** Texts of the pages by which a browser finds the controls. */
export const says = {
  en: {
    continue: /^Continue as i\*\*\*@corp\.example$/,
    code: '6-digit code',
    verify: 'Continue',
    next: 'Next step',
    toMetadata: 'Upload the metadata',
    step: /Step (\d+) of (\d+)/,
    file: 'Metadata file',
    read: 'Check the metadata',
    confirm: 'Yes, use this metadata',
    test: 'Start the test',
    passed: 'The test has passed',
    onwards: 'Continue',
    done: 'You are all set',
    allValues: 'All values at a glance',
    toClient: 'Enter the client',
    issuer: 'Issuer',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    readClient: 'Check the provider',
    confirmClient: 'Yes, use this client',
    makeSecret: 'Create a new secret',
  },
  fr: {
    continue: /^Continuer en tant que i\*\*\*@corp\.example$/,
    code: 'Code à 6 chiffres',
    verify: 'Continuer',
    next: 'Étape suivante',
    toMetadata: 'Déposer les métadonnées',
    step: /Étape (\d+) sur (\d+)/,
    file: 'Fichier de métadonnées',
    read: 'Vérifier les métadonnées',
    confirm: 'Oui, utiliser ces métadonnées',
    test: 'Lancer le test',
    passed: 'Le test est réussi',
    onwards: 'Continuer',
    done: 'Tout est prêt',
    allValues: 'Toutes les valeurs d’un coup d’œil',
    toClient: 'Saisir le client',
    issuer: 'Émetteur (Issuer)',
    clientId: 'Identifiant du client (Client ID)',
    clientSecret: 'Secret du client (Client secret)',
    readClient: 'Vérifier le fournisseur',
    confirmClient: 'Oui, utiliser ce client',
    makeSecret: 'Créer un nouveau secret',
  },
} as const
type Lang = keyof typeof says

/** Pages in which scripts are disabled. */
const withoutScripts = new WeakSet<Page>()

export interface BrowserLook extends Omit<BrowserContextOptions, 'viewport'> {
  readonly lang: Lang
  readonly width?: number
}

export type OnboardingBrowser = Awaited<ReturnType<typeof openOnboardingBrowser>>

/**
 * A service, an identity provider whose page signs ada in, and a browser to connect them. Axe, which takes
 * longer than the onboarding itself, checks each page on request.
 */
export async function openOnboardingBrowser({ hasAxe }: { readonly hasAxe: boolean }) {
  const service = await startService()
  const client = await service.client()
  const given = onboardingGivenOf(service, client)
  const idp = await startIdentityProvider(service.clock)
  const browser = await openBrowser()
  atFileEnd(() => browser.close())

  /** Completes the onboarding of a product from the invitation on. */
  async function walk({ type, lang, ...look }: BrowserLook & { readonly type: ProviderType }) {
    const scene = await given.invited()
    const { page, faults } = await open(scene, { lang, ...look })
    await arrive(page, scene, lang)
    await choose(page, scene, type, lang)
    const seen = await walkTutorial(page, scene, lang)
    expect(seen).toContain(scene.connection.acs_url)
    expect(seen).toContain(scene.connection.sp_id)
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

  /** The same for an OpenID provider, up to the page of the directory. */
  async function walkOidc({ type, lang, ...look }: BrowserLook & { readonly type: ProviderType }) {
    const scene = await invitedToOrganization()
    await client.directorySync.create({ org_domain: scene.org_domain, provider_type: 'entra_id' })
    const provider = await startOpenIdProvider(service.clock)
    const { page, faults } = await open(scene, { lang, ...look })
    await page.route('**/test/start?**', async (route) => {
      const answer = await route.fetch({ maxRedirects: 0 })
      const said = { sub: 'ada-1', email: 'ada@corp.example', email_verified: true, xms_edov: true }
      const back = provider.approve(answer.headers()['location'] ?? '', said)
      const body = `<!doctype html><title>idp</title><a href="${back.replaceAll('&', '&amp;')}">Sign in as ada</a>`
      return route.fulfill({ contentType: 'text/html', body })
    })
    await arrive(page, scene, lang)
    await choose(page, scene, type, lang, 'oidc')
    const seen = await walkTutorial(page, scene, lang, 'toClient')
    expect(seen).toContain(scene.connection.oidc_redirect_uri)

    const words = says[lang]
    expect(await axeFaults(page)).toBe('')
    await page.getByLabel(words.issuer).fill(provider.issuer)
    await page.getByLabel(words.clientId).fill(provider.client.id)
    await page.getByLabel(words.clientSecret).fill(provider.client.secret)
    await page.getByRole('button', { name: words.readClient }).click()
    await page.getByText(`${provider.issuer}/authorize`).waitFor()
    expect(await axeFaults(page)).toBe('')
    expect(await isTooWide(page)).toBe(false)
    await page.getByRole('button', { name: words.confirmClient }).click()
    await page.getByRole('link', { name: words.test }).click()
    await page.getByRole('link', { name: 'Sign in as ada' }).click()
    await page.getByRole('heading', { name: words.passed }).waitFor()
    expect(await given.onboardingOf(scene)).toMatchObject({ protocol: 'oidc', state: 'tested' })
    await page.getByRole('link', { name: words.onwards, exact: true }).click()
    await page.getByRole('heading', { name: words.done }).waitFor()
    expect(await axeFaults(page)).toBe('')

    await page.locator('a[href*="directory-sync/"]').click()
    await page.getByRole('button', { name: words.makeSecret }).click()
    await page.getByText(/^scimsandbox_/).waitFor()
    expect(await axeFaults(page)).toBe('')
    expect(await isTooWide(page)).toBe(false)
    expect(faults).toEqual([])
  }

  /** An invitation to an organization with one connection, which includes its directory. */
  async function invitedToOrganization(): Promise<OnboardingScene> {
    const { connections, ...scene } = await given.invitedToAll(1)
    const [connection] = connections
    if (connection === undefined) throw new Error('the organization has no connection')
    return { ...scene, connection }
  }

  /** A browser in which the page of the identity provider signs ada in. */
  async function open({ connection }: OnboardingScene, { lang, width = 1280, ...options }: BrowserLook) {
    // axe is an injected script. Without it, the content security policy of the pages stays enforced.
    const page = await browser.reusedPage({
      locale: lang === 'fr' ? 'fr-FR' : 'en-GB',
      viewport: { width, height: 900 },
      bypassCSP: hasAxe && options.javaScriptEnabled !== false,
      ...options,
    })
    if (options.javaScriptEnabled === false) withoutScripts.add(page)
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`${message.text()} ${message.location().url}`)
    })
    // The target of a redirect cannot be intercepted, but a visit can.
    await page.route('**/test/start?**', async (route) => {
      const { location = '' } = (await route.fetch({ maxRedirects: 0 })).headers()
      const body = `<!doctype html><meta http-equiv="refresh" content="0; url=${location.replaceAll('&', '&amp;')}">`
      return route.fulfill({ contentType: 'text/html', body })
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
    // An invitation to the organization first shows the list of its connections.
    const listed = page.locator(`.connections a[href*="/${scene.connection.idp_id}"]`)
    // With scripts, the code is submitted as soon as it is entered. A click would then wait for a button, and
    // press that of the next test on this page.
    if (withoutScripts.has(page))
      await page.getByRole('button', { name: says[lang].verify, exact: true }).click()
    await Promise.race([page.waitForURL(/provider|tutorial/), listed.waitFor()])
    if (await listed.isVisible()) {
      expect(await axeFaults(page)).toBe('')
      await listed.click()
    }
    await page.waitForURL(/provider|tutorial/)
  }

  async function choose(
    page: Page,
    scene: OnboardingScene,
    type: ProviderType,
    lang: Lang,
    protocol = 'saml',
  ): Promise<void> {
    expect(await axeFaults(page)).toBe('')
    expect(await page.getAttribute('html', 'lang')).toBe(lang)
    await page.locator(`form:has(input[value="${type}"]) button`).click()
    if (type === 'entra_id' || type === 'google_workspace') {
      await page.waitForURL(/protocol/)
      expect(await axeFaults(page)).toBe('')
      await page.locator(`form:has(input[value="${protocol}"]) button`).click()
    }
    await page.waitForURL(/tutorial/)
    expect(await given.onboardingOf(scene)).toMatchObject({ provider_type: type })
  }

  /** Visits every step, from the first to the upload. */
  async function walkTutorial(
    page: Page,
    scene: OnboardingScene,
    lang: Lang,
    last: 'toMetadata' | 'toClient' = 'toMetadata',
  ): Promise<string> {
    let seen = ''
    for (let step = 1; ; step++) {
      const [, current, steps] = says[lang].step.exec(await page.locator('main').innerText()) ?? []
      expect(current).toBe(String(step))
      expect(await axeFaults(page)).toBe('')
      expect(await isTooWide(page)).toBe(false)
      seen += await page.locator('.blocks').innerText()
      const isLast = current === steps
      const name = isLast ? says[lang][last] : says[lang].next
      await page.getByRole('button', { name, exact: true }).click()
      if (isLast) break
      await page.getByText(lang === 'en' ? `Step ${step + 1} of` : `Étape ${step + 1} sur`).waitFor()
    }
    await page.waitForURL(/metadata|client/)
    return seen
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

  /** The violations that axe finds; none without scripts, because axe cannot run. */
  async function axeFaults(page: Page): Promise<unknown> {
    if (!hasAxe || withoutScripts.has(page)) return ''
    // Before its styles are loaded, a page has other violations.
    await page.waitForLoadState('load')
    return axeFaultsOf(page)
  }

  return { given, open, arrive, walk, walkOidc }
}

async function isTooWide(page: Page): Promise<unknown> {
  if (withoutScripts.has(page)) return false
  return page.evaluate('document.documentElement.scrollWidth > innerWidth + 1')
}
