import { createServer } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { browserTool, hasTool } from '../debian-tools.js'
import { atFileEnd } from '../file-end.js'
import { openBrowser, type TestBrowser } from '../given/browser.js'
import { answerOf, callback, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { pkcePair, type Seen } from '../given/visitor.js'
import { authorizeGivenOf } from './authorize-given.js'
import { exchange } from './code-given.js'
import { listenUntilFileEnd } from '../given/loopback.js'

const service = await startService()
const client = await service.client()
const given = authorizeGivenOf(service, client)

const response_mode = 'form_post'

describe('response_mode=form_post', () => {
  test('answers with a form that goes to the redirect URI, and to its origin alone', async () => {
    const { verifier, challenge } = pkcePair()

    const { scene, landed } = await given.signIn(undefined, { response_mode, code_challenge: challenge })

    const { action, fields } = formOf(landed)
    expect([landed.status, landed.location, action]).toEqual([200, null, callback])
    expect(fields).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'state-1',
      iss: `${service.baseUrl}/t/${scene.org_domain}`,
    })
    expect(policyOf(landed)).toContain('; form-action https://store.example;')
    expect(policyOf(landed)).toContain("; frame-ancestors 'none';")
    expect(landed.headers.get('cache-control')).toBe('no-store')
    const { body } = await exchange(service, { code: fields['code'] ?? '', code_verifier: verifier })
    expect(body).toMatchObject({ token_type: 'Bearer' })
  })

  test('answers a browser that is signed in with the same form at once', async () => {
    const { scene, visitor } = await given.signIn()

    const landed = await visitor.request(given.authorizeUrl(scene, { response_mode, state: undefined }))

    const { action, fields } = formOf(landed)
    expect([landed.status, action, Object.keys(fields)]).toEqual([200, callback, ['code', 'iss']])
    expect(policyOf(landed)).toContain('; form-action https://store.example;')
  })

  test.each([
    ['a scope without openid', { scope: 'email' }, 'invalid_scope'],
    ['prompt none without a session', { prompt: 'none' }, 'login_required'],
    ['a parameter that nobody can read', { max_age: 'old' }, 'invalid_request'],
  ])('posts errors, too: %s', async (_, members, error) => {
    const scene = await given.scene()

    const seen = await given.visitorOf().request(given.authorizeUrl(scene, { response_mode, ...members }))

    const { action, fields } = formOf(seen)
    expect([seen.status, action]).toEqual([200, callback])
    expect(fields).toEqual({
      error,
      error_description: expect.stringMatching(/./),
      state: 'state-1',
      iss: `${service.baseUrl}/t/${scene.org_domain}`,
    })
  })

  test('has nothing in its page that a state, a redirect URI or a name has brought', async () => {
    const scene = await sceneAt('https://store.example/callback?a=%22%3E%3Cb%3E&amp=1&lt;=2')
    const state = `"><script>alert(1)</script>' onload=x`

    const seen = await given
      .visitorOf()
      .request(given.authorizeUrl(scene, { ...scene.members, response_mode, state, prompt: 'none' }))

    const { action, fields } = formOf(seen)
    expect([action, fields['state']]).toEqual([scene.members.redirect_uri, state])
    expect(seen.html.match(/<script/g)).toHaveLength(1)
    expect(seen.html).not.toContain('<b>')
  })

  test('is refused, by a redirect, where the redirect URI is of an app’s own scheme', async () => {
    const scene = await sceneAt('com.example.store:/callback', 'ios')

    const seen = await given
      .visitorOf()
      .request(given.authorizeUrl(scene, { ...scene.members, response_mode }))

    expect(seen.location).toMatch(/^com\.example\.store:\/callback\?error=invalid_request&/)
    expect(seen.location).toContain('form_post+needs')
  })

  test('is of no effect where it comes twice, since nobody can tell which one is meant', async () => {
    const scene = await given.scene()
    const url = given.authorizeUrl(scene, { response_mode })

    const seen = await given.visitorOf().request(`${url}&response_mode=query`)

    expect(answerOf(seen).get('error')).toBe('invalid_request')
  })
})

describe.skipIf(!hasTool(browserTool))('in a browser', () => {
  let browser: TestBrowser
  let storefront: Awaited<ReturnType<typeof startStorefront>>
  beforeAll(async () => {
    browser = await openBrowser()
    atFileEnd(() => browser.close())
    storefront = await startStorefront()
  })

  test('the form is submitted by itself, and with a button where no scripts run', async () => {
    const scene = await sceneAt(storefront.callback)
    const url = given.authorizeUrl(scene, { ...scene.members, response_mode, state: `"'<>&` })
    for (const javaScriptEnabled of [true, false]) {
      const page = await browser.newPage({ javaScriptEnabled, locale: 'en-US' })
      await page.goto(url)
      await page.locator('input[type=email]').fill(scene.user.email)
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.locator('input[type=password]').fill(goodPassword)
      await page.getByRole('button', { name: 'Sign in' }).click()
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click()
      await page.waitForURL(`${storefront.callback}**`)
      await page.close()
    }

    const answers = storefront.posted.map((body) => Object.fromEntries(new URLSearchParams(body)))
    expect(answers).toEqual(
      [1, 2].map(() => ({
        code: expect.stringMatching(/^[\w-]{43}$/),
        state: `"'<>&`,
        iss: `${service.baseUrl}/t/${scene.org_domain}`,
      })),
    )
  })
})

/** A scene whose application has one redirect URI, with the parameters that name both. */
async function sceneAt(redirect_uri: string, application_type: 'ios' | 'react' = 'react') {
  const scene: FlowScene = await given.scene()
  const application = await service.given.application({
    org_domain: scene.org_domain,
    organization_domain_scope: scene.org_domain,
    allowed_redirect_urls: [redirect_uri],
    application_type,
  })
  return { ...scene, application, members: { redirect_uri } }
}

/** The form of a page, as a browser would read it. */
function formOf({ html }: Seen): { action: string; fields: Record<string, string> } {
  const [, action = ''] = /<form method="post" action="([^"]*)"/.exec(html) ?? []
  const inputs = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return {
    action: unescaped(action),
    fields: Object.fromEntries(
      inputs.map(([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
    ),
  }
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

function policyOf({ headers }: Seen): string {
  return headers.get('content-security-policy') ?? ''
}

/** An application on another origin, which keeps what is posted to it. */
async function startStorefront() {
  const posted: string[] = []
  const server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk) => (body += chunk))
    req.on('end', () => {
      if (req.method === 'POST') posted.push(body)
      res.setHeader('content-type', 'text/html').end('<!doctype html><title>store</title>')
    })
  })
  const port = await listenUntilFileEnd(server)
  return { posted, callback: `http://127.0.0.1:${port}/callback` }
}
