import { createServer } from 'node:http'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { goodPassword } from '../api/password-given.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { axeFaultsOf } from '../given/axe.js'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { invitationGivenOf } from '../given/invitation-given.js'
import { listenUntilFileEnd } from '../given/loopback.js'
import { onboardingGivenOf } from '../given/onboarding-given.js'
import { pkcePair } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const invitations = invitationGivenOf(service, client)
const onboarding = onboardingGivenOf(service, client)
/** The origin of the application, different from that of the service. */
const store = await startStore()
let browser: TestBrowser

beforeAll(async () => {
  if (!hasTool(browserTool)) return
  browser = await openBrowser()
  atFileEnd(() => browser.close())
}, 60_000)

/** Both languages, each with scripts and without, on a wide screen and on a narrow one. */
const looks = [
  { lang: 'en', javaScriptEnabled: true, width: 1280 },
  { lang: 'fr', javaScriptEnabled: true, width: 360 },
  { lang: 'en', javaScriptEnabled: false, width: 360 },
  { lang: 'fr', javaScriptEnabled: false, width: 1280 },
] as const
type Look = (typeof looks)[number]

const says = {
  en: {
    accepted: 'You have already accepted this invitation',
    dead: 'This invitation no longer works',
    signedIn: 'You are already signed in to',
    asked: 'Your request was sent',
    denied: 'Your last request was not approved',
    member: 'You are a member of',
    none: 'Nobody is waiting for a decision.',
  },
  fr: {
    accepted: 'Vous avez déjà accepté cette invitation',
    dead: 'Cette invitation n’est plus valable',
    signedIn: 'Vous êtes déjà connecté',
    asked: 'Votre demande a été envoyée',
    denied: 'Votre dernière demande n’a pas été acceptée',
    member: 'Vous êtes membre de',
    none: 'Aucune demande n’attend de décision.',
  },
} as const

describe.skipIf(!hasTool(browserTool)).each(looks)(
  'in Chromium: $lang, scripts $javaScriptEnabled, $width px',
  (look) => {
    test('a person accepts a mailed invitation, chooses a password, and is told that it is done', async () => {
      const place = await givenPlace()
      await client.password.createConnection({ org_domain: place.org_domain })
      const { url, email } = await invitations.invited(place, { locale: look.lang })
      const person = await open(look)

      await person.visit(url)
      await person.press('begin')
      await person.fill('password', goodPassword)
      await person.press('set_password')
      await person.landed()

      const user = await client.users.getByEmail({ org_domain: place.org_domain, user_email: email })
      expect(user).toMatchObject({ active: true, email_verified: true })
      await person.visit(url)
      await person.reads(says[look.lang].accepted)
      const stranger = await open(look)
      await stranger.visit(url, 404)
      await stranger.reads(says[look.lang].dead)
      expect([person.faults, stranger.faults]).toEqual([[], []])
    }, 120_000)

    test('an invitation is accepted by nobody who is signed in with another address, before they sign out', async () => {
      const place = await givenPlace()
      const [first, second] = [await invitations.invited(place), await invitations.invited(place)]
      const person = await open(look)
      await person.visit(first.url)
      await person.press('begin')
      await person.landed()

      await person.visit(second.url)
      await person.reads(says[look.lang].signedIn)
      expect(await invitations.stateOf(place, second.invitation)).toBe('pending')
      await person.press('sign_out')
      if (!person.hasLanded()) await person.press('begin')
      await person.landed()

      expect(await invitations.stateOf(place, second.invitation)).toBe('accepted')
      expect(person.faults).toEqual([])
    }, 120_000)

    test('two people ask to join; an administrator lets one in, who enters, and not the other', async () => {
      const place = await givenPlace({ join_by_domain: 'request' })
      const [ada, grace] = [await asking(place, look), await asking(place, look)]
      const admin = `it-${anything()}@corp.example`
      await client.admins.invite({ org_domain: place.org_domain, email: admin })
      await service.clock.advance(10 * 60)
      const decider = await open(look)

      await decider.visit(await onboarding.linkTo(admin))
      await decider.press('continue')
      await decider.fill('code', await onboarding.codeTo(admin), 'verify')
      await decider.reads(ada.email)
      await decider.press('approve', ada.email)
      await decider.press('deny', grace.email)
      await decider.reads(says[look.lang].none)

      await ada.person.again()
      await ada.person.reads(says[look.lang].member)
      await ada.person.press('enter')
      await ada.person.landed()
      await grace.person.again()
      await grace.person.reads(says[look.lang].denied)
      const { data } = await client.users.list({ org_domain: place.org_domain })
      expect(data.map(({ email }) => email)).toEqual([ada.email])
      expect([ada.person.faults, grace.person.faults, decider.faults]).toEqual([[], [], []])
    }, 120_000)
  },
)

type Place = Awaited<ReturnType<typeof givenPlace>>

/** An organization whose links sign in, with a verified domain and an application. */
async function givenPlace(
  policy: Omit<Parameters<typeof client.organizationPolicy.update>[0], 'org_domain'> = {},
) {
  const { domain: org_domain } = await service.given.organization()
  const { client_id } = await service.given.application({
    org_domain,
    organization_domain_scope: org_domain,
    allowed_redirect_urls: [`${store}/callback`],
  })
  const domain = `${anything()}.example`
  await client.domains.create({ org_domain, domain })
  await client.organizationPolicy.update({ org_domain, ...policy })
  return { org_domain, client_id, domain }
}

/** Somebody with an address of the domain of a place, who has asked to join in a browser of their own. */
async function asking({ org_domain, client_id, domain }: Place, look: Look) {
  const email = anyEmail().replace(/@.*/, `@${domain}`)
  const person = await open(look)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: `${store}/callback`,
    scope: 'openid email',
    state: 'state',
    code_challenge: pkcePair().challenge,
    code_challenge_method: 'S256',
  })
  await person.visit(`${service.baseUrl}/t/${org_domain}/authorize?${query.toString()}`)
  await person.fill('email', email)
  await person.press('identify')
  if (await person.has('mail_link')) await person.press('mail_link')
  await service.runJobs()
  const { data } = await client.outbox.list({ to: email })
  const [link] = data.flatMap(({ text }) => /http\S+magic-link\S+/.exec(text) ?? [])
  await person.visit(link ?? '')
  await person.press()
  await person.press('ask')
  await person.reads(says[look.lang].asked)
  return { email, person }
}

/** A browser of a person, which checks each page that it comes to. */
async function open({ lang, javaScriptEnabled, width }: Look) {
  const page = await browser.newPage({
    locale: lang === 'fr' ? 'fr-FR' : 'en-GB',
    viewport: { width, height: 900 },
    // axe is an injected script. Without it, the content security policy of the pages stays enforced.
    bypassCSP: javaScriptEnabled,
    javaScriptEnabled,
  })
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))

  const hasLanded = () => page.url().startsWith(`${store}/callback`)

  async function check(): Promise<void> {
    await page.waitForLoadState('load')
    if (hasLanded()) return
    expect(await page.getAttribute('html', 'lang'), page.url()).toBe(lang)
    if (!javaScriptEnabled) return
    expect(await axeFaultsOf(page), page.url()).toBe('')
    const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth + 1')
    expect([page.url(), isTooWide]).toEqual([page.url(), false])
  }

  async function visit(url: string, status = 200): Promise<void> {
    const answer = await page.goto(url)
    expect([url, answer?.status()]).toEqual([url, status])
    await check()
  }

  /** Presses a button by its value, of several the one whose section names something; without a value the only one of the page. */
  async function press(action?: string, of?: string): Promise<void> {
    const place = of === undefined ? page.locator('main, body') : sectionOf(page, of)
    const value = action === undefined ? '' : `[value="${action}"]`
    await comeBy(() => place.locator(`form button${value}`).first().click())
  }

  /** Fills a field; scripts send the form of a code by themselves. */
  async function fill(name: string, value: string, action?: string): Promise<void> {
    const field = page.locator(`[name="${name}"]:not([type="hidden"])`)
    if (action === undefined) await field.fill(value)
    else if (javaScriptEnabled) await comeBy(() => field.fill(value))
    else {
      await field.fill(value)
      await press(action)
    }
  }

  /** Does what leads to another page, and checks that. */
  async function comeBy(act: () => Promise<unknown>): Promise<void> {
    const loaded = page.waitForEvent('load')
    await act()
    await loaded
    await check()
  }

  return {
    ...{ faults, visit, press, fill, hasLanded },
    has: async (action: string) => (await page.locator(`button[value="${action}"]`).count()) > 0,
    again: () => comeBy(() => page.reload()),
    reads: async (text: string) => expect(await page.locator('body').innerText()).toContain(text),
    landed: () => page.waitForURL(`${store}/callback**`),
  }
}

function sectionOf(page: Page, text: string) {
  return page.locator('section').filter({ hasText: text })
}

async function startStore(): Promise<string> {
  const server = createServer((_req, res) => {
    res.setHeader('Content-Type', 'text/html').end('<!doctype html><title>Store</title>')
  })
  return `http://localhost:${await listenUntilFileEnd(server)}`
}
