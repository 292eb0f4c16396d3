import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { build } from 'esbuild'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../given/browser.js'
import { browserTool, hasTool } from '../debian-tools.js'
import { callback, flowGivenOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

const scope = 'openid email offline_access'

/** Signs in on the pages, from the authorization URL of a library to the redirect that it parses. */
async function throughThePages(scene: FlowScene, url: URL): Promise<URL> {
  const visitor = given.visitorOf()
  const asked = await visitor.press(await visitor.visit(url.href), 'identify', { email: scene.user.email })
  const { location } = await visitor.press(asked, 'password', { password: goodPassword })
  return new URL(location ?? '')
}

/** The same answer with one parameter changed. */
function withParameter(url: URL, name: string, value: string | undefined): URL {
  const changed = new URL(url)
  if (value === undefined) changed.searchParams.delete(name)
  else changed.searchParams.set(name, value)
  return changed
}

describe('openid-client, which checks every signature', () => {
  async function begin(scene: FlowScene) {
    const issuer = new URL(`${service.baseUrl}/t/${scene.org_domain}`)
    const config = await openid.discovery(issuer, scene.application.client_id, undefined, openid.None(), {
      // The service under test uses http on this machine.
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    })
    const checks = {
      pkceCodeVerifier: openid.randomPKCECodeVerifier(),
      expectedNonce: openid.randomNonce(),
      expectedState: openid.randomState(),
      idTokenExpected: true,
    }
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: callback,
      scope,
      state: checks.expectedState,
      nonce: checks.expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
      code_challenge_method: 'S256',
    })
    return { config, checks, url }
  }

  test('signs in, reads who it is, refreshes, and gives the token back', async () => {
    const scene = await given.scene()
    const { config, checks, url } = await begin(scene)

    const tokens = await openid.authorizationCodeGrant(config, await throughThePages(scene, url), checks)
    const person = await openid.fetchUserInfo(config, tokens.access_token, tokens.claims()?.sub ?? '')
    const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    await openid.tokenRevocation(config, refreshed.refresh_token ?? '')

    expect(tokens.claims()).toMatchObject({ sub: scene.user.id, nonce: checks.expectedNonce })
    expect(person).toMatchObject({ sub: scene.user.id, email: scene.user.email })
    expect(refreshed.claims()?.sub).toBe(scene.user.id)
    await expect(openid.refreshTokenGrant(config, refreshed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test.each<[string, (answer: URL) => URL]>([
    ['another state', (answer) => withParameter(answer, 'state', 'another')],
    ['no state', (answer) => withParameter(answer, 'state', undefined)],
    ['another issuer (RFC 9207)', (answer) => withParameter(answer, 'iss', 'https://evil.example/t/store')],
    ['no issuer, which discovery has promised', (answer) => withParameter(answer, 'iss', undefined)],
  ])('refuses the answer with %s', async (_, change) => {
    const scene = await given.scene()
    const { config, checks, url } = await begin(scene)
    const answer = await throughThePages(scene, url)

    await expect(openid.authorizationCodeGrant(config, change(answer), checks)).rejects.toThrow()
    expect((await openid.authorizationCodeGrant(config, answer, checks)).access_token).toBeDefined()
  })

  test('refuses the tokens of another nonce, and gets none with another verifier', async () => {
    const scene = await given.scene()
    const first = await begin(scene)
    const second = await begin(scene)
    const [one, two] = [await throughThePages(scene, first.url), await throughThePages(scene, second.url)]

    await expect(
      openid.authorizationCodeGrant(first.config, one, { ...first.checks, expectedNonce: 'another' }),
    ).rejects.toThrow('unexpected JWT claim value')
    await expect(
      openid.authorizationCodeGrant(second.config, two, {
        ...second.checks,
        pkceCodeVerifier: first.checks.pkceCodeVerifier,
      }),
    ).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('is told what is wrong with a request, in the form that it reads', async () => {
    const scene = await given.scene()
    const { config, checks, url } = await begin(scene)
    url.searchParams.set('prompt', 'none')
    const { location } = await given.visitorOf().request(url.href)

    await expect(
      openid.authorizationCodeGrant(config, new URL(location ?? ''), checks),
    ).rejects.toMatchObject({ error: 'login_required' })
  })
})

describe('oauth4webapi', () => {
  test('signs in, with every check of the answer that it has', async () => {
    const scene = await given.scene()
    const insecure = { [oauth.allowInsecureRequests]: true }
    const issuer = new URL(`${service.baseUrl}/t/${scene.org_domain}`)
    const discovered = await oauth.discoveryRequest(issuer, insecure)
    const server = await oauth.processDiscoveryResponse(issuer, discovered)
    const application = { client_id: scene.application.client_id }
    const [verifier, state, nonce] = [
      oauth.generateRandomCodeVerifier(),
      oauth.generateRandomState(),
      oauth.generateRandomNonce(),
    ]
    const url = new URL(server.authorization_endpoint ?? '')
    url.search = new URLSearchParams({
      client_id: application.client_id,
      redirect_uri: callback,
      response_type: 'code',
      scope,
      state,
      nonce,
      max_age: '300',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString()

    const answer = await throughThePages(scene, url)
    const parameters = oauth.validateAuthResponse(server, application, answer, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      application,
      oauth.None(),
      parameters,
      callback,
      verifier,
      insecure,
    )
    const tokens = await oauth.processAuthorizationCodeResponse(server, application, response, {
      expectedNonce: nonce,
      maxAge: 300,
      requireIdToken: true,
    })
    await oauth.validateApplicationLevelSignature(server, response, insecure)

    expect(oauth.getValidatedIdTokenClaims(tokens)?.sub).toBe(scene.user.id)
  })
})

describe.skipIf(!hasTool(browserTool))('oidc-client-ts, in a page of another origin', () => {
  let origin: string
  let stop: () => void

  beforeAll(async () => {
    const script = await build({
      stdin: {
        contents: `import { UserManager } from 'oidc-client-ts'; window.UserManager = UserManager`,
        resolveDir: import.meta.dirname,
      },
      bundle: true,
      format: 'iife',
      write: false,
    })
    const server = createServer((req, res) => {
      if (req.url === '/app.js')
        res.setHeader('content-type', 'text/javascript').end(script.outputFiles[0]?.text)
      else res.setHeader('content-type', 'text/html').end('<!doctype html><script src="/app.js"></script>')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    // A listening TCP server has an address with a port.
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    stop = () => server.close()
  })

  afterAll(() => stop())

  /** Runs the library in a script of the page, like an application. */
  function inPage(page: Page, scene: FlowScene, expression: string): Promise<unknown> {
    const settings = {
      authority: `${service.baseUrl}/t/${scene.org_domain}`,
      client_id: scene.application.client_id,
      redirect_uri: `${origin}/callback`,
      scope,
      loadUserInfo: true,
    }
    return page.evaluate(`(async () => {
      const manager = new UserManager(${JSON.stringify(settings)})
      return ${expression}
    })()`)
  }

  test('signs in across origins, reads who it is, and refreshes', async () => {
    const scene = await given.scene()
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      allowed_redirect_urls: [`${origin}/callback`],
      allowed_origins_cors: [origin],
      allowed_web_origins: [origin],
    })
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(origin)
      await inPage(page, scene, `void manager.signinRedirect({ state: 'where I was' })`)
      await page.fill('input[name=email]', scene.user.email)
      await page.click('button[value=identify]')
      await page.fill('input[name=password]', goodPassword)
      await page.click('button[value=password]')
      await page.waitForURL(`${origin}/callback?*`)

      const signedIn = await inPage(page, scene, `(await manager.signinRedirectCallback()).toStorageString()`)
      const refreshed = await inPage(page, scene, `(await manager.signinSilent()).profile.sub`)
      await page.goto(origin)
      await inPage(page, scene, `void manager.signinRedirect()`)
      await page.waitForURL(`${origin}/callback?*`)
      const again = await inPage(page, scene, `(await manager.signinRedirectCallback()).profile.sub`)

      expect(JSON.parse(String(signedIn))).toMatchObject({
        profile: { sub: scene.user.id, email: scene.user.email },
        refresh_token: expect.any(String),
      })
      expect([refreshed, again]).toEqual([scene.user.id, scene.user.id])
    } finally {
      await browser.close()
    }
  })
})
