import { createHmac, generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { answerOf } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { ada, oidcGivenOf, type OidcScene } from '../given/oidc-given.js'
import { sendJson, startOpenIdProvider, type Forgery } from '../given/openid-provider.js'
import { createVisitor, type Seen } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = oidcGivenOf(service, client)
const scene = await given.scene()

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey

/** Expects that no user is signed in, and that the login attempt has the reason. */
async function expectRefused(landed: Seen, failed: string, of: OidcScene = scene): Promise<void> {
  expect([landed.status, landed.location]).toEqual([403, null])
  const { data } = await client.ssoConnections.listLoginTraces({ idp_id: of.connection.idp_id })
  expect(data[0]).toMatchObject({ outcome: 'failed', failed_check: failed, user_id: null })
}

describe('a state', () => {
  test('is good once, also for answers that come at the same moment', async () => {
    const { visitor, address } = await given.atProvider(scene)
    const back = scene.idp.approve(address, ada)

    const landed = await Promise.all(Array.from({ length: 10 }, () => visitor.request(back)))

    expect(landed.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(landed.filter(({ status }) => status === 403)).toHaveLength(9)
    const again = await visitor.request(scene.idp.approve(address, ada))
    await expectRefused(again, 'oidc_state')
  })

  test('is of one connection, whose address alone takes it', async () => {
    const other = await given.scene()
    const { visitor, address } = await given.atProvider(scene)
    const { address: otherAddress } = await given.atProvider(other, {}, visitor)

    const back = new URL(scene.idp.approve(address, ada))
    back.pathname = new URL(other.connection.oidc_redirect_uri).pathname
    await expectRefused(await visitor.request(back.href), 'oidc_state', other)

    // The same browser, with the code of one sign-in and the state of another.
    const swapped = new URL(scene.idp.approve(address, ada))
    swapped.searchParams.set('state', new URL(otherAddress).searchParams.get('state') ?? '')
    await expectRefused(await visitor.request(swapped.href), 'oidc_state')
  })

  test.each(['', 'x', '%00', 'a'.repeat(5_000)])('that nobody has made is refused: %#', async (state) => {
    const path = new URL(scene.connection.oidc_redirect_uri).pathname
    const landed = await createVisitor(service.baseUrl).request(`${path}?code=c&state=${state}`)
    await expectRefused(landed, 'oidc_state')
  })

  test('is over after ten minutes', async () => {
    const { visitor, address } = await given.atProvider(scene)
    const back = scene.idp.approve(address, ada)
    await service.clock.advance(601)
    await expectRefused(await visitor.request(back), 'oidc_state')
  })

  test('of another browser signs nobody in, neither there nor here', async () => {
    const { visitor, address } = await given.atProvider(scene)
    const back = scene.idp.approve(address, ada)

    const victim = createVisitor(service.baseUrl)
    await given.atProvider(scene, {}, victim)
    await expectRefused(await victim.request(back), 'oidc_browser')
    expect(victim.sessionSecret()).toBeUndefined()
    await expectRefused(await visitor.request(back), 'oidc_state')
  })

  test('is not spent by what a browser loads ahead', async () => {
    const { visitor, address } = await given.atProvider(scene)
    const back = scene.idp.approve(address, ada)
    const ahead = await visitor.request(back, { headers: { 'sec-purpose': 'prefetch' } })
    expect(ahead.status).toBe(204)
    expect(answerOf(await visitor.visit(back)).get('code')).toMatch(/./)
  })
})

describe('a code', () => {
  test('of another sign-in of the same browser is refused', async () => {
    const { visitor, address } = await given.atProvider(scene)
    const { address: second } = await given.atProvider(scene, {}, createVisitor(service.baseUrl))
    const stolen = new URL(scene.idp.approve(second, ada)).searchParams.get('code') ?? ''
    const back = scene.idp.approve(address, ada, { parameters: { code: stolen } })
    await expectRefused(await visitor.request(back), 'oidc_token')
  })

  test('is told of where it is refused, also after strangers have sent 200 answers to nothing', async () => {
    const of = await given.scene()
    const { idp_id } = of.connection
    await createVisitor(service.baseUrl).request(new URL(of.connection.oidc_redirect_uri).pathname)
    await service.query(
      `insert into sso_login_traces (account_id, environment, organization_id, connection_id, id, kind, outcome, checks,
         failed_check, request_id, inserted_at)
       select account_id, environment, organization_id, connection_id, gen_random_uuid(), kind, outcome, checks,
         failed_check, request_id, inserted_at
       from sso_login_traces cross join generate_series(1, 200)
       where connection_id = (select id from sso_connections where idp_id = $1)`,
      [idp_id],
    )
    const { visitor, address } = await given.atProvider(of)
    const back = of.idp.approve(address, ada, { parameters: { code: 'of nothing' } })
    await expectRefused(await visitor.request(back), 'oidc_token', of)
  })

  test('of another provider is not sent to this one, where the provider says who it is', async () => {
    const { visitor, address } = await given.atProvider(scene)
    const before = scene.idp.asked.filter((path) => path === '/token').length
    const back = scene.idp.approve(address, ada, { parameters: { iss: 'https://evil.example' } })
    await expectRefused(await visitor.request(back), 'oidc_issuer_parameter')
    expect(scene.idp.asked.filter((path) => path === '/token')).toHaveLength(before)
  })

  test('without iss is refused where the provider always sends it', async () => {
    const idp = await startOpenIdProvider(service.clock)
    const discovery = idp.discovery({ authorization_response_iss_parameter_supported: true })
    idp.answer('/.well-known/openid-configuration', (res) => sendJson(res, discovery))
    const of = { ...scene, ...(await given.connect(scene, {}, idp)) }

    const refused = await given.signIn(of)
    await expectRefused(refused.landed, 'oidc_issuer_parameter', of)
    const { landed } = await given.signIn(
      of,
      { ...ada, sub: 'iss-1', email: 'iss@awesome.example' },
      {
        parameters: { iss: idp.issuer },
      },
    )
    expect(landed.status).toBe(303)
  })

  test.each<[string, Forgery['parameters']]>([
    ['an error', { code: undefined, error: 'access_denied', error_description: 'not\0 assigned \u{1F600}' }],
    ['a code and an error', { error: 'access_denied' }],
    ['neither', { code: undefined }],
  ])('is what an answer has to have: %s is refused', async (_what, parameters) => {
    const { landed } = await given.signIn(scene, ada, { parameters })
    await expectRefused(landed, 'oidc_answer')
  })
})

describe('an answer that is refused', () => {
  test('429: is counted by network and connection, but for what the provider has refused in a sign-in of this browser', async () => {
    const limited = await startService({ variables: { SAML_FAILURES_PER_IP: '3' } })
    const there = oidcGivenOf(limited, await limited.client())
    const of = await there.scene()
    const cancelled = async (state?: string) => {
      const { address, visitor } = await there.atProvider(of)
      const refusal = { code: undefined, error: 'access_denied', ...(state !== undefined && { state }) }
      return visitor.visit(of.idp.approve(address, ada, { parameters: refusal }))
    }

    for (let count = 0; count < 5; count++) expect((await cancelled()).status).toBe(403)
    const statuses: number[] = []
    for (let count = 0; count < 4; count++) statuses.push((await cancelled('made-up')).status)
    expect(statuses).toEqual([403, 403, 403, 429])
    expect((await cancelled()).status).toBe(429)
    const logged = await limited.query(
      `select from log_events where event_code = 'SSO_END_USER_OIDC_FAILED' and reason = 'rate_limited'`,
    )
    expect(logged).toHaveLength(1)
  }, 30_000)
})

describe('an ID token', () => {
  const seconds = () => Math.floor(service.clock.now().getTime() / 1000)
  const hs256 = (key: string) => (claims: object) => {
    const input = `${base64url({ alg: 'HS256', kid: 'key-1' })}.${base64url(claims)}`
    return `${input}.${createHmac('sha256', key).update(input).digest('base64url')}`
  }
  const forged: [string, () => Forgery][] = [
    ['with another nonce', () => ({ claims: { nonce: 'other' } })],
    ['without a nonce', () => ({ claims: { nonce: undefined } })],
    ['for another client', () => ({ claims: { aud: 'other' } })],
    [
      'for another client as well, whose azp it is',
      () => ({ claims: { aud: [scene.idp.client.id, 'other'], azp: 'other' } }),
    ],
    ['of another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['without an issuer', () => ({ claims: { iss: undefined } })],
    ['that has expired', () => ({ claims: { exp: seconds() - 121 } })],
    ['that does not expire', () => ({ claims: { exp: undefined } })],
    ['that begins later', () => ({ claims: { nbf: seconds() + 125 } })],
    ['without a sub', () => ({ claims: { sub: undefined } })],
    ['whose sub is a number', () => ({ claims: { sub: 7 } })],
    [
      'that nobody has signed',
      () => ({ idToken: (claims) => `${base64url({ alg: 'none' })}.${base64url(claims)}.` }),
    ],
    ['signed by our secret', () => ({ idToken: hs256(scene.idp.client.secret) })],
    [
      'signed by the public key as a secret',
      () => ({ idToken: hs256(scene.idp.publicKey.export({ type: 'spki', format: 'pem' }).toString()) }),
    ],
    [
      'signed by a key of a stranger',
      () => ({
        idToken: (claims) =>
          new SignJWT({ ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(stranger),
      }),
    ],
    [
      'altered after it was signed',
      () => ({
        idToken: async (claims) => {
          const [header, , signature] = (await scene.idp.sign(claims)).split('.')
          return `${header}.${base64url({ ...claims, sub: 'grace-1' })}.${signature}`
        },
      }),
    ],
    ['that is no token', () => ({ idToken: () => 'x' })],
  ]
  const typed = (typ: string) => () => ({
    idToken: (claims: Readonly<Record<string, unknown>>) => scene.idp.sign(claims, { typ }),
  })
  const misused: [string, string, () => Forgery][] = [
    ['that is a logout token', 'oidc_token_type', typed('logout+jwt')],
    ['that is an access token', 'oidc_token_type', typed('application/at+jwt')],
    ['whose typ is empty', 'oidc_token_type', typed('')],
    ['whose azp is another client', 'oidc_authorized_party', () => ({ claims: { azp: 'other' } })],
    ['whose azp is no text', 'oidc_authorized_party', () => ({ claims: { azp: [scene.idp.client.id] } })],
    ['of the future', 'oidc_issued_at', () => ({ claims: { iat: seconds() + 125 } })],
    ['from before any open sign-in', 'oidc_issued_at', () => ({ claims: { iat: seconds() - 12 * 60 - 5 } })],
  ]

  test.each(forged)('%s signs nobody in', async (_what, forgery) => {
    const { landed, visitor } = await given.signIn(scene, ada, forgery())
    await expectRefused(landed, 'oidc_id_token')
    expect(visitor.sessionSecret()).toBeUndefined()
  })

  test.each(misused)('%s is refused: %s', async (_what, failed, forgery) => {
    const { landed, visitor } = await given.signIn(scene, ada, forgery())
    await expectRefused(landed, failed)
    expect(visitor.sessionSecret()).toBeUndefined()
  })

  test.each<[string, () => Forgery]>([
    ['typ JWT', typed('JWT')],
    ['typ application/jwt', typed('application/jwt')],
    ['azp of our client', () => ({ claims: { azp: scene.idp.client.id } })],
    // Entra sets iat five minutes into the past.
    ['iat of eleven minutes ago', () => ({ claims: { iat: seconds() - 11 * 60 } })],
  ])('may have %s', async (_what, forgery) => {
    const { landed } = await given.signIn(scene, ada, forgery())
    expect(answerOf(landed).get('code')).toMatch(/./)
  })

  test('signed by a key that the provider has withdrawn signs nobody in', async () => {
    const of = await given.scene()
    expect((await given.signIn(of)).landed.status).toBe(303)
    of.idp.answer('/keys', (res) => sendJson(res, { keys: [{ ...of.idp.publicJwk, kid: 'key-2' }] }))

    await expectRefused((await given.signIn(of)).landed, 'oidc_id_token', of)

    const { landed } = await given.signIn(of, ada, {
      idToken: (claims) => of.idp.sign(claims, { kid: 'key-2' }),
    })
    expect(landed.status).toBe(303)
  })

  test('that is right signs in, as those above are', async () => {
    const { landed } = await given.signIn(scene, ada)
    expect(answerOf(landed).get('code')).toMatch(/./)
  })

  test('may be two minutes off', async () => {
    const claims = { exp: seconds() - 100, nbf: seconds() + 100 }
    const { landed } = await given.signIn(scene, ada, { claims })
    expect(answerOf(landed).get('code')).toMatch(/./)
  })

  test.each(['', 'a'.repeat(256), 'a\0b', 'a\nb', '\ud800'])(
    'whose sub cannot be kept is refused: %#',
    async (sub) => {
      const { landed } = await given.signIn(scene, { ...ada, sub })
      expect(landed.status).toBe(403)
      expect((await given.lastTrace(scene)).failed_check).toMatch(/^oidc_(subject|id_token)$/)
    },
  )

  test('may say what the database cannot hold, and times that are none', async () => {
    const { landed } = await given.signIn(scene, {
      ...ada,
      name: 'a\0\ud800',
      'x\0': [{ deep: '\0' }],
      long: `${'x'.repeat(299)}\u{1F600}`,
      auth_time: 1e300,
      __proto__: { admin: true },
    })
    expect(answerOf(landed).get('code')).toMatch(/./)
  })
})

describe('a provider', () => {
  test.each<[string, string, number]>([
    ['invalid_client', 'oidc_token', 401],
    ['server_error', 'oidc_token', 500],
  ])('that answers %s signs nobody in', async (error, failed, status) => {
    const of = await given.scene()
    of.idp.answer('/token', (res) => sendJson(res, { error, error_description: 'says why' }, status))
    const { landed } = await given.signIn(of)
    await expectRefused(landed, failed, of)
    // A made-up code causes no further requests to the provider.
    expect(of.idp.asked).not.toContain('/keys')
  })

  test('that redirects, says too much, or hangs up is not followed', async () => {
    const inside = await startOpenIdProvider(service.clock)
    const of = await given.scene()
    const answers: Parameters<typeof of.idp.answer>[1][] = [
      (res) => void res.writeHead(307, { location: `${inside.issuer}/token` }).end(),
      (res) =>
        void res.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(300_000)}"`),
      (res) => void res.destroy(),
      (res) => void res.writeHead(204).end(),
      (res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('<p>'),
    ]
    for (const answer of answers) {
      of.idp.answer('/token', answer)
      const { landed } = await given.signIn(of)
      expect(landed.status).toBe(403)
      expect((await given.lastTrace(of)).failed_check).toMatch(/^oidc_(token|id_token)$/)
    }
    expect(inside.asked).toEqual([])
  })

  test('whose keys cannot be read signs nobody in', async () => {
    const of = await given.scene()
    of.idp.answer('/keys', (res) => void res.writeHead(500).end())
    const { landed } = await given.signIn(of)
    await expectRefused(landed, 'oidc_id_token', of)
  })

  test('that has gone is told in a trace, and nobody leaves for it', async () => {
    const of = await given.scene()
    of.idp.answer('/.well-known/openid-configuration', (res) => void res.writeHead(503).end())
    await service.clock.advance(301)
    const { sent } = await given.atProvider(of)
    await expectRefused(sent, 'oidc_discovery', of)
  })

  test('is told to the same connection alone: its secret goes to its token endpoint, in a header or in the form', async () => {
    const of = await given.scene()
    const { landed } = await given.signIn(of)
    expect(landed.status).toBe(303)
    const posting = await startOpenIdProvider(service.clock)
    const discovery = posting.discovery({ token_endpoint_auth_methods_supported: ['client_secret_post'] })
    posting.answer('/.well-known/openid-configuration', (res) => sendJson(res, discovery))
    const other = { ...of, ...(await given.connect(of, { email_domains: ['post.example'] }, posting)) }
    const posted = await given.signIn(other, { ...ada, email: 'ada@post.example' })
    expect(posted.landed.status).toBe(303)
  })

  test('speaks to the address of its own protocol', async () => {
    const saml = await client.ssoConnections.create({ organization_id: scene.organization_id })
    const visitor = createVisitor(service.baseUrl)
    for (const path of [
      `/oidc/${saml.idp_id}/callback?code=c&state=s`,
      '/oidc/nobody/callback?code=c&state=s',
    ])
      expect((await visitor.request(path)).status).toBe(404)
    const acs = await visitor.request(new URL(scene.connection.acs_url).pathname, {
      method: 'POST',
      body: new URLSearchParams({ SAMLResponse: 'PHg+' }),
    })
    expect(acs.status).toBe(404)
    const posted = await visitor.request(new URL(scene.connection.oidc_redirect_uri).pathname, {
      method: 'POST',
    })
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })
})
