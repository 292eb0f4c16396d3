import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { isFullRun, longDescribe, longTest } from '../sampled.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { claimsOf } from '../given/claims.js'
import { answerOf, callback, goodPassword, isIn } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { pkcePair, type Seen } from '../given/visitor.js'
import { untilWaiting } from '../given/waiting.js'
import { authorizeGivenOf } from './authorize-given.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = authorizeGivenOf(service, client)

const prompt = 'consent'
const sentences = {
  openid: 'Confirm your identity',
  profile: 'See your name, picture and language',
  email: 'See your e-mail address',
  phone: 'See your telephone number',
  offline_access: 'Keep access until you or your administrator revokes it',
}

describe('prompt=consent', () => {
  longTest('shows what the application will be able to do, and gives a code once it is allowed', async () => {
    const { verifier, challenge } = pkcePair()
    const scope = 'openid email offline_access'

    const {
      scene,
      visitor,
      landed: page,
    } = await given.signIn(undefined, {
      prompt,
      scope,
      code_challenge: challenge,
    })

    expect([page.status, isConsent(page)]).toEqual([200, true])
    for (const sentence of [sentences.openid, sentences.email, sentences.offline_access])
      expect(page.html).toContain(sentence)
    expect(page.html).not.toContain(sentences.profile)
    for (const text of [scene.user.email, scene.application.name, 'You will then return to store.example.'])
      expect(wordsOf(page)).toContain(text)
    expect(visitor.sessionSecret()).toBeUndefined()
    const landed = await visitor.press(page, 'allow')
    const { body } = await exchange(service, { code: codeOf(landed), code_verifier: verifier })
    expect(body).toMatchObject({ scope })
    expect(claimsOf(body.id_token)).toMatchObject({ sub: scene.user.id })
  })

  longTest(
    'asks a browser that is signed in for nothing else, each time anew, and keeps its session as it was',
    async () => {
      const { scene, visitor } = await given.signIn()
      const before = await sessionsOf(scene.user.id)
      const secret = visitor.sessionSecret()
      await service.clock.advance(600)

      const page = await visitor.visit(given.authorizeUrl(scene, { prompt }))
      const landed = await visitor.press(page, 'allow')
      const again = await visitor.visit(given.authorizeUrl(scene, { prompt }))
      const without = await visitor.visit(given.authorizeUrl(scene))

      expect([isConsent(page), isIn(landed), isConsent(again), isIn(without)]).toEqual([
        true,
        true,
        true,
        true,
      ])
      expect(await sessionsOf(scene.user.id)).toEqual(before)
      expect(visitor.sessionSecret()).not.toBe(secret)
    },
  )

  test('names what single claims let the application see', async () => {
    const claims = JSON.stringify({ id_token: { name: null }, userinfo: { phone_number: null } })

    const { landed: page } = await given.signIn(undefined, { prompt, claims })

    for (const sentence of [sentences.profile, sentences.phone]) expect(page.html).toContain(sentence)
    expect(page.html).not.toContain(sentences.email)
  })

  longTest('is the last step, after the second factor', async () => {
    const scene = await given.enrolledScene()

    const { visitor, landed: page } = await given.signIn(scene, { prompt })
    const next = await visitor.press(page, 'totp', { code: given.totp.codeOf(scene.app) })

    expect([isConsent(page), isConsent(next)]).toEqual([false, true])
    expect(isIn(await visitor.press(next, 'allow'))).toBe(true)
  })

  test('has a sign-in first where the application asks for both', async () => {
    const { scene, visitor } = await given.signIn()

    const page = await visitor.visit(given.authorizeUrl(scene, { prompt: 'login consent' }))

    expect([isConsent(page), page.html.includes('name="email"')]).toEqual([false, true])
  })

  test('does not go with none', async () => {
    const answer = await given.answerTo(await given.scene(), { prompt: 'none consent' })

    expect(answer.get('error')).toBe('invalid_request')
  })

  longTest('lets another user take the place of the first, who then is asked as that one', async () => {
    const { scene, visitor } = await given.signIn()
    const other = await service.given.user({ org_domain: scene.org_domain })
    await given.passwords.set({ ...scene, user: other }, goodPassword)
    const page = await visitor.visit(given.authorizeUrl(scene, { prompt }))

    const start = await visitor.press(page, 'change_address')
    const password = await visitor.press(start, 'identify', { email: other.email })
    const next = await visitor.press(password, 'password', { password: goodPassword })

    expect([isConsent(start), isConsent(next)]).toEqual([false, true])
    expect(wordsOf(next)).toContain(other.email)
    expect(isIn(await visitor.press(next, 'allow'))).toBe(true)
    const ended = (await sessionsOf(scene.user.id)).filter(({ ended_at }) => ended_at !== null)
    expect(ended).toHaveLength(1)
  })
})

longDescribe('two tabs of one browser', () => {
  test('a page that shows one user does not allow as another, who has taken their place in another tab', async () => {
    const { scene, visitor } = await given.signIn()
    const other = await service.given.user({ org_domain: scene.org_domain })
    await given.passwords.set({ ...scene, user: other }, goodPassword)
    const first = await visitor.visit(given.authorizeUrl(scene, { prompt }))
    const start = await visitor.press(first, 'change_address')
    const password = await visitor.press(start, 'identify', { email: other.email })
    await visitor.press(password, 'password', { password: goodPassword })

    const again = await visitor.press(first, 'allow')
    const without = await visitor.press(again, 'allow', { user: '' })

    for (const page of [again, without]) expect([isConsent(page), isIn(page)]).toEqual([true, false])
    expect(wordsOf(again)).toContain(other.email)
    expect(isIn(await visitor.press(again, 'allow'))).toBe(true)
  })

  test('a press of the older tab leaves a session as it was renewed by a sign-in in the other', async () => {
    const { scene, visitor } = await given.signIn()
    await service.clock.advance(600)
    const older = await visitor.visit(given.authorizeUrl(scene, { prompt }))
    await service.clock.advance(60)
    const identifier = await visitor.visit(given.authorizeUrl(scene, { prompt: 'login' }))
    const password = await visitor.press(identifier, 'identify', { email: scene.user.email })
    await visitor.press(password, 'password', { password: goodPassword })
    const renewed = await sessionsOf(scene.user.id)

    const landed = await visitor.press(older, 'allow')

    expect(isIn(landed)).toBe(true)
    expect(await sessionsOf(scene.user.id)).toEqual(renewed)
  })
})

describe('an application that is not allowed', () => {
  test.each(['query', 'form_post'])(
    'gets access_denied, and no session is opened: %s',
    async (response_mode) => {
      const { scene, visitor, landed: page } = await given.signIn(undefined, { prompt, response_mode })

      const refused = await visitor.press(page, 'refuse')
      const after = await visitor.visit(page.url)

      const issuer = `${service.baseUrl}/t/${scene.org_domain}`
      const answer = response_mode === 'query' ? answerOf(refused) : fieldsOf(refused)
      expect(Object.fromEntries(answer)).toEqual({
        error: 'access_denied',
        error_description: 'the user has not allowed the application',
        state: 'state-1',
        iss: issuer,
      })
      expect([after.status, visitor.sessionSecret()]).toEqual([404, undefined])
      const { data } = await client.logEvents.list({
        org_domain: scene.org_domain,
        code: 'END_USER_SIGN_IN_FAILED',
      })
      expect(data).toMatchObject([{ reason: 'consent_refused', email: scene.user.email }])
    },
  )

  longTest('is told once, whatever is pressed at the same time', async () => {
    const { visitor, landed: page } = await given.signIn(undefined, { prompt })

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => visitor.send(page, index % 2 === 0 ? 'refuse' : 'allow')),
    )

    const told = answers.filter(({ location }) => location?.startsWith(callback) === true)
    expect(told).toHaveLength(1)
  })

  longTest('is told once by two forms that come at the same moment', async () => {
    const { visitor, landed: page } = await given.signIn(undefined, { prompt })
    const holder = new pg.Client({ connectionString: service.databaseUrl })
    await holder.connect()
    await holder.query('begin')
    await holder.query('select from sign_in_flows where id = $1 for update', [flowIdOf(page)])
    const refusing = [visitor.send(page, 'refuse'), visitor.send(page, 'refuse')]
    await untilWaiting(service, refusing.length)
    await holder.query('commit')
    await holder.end()

    const answers = await Promise.all(refusing)

    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 404])
  })

  test('is told nothing at a redirect URI that it no longer has', async () => {
    const { scene, visitor, landed: page } = await given.signIn(undefined, { prompt })
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      allowed_redirect_urls: ['https://store.example/other'],
    })

    const refused = await visitor.send(page, 'refuse')

    expect([refused.status, refused.location]).toEqual([404, null])
  })
})

describe('nobody else can allow an application', () => {
  test('by a form of another site, without its field, or from another browser', async () => {
    const { visitor, landed: page } = await given.signIn(undefined, { prompt })
    const elsewhere = given.visitorOf()

    const foreign = await visitor.send(page, 'allow', {}, { origin: 'https://evil.example' })
    const bare = await visitor.send(page, 'allow', { csrf: 'c'.repeat(43) })
    const other = await elsewhere.send(page, 'allow')

    expect([foreign.status, bare.status, other.status]).toEqual([403, 403, 403])
    expect(isIn(await visitor.press(page, 'allow'))).toBe(true)
  })

  test('before its time', async () => {
    const { visitor, page } = await given.atPassword(undefined, { prompt })

    const early = await visitor.send(page, 'allow')
    const next = await visitor.press(page, 'password', { password: goodPassword })

    expect([early.status, isConsent(next)]).toEqual([409, true])
  })

  test.each(['ended', 'expired', 'lost'] as const)('with a session that is %s meanwhile', async (end) => {
    const { scene, visitor } = await given.signIn()
    if (end === 'expired')
      for (let hour = 0; hour < 9; hour += 1) {
        await service.clock.advance(50 * 60)
        await visitor.visit(given.authorizeUrl(scene))
      }
    const page = await visitor.visit(given.authorizeUrl(scene, { prompt }))
    const { org_domain, user } = scene
    if (end === 'ended') await client.sessions.endAll({ org_domain, user_id: user.id })
    if (end === 'expired') await service.clock.advance(40 * 60)
    if (end === 'lost')
      for (const name of visitor.cookies.keys())
        if (name.startsWith('portico-session-')) visitor.cookies.delete(name)

    const landed = await visitor.press(page, 'allow')

    // What ends the sessions of a user ends their flows.
    expect([isConsent(page), landed.status, isIn(landed)]).toEqual([true, end === 'ended' ? 404 : 403, false])
  })
})

if (isFullRun)
  describe.skipIf(!hasTool(browserTool))('in a browser', () => {
    let browser: TestBrowser
    beforeAll(async () => {
      browser = await openBrowser()
      atFileEnd(() => browser.close())
    })

    test('a press in the first half second is not taken, and without scripts the page does the same', async () => {
      const scene = await given.scene()
      for (const javaScriptEnabled of [true, false]) {
        const page = await browser.newPage({ javaScriptEnabled, locale: 'en-US' })
        await page.route(`${callback}**`, (route) => route.fulfill({ body: 'store' }))
        await page.goto(given.authorizeUrl(scene, { prompt }))
        await page.locator('input[type=email]').fill(scene.user.email)
        await page.getByRole('button', { name: 'Continue' }).click()
        await page.locator('input[type=password]').fill(goodPassword)
        await page.getByRole('button', { name: 'Sign in' }).click()
        const allow = page.getByRole('button', { name: 'Allow', exact: true })
        if (javaScriptEnabled) {
          await allow.waitFor()
          const isTaken = await page.evaluate(
            `new Promise((resolve) => {
             const form = document.querySelector('button[value=allow]').form
             form.dataset.later = ''
             form.addEventListener('submit', (event) => resolve(!event.defaultPrevented))
             setTimeout(() => resolve('sent' in form.dataset), 50)
             form.requestSubmit()
           })`,
          )
          expect(isTaken).toBe(false)
          await page.locator('form[data-later]').first().waitFor({ state: 'detached' })
          await page.evaluate(`delete document.querySelector('button[value=allow]').form.dataset.later`)
        }
        await allow.click()
        await page.waitForURL(`${callback}**`)
        expect(new URL(page.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/)
        await page.close()
      }
    })
  })

function isConsent({ html }: Seen): boolean {
  return html.includes('value="allow"')
}

function flowIdOf({ url }: Seen): string {
  return new URL(url).pathname.split('/').at(-1) ?? ''
}

/** A page without the places where an address may break. */
function wordsOf({ html }: Seen): string {
  return html.replaceAll('<wbr/>', '')
}

function codeOf(landed: Seen): string {
  return answerOf(landed).get('code') ?? ''
}

/** The fields of a form that is posted to the application. */
function fieldsOf({ html }: Seen): URLSearchParams {
  const inputs = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)
  return new URLSearchParams([...inputs].map(([, name = '', value = '']) => [name, value]))
}

/** What a consent must not change. */
function sessionsOf(userId: string) {
  return service.query<{ id: string; ended_at: Date | null }>(
    'select id, amr, authenticated_at, expires_at, ended_at from sessions where user_id = $1',
    [userId],
  )
}
