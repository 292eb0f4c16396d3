import assert from 'node:assert/strict'
import { endpointOf, metadataOf, type Members } from './ask.js'
import {
  arrivalOf,
  assertError,
  assertErrorPage,
  assertPage,
  authorize,
  codeIn,
  exchange,
  freshTokens,
  hasField,
  idTokenOf,
  random,
  requestOf,
  signIn,
  tokensFor,
  userInfo,
} from './authorize.js'
import type { Check } from './check.js'
import { answersCode, refusesRequest } from './fault.js'
import { listOf } from './json.js'
import type { Scene } from './provider.js'

const core = (section: string) => `OpenID Connect Core ${section}`

/** The modules of the Basic OP plan about authorization requests. */
export const basicOpRequests: readonly Check[] = [
  {
    id: 'oidcc-response-type-missing',
    source: core('3.1.2.6'),
    level: 'must',
    needs: 'client',
    async run(at) {
      const arrival = await authorize(at, { response_type: undefined })
      if (arrival.answer === undefined) assertErrorPage(arrival)
      else assertError(arrival, 'invalid_request', 'unsupported_response_type')
    },
    fault: { at: 'authorization', redirect: { error: 'server_error' } },
  },
  {
    id: 'oidcc-ensure-request-without-nonce-succeeds-for-code-flow',
    source: core('3.1.2.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const claims = await idTokenOf(at, await tokensFor(at, { nonce: undefined }))
      assert.equal(claims['nonce'], undefined)
    },
    fault: { at: 'token', token: { name: 'id_token', claims: { nonce: 'planted' } } },
  },
  succeeding('oidcc-alternate-happy-flow', 'RFC 6749 3.3', async (at) => {
    const asked = await requestOf(at, { scope: 'email profile openid' })
    const url = new URL(await endpointOf(at, 'authorization'))
    for (const [name, value] of [...asked.parameters].toReversed()) url.searchParams.append(name, value)
    const seen = await at.signedIn().visit(url.href)
    return exchange(at, arrivalOf(at, asked, seen))
  }),
  showing('oidcc-display-page', core('15.1'), { display: 'page' }),
  showing('oidcc-display-popup', core('15.1'), { display: 'popup' }),
  showing('oidcc-ui-locales', core('15.1'), { ui_locales: 'se' }),
  succeeding('oidcc-claims-locales', core('15.1'), (at) => tokensFor(at, { claims_locales: 'se' })),
  succeeding('oidcc-ensure-request-with-unknown-parameter-succeeds', core('3.1.2.1'), (at) =>
    tokensFor(at, { extra: 'foobar' }),
  ),
  {
    id: 'oidcc-login-hint',
    source: core('15.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const browser = at.browser()
      const arrival = await authorize(at, { login_hint: at.user.email }, { browser })
      assertPage(arrival)
      assert.ok(arrival.seen.html.includes(at.user.email), 'the page does not know the hint')
      await idTokenOf(at, await exchange(at, await signIn(at, arrival, browser)))
    },
    fault: refusesRequest,
  },
  {
    id: 'oidcc-prompt-login',
    source: core('3.1.2.1'),
    level: 'must',
    isAlone: true,
    needs: 'user',
    async run(at) {
      const { first, second } = await askedAgain(at, { prompt: 'login' })
      assert.ok(Number(second['auth_time']) > Number(first['auth_time']), 'auth_time is not later')
    },
    fault: { ...answersCode, nth: 2 },
  },
  {
    id: 'oidcc-max-age-1',
    source: core('3.1.2.1'),
    level: 'must',
    isAlone: true,
    needs: 'user',
    async run(at) {
      const { first, second } = await askedAgain(at, { max_age: '1' })
      assert.ok(Number(second['auth_time']) > Number(first['auth_time']), 'auth_time is not later')
    },
    fault: { at: 'token', nth: 2, token: { name: 'id_token', claims: { auth_time: undefined } } },
  },
  {
    id: 'oidcc-max-age-10000',
    source: core('3.1.2.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const first = await freshTokens(at, { max_age: '15000' })
      const second = await tokensFor(at, { max_age: '10000' }, { browser: first.browser })
      const [before, after] = [await idTokenOf(at, first), await idTokenOf(at, second)]
      assert.equal(typeof before['auth_time'], 'number')
      assert.deepEqual([after['auth_time'], after.sub], [before['auth_time'], before.sub])
    },
    fault: { at: 'token', nth: 2, token: { name: 'id_token', claims: { auth_time: 1 } } },
  },
  {
    id: 'oidcc-prompt-none-not-logged-in',
    source: core('3.1.2.6'),
    level: 'must',
    needs: 'client',
    async run(at) {
      assertError(
        await authorize(at, { prompt: 'none' }),
        'login_required',
        'interaction_required',
        'account_selection_required',
        'consent_required',
      )
    },
    fault: answersCode,
  },
  {
    id: 'oidcc-prompt-none-logged-in',
    source: core('3.1.2.1'),
    level: 'must',
    needs: 'user',
    run: (at) => assertSameSignIn(at, () => Promise.resolve({ prompt: 'none' })),
    fault: { at: 'authorization', redirect: { code: null, error: 'login_required' } },
  },
  {
    id: 'oidcc-id-token-hint',
    source: core('3.1.2.1'),
    level: 'must',
    needs: 'user',
    run: (at) => assertSameSignIn(at, (hint) => Promise.resolve({ prompt: 'none', id_token_hint: hint })),
    fault: { at: 'token', nth: 2, token: { name: 'id_token', claims: { sub: 'planted' } } },
  },
  {
    id: 'core-3.1.2.1-prompt-none-alone',
    source: core('3.1.2.1'),
    level: 'must',
    needs: 'client',
    async run(at) {
      assertError(await authorize(at, { prompt: 'none login' }), 'invalid_request')
    },
    fault: answersCode,
  },
  {
    id: 'oidcc-ensure-request-with-acr-values-succeeds',
    source: core('3.1.2.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const values = listOf(await metadataOf(at), 'acr_values_supported')
      const claims = await idTokenOf(at, await tokensFor(at, { acr_values: values.join(' ') }))
      assert.ok(values.includes(String(claims['acr'])), `acr is ${String(claims['acr'])}`)
    },
    fault: { at: 'token', token: { name: 'id_token', claims: { acr: '0' } } },
  },
  {
    id: 'oidcc-ensure-registered-redirect-uri',
    source: core('3.1.2.1'),
    level: 'must',
    needs: 'client',
    async run(at) {
      assertErrorPage(await authorize(at, { redirect_uri: `${at.redirectUri}/unregistered` }))
    },
    fault: answersCode,
  },
  {
    id: 'oidcc-ensure-post-request-succeeds',
    source: core('3.1.2.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const browser = at.signedIn()
      const asked = await requestOf(at)
      const url = await endpointOf(at, 'authorization')
      // As a browser sends a form of another site: the redirect to itself carries the cookies.
      const posted = await at.browser().request(url, { method: 'POST', body: asked.parameters })
      const seen = posted.location === null ? posted : await browser.visit(new URL(posted.location, url).href)
      await idTokenOf(at, await exchange(at, arrivalOf(at, asked, seen)))
    },
    fault: { at: 'authorization', nth: 1, status: 405, headers: { location: null } },
  },
  {
    id: 'oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported',
    source: core('6.2'),
    level: 'must',
    needs: 'client',
    async run(at) {
      const arrival = await authorize(at, { request_uri: 'https://store.example/request.jwt' })
      assertError(arrival, 'request_uri_not_supported')
    },
    fault: answersCode,
  },
  {
    id: 'oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported',
    source: core('6.1'),
    level: 'must',
    needs: 'client',
    async run(at) {
      const { parameters } = await requestOf(at)
      assertError(await authorize(at, { request: unsigned(parameters) }), 'request_not_supported')
    },
    fault: answersCode,
  },
  {
    id: 'oidcc-ensure-request-object-with-redirect-uri',
    source: core('6.1'),
    level: 'must',
    needs: 'client',
    async run(at) {
      const { parameters } = await requestOf(at)
      const redirect_uri = `${at.redirectUri}/${random(8)}`
      assertErrorPage(await authorize(at, { request: unsigned(parameters), redirect_uri }))
    },
    fault: answersCode,
  },
  succeeding('oidcc-ensure-request-with-valid-pkce-succeeds', 'RFC 6749 3.1', async (at) => {
    const client = { ...at.client, isPkceOptional: false }
    return tokensFor(at, {}, { client })
  }),
  {
    id: 'core-3.1.2.1-prompt-consent',
    source: core('3.1.2.1'),
    level: 'should',
    needs: 'user',
    async run(at) {
      const browser = at.signedIn()
      assertPage(await authorize(at, { prompt: 'consent' }, { browser }))
      assert.ok(listOf(await metadataOf(at), 'prompt_values_supported').includes('consent'))
    },
    fault: answersCode,
  },
  {
    id: 'core-5.5-claims-malformed',
    source: core('5.5'),
    level: 'must',
    needs: 'client',
    async run(at) {
      assertError(await authorize(at, { claims: '{"userinfo":' }), 'invalid_request')
    },
    fault: answersCode,
  },
  {
    id: 'core-5.5.1-claims-sub',
    source: core('5.5.1'),
    level: 'must',
    needs: 'user',
    async run(at) {
      const claims = JSON.stringify({ id_token: { sub: { value: 'somebody-else' } } })
      const arrival = await authorize(at, { claims, prompt: 'none' }, { browser: at.signedIn() })
      assertError(arrival, 'login_required')
    },
    fault: answersCode,
  },
  {
    id: 'oauth-form-post-2',
    source: 'OAuth 2.0 Form Post Response Mode 2',
    level: 'must',
    needs: 'user',
    async run(at) {
      const asked = await requestOf(at, { response_mode: 'form_post' })
      const { status, html, location } = await at.signedIn().visit(asked.url)
      assert.deepEqual([status, location], [200, null])
      const form = /<form[^>]*>/.exec(html)?.[0] ?? ''
      assert.match(form, /method="post"/i)
      assert.ok(form.includes(`action="${at.redirectUri}"`), form)
      assert.match(html, /name="code" value="[^"]{22,}"/)
      assert.ok(html.includes(`name="state" value="${asked.state}"`), 'no state')
    },
    fault: { at: 'authorization', text: [/name="code"/, 'name="planted"'] },
  },
]

/** A module that passes where the request ends with tokens. */
function succeeding(id: string, source: string, tokens: (at: Scene) => ReturnType<typeof tokensFor>): Check {
  return {
    id,
    source,
    level: 'must',
    needs: 'user',
    run: async (at: Scene) => {
      assert.equal((await idTokenOf(at, await tokens(at))).sub, at.user.sub)
    },
    fault: { at: 'authorization', redirect: { code: null, error: 'invalid_request' } },
  }
}

/** A module about a parameter of the page, which is shown, and on which the user signs in. */
function showing(id: string, source: string, members: Members): Check {
  return {
    id,
    source,
    level: 'must',
    needs: 'user',
    run: async (at: Scene) => {
      const { accessToken } = await freshTokens(at, members)
      assert.equal((await userInfo(at, accessToken)).status, 200)
    },
    fault: refusesRequest,
  }
}

/** Two sign-ins in one browser, the second of which must ask for the password. */
async function askedAgain(at: Scene, members: Members) {
  const before = await freshTokens(at)
  const { browser } = before
  await at.advance(2)
  const arrival = await authorize(at, members, { browser })
  assertPage(arrival)
  const page = hasField(arrival.seen, 'password') || hasField(arrival.seen, 'email')
  assert.ok(page, 'the page asks for nothing')
  const after = await exchange(at, await signIn(at, arrival, browser))
  return { first: await idTokenOf(at, before), second: await idTokenOf(at, after) }
}

/** Two requests in one session: both answers are of one sign-in. */
async function assertSameSignIn(at: Scene, members: (idToken: string) => Promise<Members>): Promise<void> {
  const before = await tokensFor(at)
  const arrival = await authorize(at, await members(before.idToken), { browser: at.signedIn() })
  codeIn(arrival)
  const [first, second] = [await idTokenOf(at, before), await idTokenOf(at, await exchange(at, arrival))]
  assert.deepEqual([second.sub, second['auth_time']], [first.sub, first['auth_time']])
}

/** A request object without a signature. */
function unsigned(parameters: URLSearchParams): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(Object.fromEntries(parameters))}.`
}
