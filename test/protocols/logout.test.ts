import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { startService } from '../given/harness.js'
import { codeGivenOf, type CodeGiven, type Scene } from './code-given.js'
import { forgeriesOf, resigned } from './forged-tokens.js'
import { refreshGivenOf, refusedRefresh } from './refresh-given.js'
import { claimsOf } from '../given/claims.js'

const service = await startService()
const client = await service.client()
const codes = codeGivenOf(service, client)
const given = refreshGivenOf(service, codes)

const afterwards = 'https://store.example/bye'

/** A user signed in in a browser, with the session cookie. */
interface Visit extends Scene {
  readonly idToken: string
  readonly refreshToken: string
  readonly sessionId: string
  readonly cookie: string
}

async function visit(members: Parameters<CodeGiven['scene']>[0] = {}): Promise<Visit> {
  return visitOf(await codes.scene({ allowed_logout_urls: [afterwards, `${afterwards}?x=1`], ...members }))
}

async function visitOf(scene: Scene): Promise<Visit> {
  const { idToken, refreshToken } = await given.tokens(scene)
  const sessionId = String(claimsOf(idToken)['sid'])
  const secret = randomBytes(32).toString('base64url')
  // The state of session and browser after a sign-in on the hosted pages.
  await service.query('update sessions set secret_hash = $1 where id = $2', [
    createHash('sha256').update(secret).digest(),
    sessionId,
  ])
  const { id } = await client.organizations.get({ org_domain: scene.org_domain })
  const digest = createHash('sha256').update(`${id}sandbox`).digest('hex').slice(0, 12)
  return { ...scene, idToken, refreshToken, sessionId, cookie: `portico-session-${digest}=${secret}` }
}

function addressOf({ org_domain }: Pick<Scene, 'org_domain'>, parameters: Record<string, string> = {}) {
  const query = new URLSearchParams(parameters).toString()
  return `${service.baseUrl}/t/${org_domain}/logout${query === '' ? '' : `?${query}`}`
}

async function open(
  scene: Pick<Scene, 'org_domain'>,
  parameters: Record<string, string> = {},
  { cookie, method = 'GET' }: { cookie?: string; method?: string } = {},
) {
  const answer = await fetch(addressOf(scene, parameters), {
    method,
    redirect: 'manual',
    headers: { accept: 'text/html', ...(cookie !== undefined && { cookie }) },
  })
  const { status, headers } = answer
  return { status, headers, location: headers.get('location'), page: await answer.text() }
}

async function isLive({ sessionId }: Pick<Visit, 'sessionId'>): Promise<boolean> {
  const rows = await service.query('select 1 from sessions where id = $1 and ended_at is null', [sessionId])
  return rows.length > 0
}

/** Presses the button of the confirmation page. */
async function press(
  page: Awaited<ReturnType<typeof open>>,
  cookie: string,
  { fields = {}, headers = {} }: { fields?: Record<string, string>; headers?: Record<string, string> } = {},
) {
  const action = /<form[^>]*action="([^"]+)"/.exec(page.page)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.page)?.[1] ?? ''
  const flowCookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
  const answer = await fetch(new URL(action, service.baseUrl), {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: service.baseUrl, cookie: `${cookie}; ${flowCookie}`, ...headers },
    body: new URLSearchParams({ action: 'sign_out', csrf, ...fields }),
  })
  const { status, headers: answered } = answer
  return { status, headers: answered, location: answered.get('location'), page: await answer.text() }
}

test('the logo of the organization is loaded by the page that asks, by the one that says so, and by a refusal', async () => {
  const scene = await visit()
  const logo = 'https://logo.example/wide.svg'
  await client.organizations.update({ org_domain: scene.org_domain, inline_logo_url: logo })

  const asks = await open(scene, {}, scene)
  const refusal = await open(scene, { client_id: 'unknown' })
  const says = await press(asks, scene.cookie)

  expect([asks, says, refusal].map(({ status }) => status)).toEqual([200, 200, 400])
  for (const { page, headers } of [asks, says, refusal]) {
    expect(page).toContain(logo)
    expect(headers.get('content-security-policy')).toContain("img-src 'self' data: https://logo.example;")
  }
})

describe('logout by an application (OpenID Connect RP-Initiated Logout)', () => {
  test('303: with the ID token of the session it ends at once, and the browser goes where the application wants', async () => {
    const seen = await visit()

    const answer = await open(
      seen,
      { id_token_hint: seen.idToken, post_logout_redirect_uri: afterwards, state: 's&1' },
      { cookie: seen.cookie },
    )

    expect([answer.status, answer.location]).toEqual([303, `${afterwards}?state=s%261`])
    expect(answer.headers.get('set-cookie')).toMatch(
      /^portico-session-[0-9a-f]{12}=; Path=\/; Max-Age=0; HttpOnly/,
    )
    expect(await isLive(seen)).toBe(false)
    expect((await given.refresh(seen, seen.refreshToken)).body).toEqual(refusedRefresh)
    expect((await given.logged(seen.org_domain)).map(([code]) => code)).toContain('END_USER_SIGNED_OUT')
    const events = await service.query<{ data: { id: string }; actor_type: string; actor_id: string }>(
      `select data, actor_type, actor_id from events where code = 'user.session.end.success' and domain = $1`,
      [seen.org_domain],
    )
    expect(events).toMatchObject([
      { data: { id: seen.sessionId }, actor_type: 'user', actor_id: seen.user.id },
    ])
  })

  longTest('303: the ID token may have expired, and the keys may have been replaced', async () => {
    const own = await startService()
    const ownCodes = codeGivenOf(own, await own.client())
    const scene = await ownCodes.scene({ allowed_logout_urls: [afterwards] })
    const { idToken } = await refreshGivenOf(own, ownCodes).tokens(scene)
    await own.clock.advance(20 * 24 * 60 * 60)
    await own.query(`update signing_keys set state = 'retired', retired_at = activated_at`)

    const query = new URLSearchParams({ id_token_hint: idToken, post_logout_redirect_uri: afterwards })
    const answer = await fetch(`${own.baseUrl}/t/${scene.org_domain}/logout?${query.toString()}`, {
      redirect: 'manual',
    })

    expect([answer.status, answer.headers.get('location')]).toEqual([303, afterwards])
  })

  test('303: keeps the query of the address that is registered', async () => {
    const seen = await visit()
    const parameters = {
      id_token_hint: seen.idToken,
      post_logout_redirect_uri: `${afterwards}?x=1`,
      state: 's',
    }

    expect((await open(seen, parameters, { cookie: seen.cookie })).location).toBe(`${afterwards}?x=1&state=s`)
  })

  test('200: without an address a page says that it is done', async () => {
    const seen = await visit()

    const { status, page } = await open(seen, { id_token_hint: seen.idToken }, { cookie: seen.cookie })

    expect([status, await isLive(seen)]).toEqual([200, false])
    expect(page).toContain('<h1')
  })

  test('303: a form is taken on to the address, with which the browser sends its cookie', async () => {
    const seen = await visit()
    const answer = await fetch(addressOf(seen), {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: 'https://store.example' },
      body: new URLSearchParams({
        id_token_hint: seen.idToken,
        post_logout_redirect_uri: afterwards,
        unknown: 'x',
      }),
    })
    const location = new URL(answer.headers.get('location') ?? '', service.baseUrl)

    expect([answer.status, location.pathname]).toEqual([303, `/t/${seen.org_domain}/logout`])
    expect(await isLive(seen)).toBe(true)
    const followed = await open(seen, Object.fromEntries(location.searchParams), { cookie: seen.cookie })
    expect([followed.location, await isLive(seen)]).toEqual([afterwards, false])
  })

  test('303: a user who signed in by the API, and whom no browser knows, is signed out by the ID token alone', async () => {
    const scene = await codes.scene({ allowed_logout_urls: [afterwards] })
    const { idToken, refreshToken } = await given.tokens(scene)

    const answer = await open(scene, { id_token_hint: idToken, post_logout_redirect_uri: afterwards })

    expect(answer.location).toBe(afterwards)
    expect((await given.refresh(scene, refreshToken)).body).toEqual(refusedRefresh)
  })

  test('303: where nobody is signed in there is nothing to ask', async () => {
    const seen = await visit()
    const { client_id } = seen.application

    const answer = await open(seen, { client_id, post_logout_redirect_uri: afterwards })

    expect([answer.status, answer.location, await isLive(seen)]).toEqual([303, afterwards, true])
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  test('an ID token does not end the session of a browser that is not there', async () => {
    const seen = await visit()

    await open(seen, { id_token_hint: seen.idToken })

    expect(await isLive(seen)).toBe(true)
  })
})

describe('logout asks', () => {
  test('without an ID token, and ends the session when the button is pressed', async () => {
    const seen = await visit()
    const { client_id } = seen.application
    const page = await open(
      seen,
      { client_id, post_logout_redirect_uri: afterwards, state: 's' },
      { cookie: seen.cookie },
    )
    expect([page.status, await isLive(seen)]).toEqual([200, true])
    // Browsers apply form-action to the redirect that follows.
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' https://store.example`)

    const answer = await press(page, seen.cookie)

    expect([answer.status, answer.location]).toEqual([303, `${afterwards}?state=s`])
    expect(answer.headers.get('set-cookie')).toContain('Max-Age=0')
    expect(await isLive(seen)).toBe(false)
  })

  test('whoever comes by themselves, and says that it is done', async () => {
    const seen = await visit()
    const page = await open(seen, {}, { cookie: seen.cookie })

    const answer = await press(page, seen.cookie)

    expect([page.status, answer.status, await isLive(seen)]).toEqual([200, 200, false])
  })

  test('with an ID token of another session, of the same user or of another one', async () => {
    const seen = await visit()
    const again = await visitOf(seen)
    const other = await visitOf({
      ...seen,
      user: await service.given.user({ org_domain: seen.org_domain }),
    })

    for (const { idToken } of [again, other]) {
      const { status, page } = await open(seen, { id_token_hint: idToken }, { cookie: seen.cookie })
      expect([status, page.includes('name="csrf"')]).toEqual([200, true])
    }
    expect([await isLive(seen), await isLive(again), await isLive(other)]).toEqual([true, true, true])
  })

  test('and is not answered by another site, by another browser, or with a form of another session', async () => {
    const seen = await visit()
    const other = await visitOf({
      ...seen,
      user: await service.given.user({ org_domain: seen.org_domain }),
    })
    const page = await open(seen, {}, { cookie: seen.cookie })
    const theirs = await open(other, {}, { cookie: other.cookie })
    const csrfOfTheirs = /name="csrf" value="([^"]+)"/.exec(theirs.page)?.[1] ?? ''
    const withoutFlow = { ...page, headers: new Headers() }

    const answers = [
      await press(page, seen.cookie, { headers: { origin: 'https://evil.example' } }),
      await press(page, seen.cookie, { headers: { origin: 'null' } }),
      await press(withoutFlow, seen.cookie),
      await press(page, seen.cookie, { fields: { csrf: csrfOfTheirs } }),
      await press(page, seen.cookie, { fields: { csrf: '' } }),
      await press(page, other.cookie),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403])
    expect([await isLive(seen), await isLive(other)]).toEqual([true, true])
  })

  test('and another site’s form, which comes without cookies, takes none of them away', async () => {
    const seen = await visit()
    const { client_id } = seen.application

    const answer = await fetch(addressOf(seen, { client_id }), {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ action: 'sign_out' }),
    })

    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([303, null])
    expect(answer.headers.get('location')).toBe(`/t/${seen.org_domain}/logout?client_id=${client_id}`)
    const followed = await open(seen, { client_id }, { cookie: seen.cookie })
    expect([followed.status, await isLive(seen)]).toEqual([200, true])
  })

  test('once: a button that is pressed when it is over says so', async () => {
    const seen = await visit()
    const page = await open(seen, {}, { cookie: seen.cookie })
    await press(page, seen.cookie)

    const again = await press(page, '')

    expect([again.status, again.location]).toEqual([303, `/t/${seen.org_domain}/logout`])
    expect((await open(seen)).status).toBe(200)
  })

  test('nobody who only looks', async () => {
    const seen = await visit()

    const answer = await open(seen, { id_token_hint: seen.idToken }, { cookie: seen.cookie, method: 'HEAD' })

    expect([answer.status, await isLive(seen)]).toEqual([204, true])
  })
})

describe('logout is refused with a page, and nothing ends', () => {
  async function expectRefused(seen: Visit, parameters: Record<string, string>) {
    const answer = await open(seen, parameters, { cookie: seen.cookie })
    expect([parameters, answer.status, answer.location]).toEqual([parameters, 400, null])
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(await isLive(seen)).toBe(true)
  }

  test('400: where the address afterwards is not one of the application’s, to the letter', async () => {
    const seen = await visit()
    const addresses = [
      `${afterwards}/`,
      `${afterwards}?y=1`,
      `${afterwards}#x`,
      'https://store.example/BYE',
      'https://store.example.evil.example/bye',
      'https://store.example@evil.example/bye',
      'https://store.example\\@evil.example/bye',
      '//evil.example',
      'javascript:alert(1)',
      'http://store.example/bye',
    ]

    for (const post_logout_redirect_uri of addresses)
      await expectRefused(seen, { id_token_hint: seen.idToken, post_logout_redirect_uri })
  })

  test('400: where no application is named, or another one than the ID token’s', async () => {
    const seen = await visit()
    const other = await visit()
    const post_logout_redirect_uri = afterwards
    const { client_id } = other.application

    await expectRefused(seen, { post_logout_redirect_uri })
    await expectRefused(seen, { client_id, post_logout_redirect_uri })
    await expectRefused(seen, { client_id: 'nonsense', post_logout_redirect_uri })
    await expectRefused(seen, { client_id, id_token_hint: seen.idToken, post_logout_redirect_uri })
  })

  test('400: with a hint that is no ID token of the organization', async () => {
    const seen = await visit()
    const other = await visit()
    const { accessToken, refreshToken } = await given.tokens(seen)
    const sample = await client.tokenCustomization.sample({ org_domain: seen.org_domain })
    const hints = [
      ...Object.values(await forgeriesOf(service, seen.idToken)),
      other.idToken,
      accessToken,
      refreshToken,
      sample.id_token_jwt,
      await service.token(),
      'nonsense',
      await resigned(service, accessToken, { header: { typ: 'JWT' } }),
      await resigned(service, seen.idToken, { claims: { jtt: 'access_token' } }),
      await resigned(service, seen.idToken, { claims: { dbs: 'production' } }),
      await resigned(service, seen.idToken, { claims: { iss: service.baseUrl } }),
    ]

    for (const id_token_hint of hints) await expectRefused(seen, { id_token_hint })
  })

  test('404: an organization that is not there, and 405: another method', async () => {
    const seen = await visit()

    expect((await open({ org_domain: 'no-such-organization' })).status).toBe(404)
    expect((await open(seen, {}, { method: 'PUT' })).status).toBe(405)
  })
})
