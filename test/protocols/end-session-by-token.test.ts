import { expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { claimsOf } from '../given/claims.js'
import { answerOf, flowGivenOf } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { pkcePair } from '../given/visitor.js'
import { codeGivenOf, exchange, exchangeLanded, type Scene } from './code-given.js'
import { confidentialGivenOf } from './confidential-given.js'
import { refreshGivenOf, refusedRefresh } from './refresh-given.js'

const service = await startService()
const client = await service.client()
const pages = flowGivenOf(service, client)
const codes = codeGivenOf(service, client)
const confidential = confidentialGivenOf(service, client)
const given = refreshGivenOf(service, codes)

/** Gives a token back, by default together with its session. */
function giveBack(token: string, parameters: Record<string, string>, path = '/oauth/revoke') {
  return exchange(service, { token, end_session: 'true', ...parameters }, { path })
}

/** A user who is signed in in a browser, with the tokens of two sign-ins of one session. */
async function signedIn() {
  const scene = await pages.scene()
  const { verifier, challenge: code_challenge } = pkcePair()
  const asked = { code_challenge, scope: 'openid offline_access' }
  const { visitor, landed } = await pages.signIn(scene, asked)
  const one = await exchangeLanded(service, landed, scene, verifier)
  const again = await visitor.request(pages.authorizeUrl(scene, asked))
  const other = await exchangeLanded(service, again, scene, verifier)
  return {
    ...scene,
    visitor,
    idToken: one.body.id_token ?? '',
    accessToken: one.body.access_token ?? '',
    refreshToken: String(one.body['refresh_token']),
    otherRefreshToken: String(other.body['refresh_token']),
    client_id: scene.application.client_id,
  }
}

type Browser = Pick<Awaited<ReturnType<typeof signedIn>>, 'org_domain' | 'application' | 'visitor'>

/** Whether the browser gets a code without a page. */
async function isSignedIn({ visitor, ...scene }: Browser): Promise<boolean> {
  const { challenge: code_challenge } = pkcePair()
  const silent = await visitor.request(pages.authorizeUrl(scene, { code_challenge, prompt: 'none' }))
  return answerOf(silent).has('code')
}

function endEventsOf({ org_domain }: Pick<Scene, 'org_domain'>) {
  return service.query<{ data: { id: string }; actor_type: string; actor_id: string }>(
    `select data, actor_type, actor_id from events where code = 'user.session.end.success' and domain = $1`,
    [org_domain],
  )
}

longTest(
  '200: the session ends with the family, its other tokens and its browser with it, and the event says who asked',
  async () => {
    const seen = await signedIn()

    const answer = await giveBack(seen.refreshToken, { client_id: seen.client_id })

    expect([answer.status, answer.body]).toEqual([200, {}])
    for (const token of [seen.refreshToken, seen.otherRefreshToken])
      expect((await given.refresh(seen, token)).body).toEqual(refusedRefresh)
    expect(await isSignedIn(seen)).toBe(false)
    expect(await endEventsOf(seen)).toMatchObject([
      {
        data: { id: claimsOf(seen.idToken)['sid'], user_id: seen.user.id },
        actor_type: 'system',
        actor_id: 'revocation_endpoint',
      },
    ])
    const logged = (await given.logged(seen.org_domain)).map(([code]) => code)
    expect(logged).toEqual(expect.arrayContaining(['REFRESH_TOKEN_REVOKED', 'END_USER_SIGNED_OUT']))
  },
)

test('303: the browser then goes where the application wants without a question, which it is asked before', async () => {
  const seen = await signedIn()
  const [afterwards = ''] = seen.application.allowed_logout_urls
  const query = new URLSearchParams({ client_id: seen.client_id, post_logout_redirect_uri: afterwards })
  const address = `${service.baseUrl}/t/${seen.org_domain}/logout?${query.toString()}`

  const before = await seen.visitor.request(address)
  await giveBack(seen.refreshToken, { client_id: seen.client_id })
  const after = await seen.visitor.request(address)

  expect([before.status, after.status, after.location]).toEqual([200, 303, afterwards])
})

test.each<Record<string, string>>([{}, { end_session: 'false' }])(
  '200: with %j the session stays',
  async (parameters) => {
    const seen = await signedIn()

    const { status } = await exchange(
      service,
      { token: seen.refreshToken, client_id: seen.client_id, ...parameters },
      { path: '/oauth/revoke' },
    )

    expect([status, await isSignedIn(seen), await endEventsOf(seen)]).toEqual([200, true, []])
    expect((await given.refresh(seen, seen.otherRefreshToken)).status).toBe(200)
  },
)

test('200: by JSON, at the endpoint of the organization, and by the SDK', async () => {
  for (const revoke of [
    (token: string, { org_domain, application: { client_id } }: Scene) =>
      client.oauth.organizationRevoke({ org_domain, token, client_id, end_session: true }),
    (token: string, { application: { client_id } }: Scene) =>
      client.oauth.revoke({ token, client_id, end_session: true }),
  ]) {
    const { scene, refreshToken } = await given.tokens()
    await revoke(refreshToken, scene)
    expect(await endEventsOf(scene)).toHaveLength(1)
  }
})

test('of twenty at the same time one ends the session, and all answer 200', async () => {
  const { scene, refreshToken } = await given.tokens()
  const { client_id } = scene.application

  const answers = await Promise.all(Array.from({ length: 20 }, () => giveBack(refreshToken, { client_id })))

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await endEventsOf(scene)).toHaveLength(1)
})

test('a token that was given back before ends no session', async () => {
  const seen = await signedIn()
  await exchange(service, { token: seen.refreshToken, client_id: seen.client_id }, { path: '/oauth/revoke' })

  expect((await giveBack(seen.refreshToken, { client_id: seen.client_id })).status).toBe(200)
  expect([await isSignedIn(seen), await endEventsOf(seen)]).toEqual([true, []])
})

test('whoever may not give the token back ends no session: another application, or at another organization', async () => {
  const seen = await signedIn()
  const other = await codes.scene()
  const foreign = await service.apiKey({ account: await service.createAccount() })

  for (const [parameters, path] of [
    [{ client_id: other.application.client_id }, undefined],
    [{ client_id: foreign.client_id, client_secret: foreign.client_secret }, undefined],
    [{ client_id: seen.client_id }, `/t/${other.org_domain}/oauth/revoke`],
  ] as const)
    expect((await giveBack(seen.refreshToken, parameters, path)).status).toBe(200)

  expect([await isSignedIn(seen), await endEventsOf(seen)]).toEqual([true, []])
  expect((await given.refresh(seen, seen.refreshToken)).status).toBe(200)
})

test('401: an application that authenticates ends a session with its secret alone', async () => {
  const of = await confidential.withSecret()
  const { body } = await exchange(service, { code: await confidential.code(of), ...of.credentials })
  const token = String(body['refresh_token'])

  const without = await giveBack(token, { client_id: of.credentials.client_id })
  expect([without.status, without.body.error, await endEventsOf(of)]).toEqual([401, 'invalid_client', []])

  expect((await giveBack(token, of.credentials)).status).toBe(200)
  expect(await endEventsOf(of)).toHaveLength(1)
})

test('400: an access token ends no session, because resource servers have it, too; and nothing else happens to it', async () => {
  const seen = await signedIn()

  const answer = await giveBack(seen.accessToken, { client_id: seen.client_id })

  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
  expect([await isSignedIn(seen), await endEventsOf(seen)]).toEqual([true, []])
  expect((await given.refresh(seen, seen.refreshToken)).status).toBe(200)
})

test('400: another value than true and false, and nothing ends', async () => {
  const { scene, refreshToken } = await given.tokens()

  const answer = await giveBack(refreshToken, {
    client_id: scene.application.client_id,
    end_session: 'maybe',
  })

  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
  expect((await given.refresh(scene, refreshToken)).status).toBe(200)
})

test('200: after the eight hours of the session, while its refresh token is good, the event tells of it all the same', async () => {
  const { scene, refreshToken } = await given.tokens()
  await service.clock.advance(9 * 60 * 60)

  await giveBack(refreshToken, { client_id: scene.application.client_id })

  expect(await endEventsOf(scene)).toHaveLength(1)
})
