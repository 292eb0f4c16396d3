import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf, callback } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { leadOf, samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { requestIdIn, type Said } from '../given/saml-identity-provider.js'
import { createVisitor, pkcePair } from '../given/visitor.js'
import { exchange, exchangeLanded } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

const aCode = expect.stringMatching(/^[\w-]{43}$/)

/** Starts a sign-in at the portal of the identity provider. */
async function click(scene: SamlScene, said: Said = {}, visitor = createVisitor(service.baseUrl)) {
  const landed = await given.comeBack(scene, visitor, scene.idp.respond(scene.connection, said))
  return { visitor, landed }
}

async function usersOf({ org_domain }: SamlScene) {
  return (await client.users.list({ org_domain })).total
}

describe('a response that nobody asked for', () => {
  longTest('begins a sign-in, whose answer signs in: nobody comes in by the first one', async () => {
    const scene = await given.scene()
    const stranger = `eve@awesome.example`
    const { visitor, landed } = await click(scene, { nameId: stranger })

    expect([landed.status, landed.location]).toEqual([303, expect.stringContaining(scene.idp.ssoUrl)])
    expect(await usersOf(scene)).toBe(0)
    expect(await given.lastTrace(scene)).toMatchObject({
      kind: 'idp_initiated',
      outcome: 'success',
      user_id: null,
    })
    const requestId = requestIdIn(landed.location)
    const response = scene.idp.respond({ ...scene.connection, requestId })
    const signedIn = await given.comeBack(scene, visitor, response)
    expect(signedIn.location).toContain(`${callback}?code=`)
    await expect(
      client.users.getByEmail({ org_domain: scene.org_domain, user_email: stranger }),
    ).rejects.toThrow()
  })

  test('is not gone on with when the identity provider never answers what it is asked', async () => {
    const scene = await given.scene()
    const visitor = createVisitor(service.baseUrl)
    const seen: number[] = []
    for (let count = 0; count < 4; count++) seen.push((await click(scene, {}, visitor)).landed.status)

    expect(seen).toEqual([303, 303, 303, 403])
    expect(await given.lastTrace(scene)).toMatchObject({ outcome: 'failed', failed_check: 'unsolicited' })
    await service.clock.advance(60)
    expect((await click(scene, {}, visitor)).landed.status).toBe(303)
  })

  test('signs in where the connection accepts it, with a code that needs no verifier', async () => {
    const scene = await given.scene({ idp_initiated: 'accept' })
    const nameId = anyEmail()
    const { landed } = await click(scene, { nameId })

    const { body } = await exchange(service, {
      code: answerOf(landed).get('code') ?? '',
      client_id: scene.application.client_id,
    })
    expect(body).toMatchObject({ access_token: expect.any(String), scope: 'openid sso' })
    expect(await given.lastTrace(scene)).toMatchObject({
      kind: 'idp_initiated',
      outcome: 'success',
      email: nameId,
    })
  })

  test('leaves no sign-in begun where it is refused', async () => {
    const scene = await given.scene({ idp_initiated: 'accept' })
    const { landed } = await click(scene, { nameId: 'no address' })

    expect([landed.status, (await given.lastTrace(scene)).failed_check]).toEqual([403, 'email'])
    const flows = await service.query(
      `select from sign_in_flows as flow
        join sso_connections as connection on connection.id = flow.connection_id
        where connection.idp_id = $1`,
      [scene.connection.idp_id],
    )
    expect(flows).toHaveLength(0)
  })

  test('is accepted for two minutes, and once', async () => {
    const scene = await given.scene({ idp_initiated: 'accept' })
    const late = await click(scene, { issuedAt: -121 })
    expect([late.landed.status, (await given.lastTrace(scene)).failed_check]).toEqual([403, 'unsolicited'])

    const said = { issuedAt: -119, assertionId: '_once' }
    const first = await click(scene, said)
    const second = await click(scene, said)
    expect([answerOf(first.landed).get('code'), second.landed.status]).toEqual([aCode, 403])
    expect((await given.lastTrace(scene)).failed_check).toBe('replay')
  })

  test('is refused where the connection says so', async () => {
    const scene = await given.scene({ idp_initiated: 'reject' })
    const { landed } = await click(scene)
    expect([landed.status, (await given.lastTrace(scene)).failed_check]).toEqual([403, 'unsolicited'])
  })

  test('leads nowhere without a default redirection, or with one that the application does not allow any more', async () => {
    for (const idp_initiated of ['accept', 'bounce'] as const) {
      const without = await given.scene({ idp_initiated, application_id: undefined })
      const closed = await given.scene({ idp_initiated })
      await client.applications.update({
        org_domain: closed.org_domain,
        client_id: closed.application.client_id,
        allowed_redirect_urls: ['https://store.example/other'],
      })
      for (const scene of [without, closed]) {
        const { landed } = await click(scene)
        expect([landed.status, await usersOf(scene)]).toEqual([403, 0])
        expect((await given.lastTrace(scene)).failed_check).toBe('destination_application')
      }
    }
  })

  test('is not led anywhere by its RelayState', async () => {
    const scene = await given.scene({ idp_initiated: 'accept' })
    const hop = await given.post(scene, scene.idp.respond(scene.connection), {
      RelayState: 'https://evil.example/',
    })
    const landed = await createVisitor(service.baseUrl).visit(leadOf(hop))

    expect(hop.html).not.toContain('evil.example')
    expect(landed.location).toContain(`${callback}?code=`)
  })
})

describe('where it ends', () => {
  const initiate_login_uri = 'https://store.example/auth/sign-in?from=portal'
  type Changes = Partial<Parameters<typeof client.applications.update>[0]>

  const needed: readonly (readonly [string, Changes])[] = [
    ['PKCE', { code_exchange: 'pkce' }],
    ['client authentication', { application_type: 'node', client_authentication: 'secret' }],
    [
      'client authentication alone',
      { application_type: 'node', client_authentication: 'secret', pkce: 'optional' },
    ],
  ]

  /** A scene whose application has these settings, before its connection leads to it. */
  async function sceneWith(changes: Changes) {
    const scene = await given.scene({ idp_initiated: 'accept' })
    const { org_domain, application } = scene
    const { client_id } = application
    return { ...scene, application: await client.applications.update({ org_domain, client_id, ...changes }) }
  }

  async function logged({ org_domain }: SamlScene): Promise<string[]> {
    const { data } = await client.logEvents.list({ org_domain })
    return data.map(({ event_code }) => event_code)
  }

  async function codesOf({ application }: SamlScene): Promise<number> {
    const text = 'select from authorization_codes where application_id = $1'
    return (await service.query(text, [application.id])).length
  }

  test.each(needed)(
    'the application is asked to begin a sign-in, which the session answers at once: it needs %s',
    async (_what, changes) => {
      const scene = await sceneWith({ ...changes, initiate_login_uri })
      const nameId = anyEmail()
      const { landed, visitor } = await click(scene, { nameId })

      const asked = answerOf(landed)
      expect([landed.status, landed.location?.split('&iss=')[0]]).toEqual([303, initiate_login_uri])
      expect(Object.fromEntries(asked)).toEqual({
        from: 'portal',
        iss: `${service.baseUrl}/a/${service.account.domain}`,
        organization: scene.org_domain,
        login_hint: nameId,
      })
      expect(await codesOf(scene)).toBe(0)
      // The application goes by the discovery document of that issuer, as the standard has it.
      const discovery = await fetch(`${asked.get('iss')}/.well-known/openid-configuration`)
      const { issuer, authorization_endpoint } = (await discovery.json()) as Record<string, string>
      expect(issuer).toBe(asked.get('iss'))
      const { verifier, challenge } = pkcePair()
      const request = new URL(authorization_endpoint ?? '')
      const parameters = given.flows.parameters(scene, {
        code_challenge: challenge,
        organization: asked.get('organization') ?? '',
        login_hint: asked.get('login_hint') ?? '',
      })
      request.search = new URLSearchParams(parameters).toString()
      const answered = await visitor.request(request.href)
      expect(answerOf(answered).get('code')).toEqual(aCode)
      if (changes.client_authentication !== undefined) return
      const { body } = await exchangeLanded(service, answered, scene, verifier)
      expect(body).toMatchObject({ access_token: expect.any(String) })
    },
  )

  test('so it is after the way by our request, and for an application that would take a code', async () => {
    const scene = await sceneWith({ initiate_login_uri })
    const { idp_id } = scene.connection
    await client.ssoConnections.update({ idp_id, idp_initiated: 'bounce' })
    const { visitor, landed } = await click(scene)
    const requestId = requestIdIn(landed.location)

    const signedIn = await given.comeBack(
      scene,
      visitor,
      scene.idp.respond({ ...scene.connection, requestId }),
    )

    expect(signedIn.location).toContain(`${initiate_login_uri}&iss=`)
    expect(await codesOf(scene)).toBe(0)
  })

  test('the pages on the way let their forms lead there', async () => {
    const scene = await sceneWith({ initiate_login_uri: 'https://begin.example/' })
    const { idp_id } = scene.connection
    await client.ssoConnections.update({ idp_id, idp_initiated: 'bounce' })
    const { visitor } = await click(scene)
    const [flow] = await service.query<{ id: string }>(
      'select id from sign_in_flows where application_id = $1',
      [scene.application.id],
    )

    const { headers } = await visitor.visit(`/t/${scene.org_domain}/sign-in/${flow?.id}`)

    expect(headers.get('content-security-policy')).toContain("form-action 'self' https://begin.example;")
  })

  test('a sign-in that the application has begun ends with its code', async () => {
    const scene = await sceneWith({ initiate_login_uri, code_exchange: 'pkce' })
    const { landed } = await given.signIn(scene)
    expect(landed.location).toContain(`${callback}?code=`)
  })

  test.each(needed)(
    'without initiate_login_uri the user is signed in on a page, and the log says what is missing: it needs %s',
    async (_what, changes) => {
      const scene = await sceneWith({
        ...changes,
        allowed_web_origins: ['https://store.example', 'https://b.example'],
      })
      const { landed, visitor } = await click(scene)

      expect([landed.status, landed.location]).toEqual([200, null])
      expect(landed.html).toContain('You are signed in')
      expect(landed.html).toContain('<a href="https://store.example">Continue in Storefront</a>')
      expect(await codesOf(scene)).toBe(0)
      expect((await logged(scene)).slice(0, 2)).toEqual([
        'INITIATE_LOGIN_URI_MISSING',
        'END_USER_SIGN_IN_SUCCESS',
      ])
      const silent = await visitor.request(given.flows.authorizeUrl(scene, { prompt: 'none' }))
      expect(answerOf(silent).get('code')).toEqual(aCode)
    },
  )

  test('the page leads nowhere where no origin of the application is known', async () => {
    const { landed } = await click(await sceneWith({ code_exchange: 'pkce' }))
    expect(landed.html).toContain('<p>Continue in Storefront</p>')
  })

  test('a code is not made for an application that needs PKCE only since the sign-in began', async () => {
    const scene = await given.scene({ idp_initiated: 'bounce' })
    const { visitor, landed } = await click(scene)
    const { org_domain, application } = scene
    await client.applications.update({ org_domain, client_id: application.client_id, code_exchange: 'pkce' })

    const requestId = requestIdIn(landed.location)
    const response = scene.idp.respond({ ...scene.connection, requestId })
    const signedIn = await given.comeBack(scene, visitor, response)

    expect([signedIn.status, await codesOf(scene)]).toEqual([200, 0])
  })
})
