import { createVerifier, type Application } from '@portico/sdk'
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { claimsOf } from '../given/claims.js'
import { flowGivenOf, type FlowScene } from '../given/flow-given.js'
import { untilWaiting, whileHeld, whileInsertWaits } from '../given/waiting.js'
import { startService } from '../given/harness.js'
import { judgeLogoutToken, startLogoutReceiver } from '../given/logout-receiver.js'
import { pkcePair } from '../given/visitor.js'
import { anything } from '../given/given.js'
import { codeGivenOf, exchange, exchangeLanded, loggedReason, refusal } from './code-given.js'
import { replacing, scimUsersGivenOf } from './scim/user-given.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)
const codes = codeGivenOf(service, client)
const scim = scimUsersGivenOf(client)
const receiver = await startLogoutReceiver()
const { baseUrl } = service

/** An application that takes logout tokens. */
function listening(org_domain: string, members: Partial<Application> = {}): Promise<Application> {
  const { token_signing_alg } = members
  return service.given.application({
    org_domain,
    organization_domain_scope: org_domain,
    backchannel_logout_uri: receiver.addressOf(anything()),
    ...(token_signing_alg !== undefined && { token_signing_alg }),
  })
}

/** The tokens that were posted to an application. */
function tokensOf({ backchannel_logout_uri: uri }: Application): string[] {
  return receiver.tokensAt((uri ?? '').slice(receiver.url.length + 1))
}

/** A user with one session of a browser, at two applications that take logout tokens and one that does not. */
async function signedIn(of?: FlowScene) {
  const scene = of ?? (await given.scene())
  const { org_domain } = scene
  const applications = [await listening(org_domain), await listening(org_domain)]
  const { verifier, challenge: code_challenge } = pkcePair()
  const { visitor, landed } = await given.signIn(scene, { code_challenge })
  const tokens = (await exchangeLanded(service, landed, scene, verifier)).body
  for (const application of applications) {
    const again = await visitor.request(given.authorizeUrl({ org_domain, application }, { code_challenge }))
    const { status } = await exchangeLanded(service, again, { application }, verifier)
    expect(status).toBe(200)
  }
  const idToken = tokens.id_token ?? ''
  return { scene, org_domain, visitor, applications, idToken, sid: String(claimsOf(idToken)['sid']) }
}

type SignedIn = Awaited<ReturnType<typeof signedIn>>

/** The applications that are told of the end of each session, by the jobs that wait. */
async function told(of: { readonly sid: string }): Promise<string[]> {
  const rows = await service.query<{ application: string }>(
    `select payload->>'applicationId' as application from jobs
    where name = 'send_logout_token' and payload->>'sessionId' = $1`,
    [of.sid],
  )
  return rows.map(({ application }) => application).sort()
}

const idsOf = (applications: readonly Application[]) => applications.map(({ id }) => id).sort()

async function logged(org_domain: string) {
  return service.query<{
    code: string
    client_id: string
    user_id: string
    reason: string | null
    request_id: string
  }>(
    `select event_code as code, client_id, resource_owner_id as user_id, reason, request_id from log_events
    where domain = $1 and event_code like 'BACKCHANNEL_LOGOUT%' order by id`,
    [org_domain],
  )
}

/** A session of the API, at one application that takes logout tokens. */
async function apiSession(members: Partial<Application> = {}) {
  const { domain: org_domain } = await service.given.organization()
  const application = await listening(org_domain, members)
  const user = await service.given.user({ org_domain })
  const code = await codes.code({ org_domain, application, user })
  const idToken = (await exchange(service, { code })).body.id_token ?? ''
  const end = () =>
    client.sessions.end({ org_domain, user_id: user.id, session_id: String(claimsOf(idToken)['sid']) })
  return { org_domain, application, user, code, idToken, sid: String(claimsOf(idToken)['sid']), end }
}

const causes: Readonly<Record<string, (of: SignedIn) => Promise<unknown>>> = {
  'signs out at an application': ({ org_domain, idToken, visitor }) =>
    visitor.request(`${baseUrl}/t/${org_domain}/logout?id_token_hint=${idToken}`),
  'signs out on the page of their sessions': async ({ org_domain, visitor }) => {
    const page = await visitor.visit(`/t/${org_domain}/sessions`)
    await visitor.press(page, 'sign_out')
  },
  'ends the session from another browser': async ({ scene, sid, org_domain }) => {
    const { visitor } = await given.signIn(scene)
    const page = await visitor.visit(`/t/${org_domain}/sessions`)
    await visitor.press(page, 'end', { session_id: sid })
  },
  'has a refresh token given back together with the session': async ({ scene, visitor }) => {
    const { verifier, challenge: code_challenge } = pkcePair()
    const asked = { code_challenge, scope: 'openid offline_access' }
    const again = await visitor.request(given.authorizeUrl(scene, asked))
    const token = String((await exchangeLanded(service, again, scene, verifier)).body['refresh_token'])
    const { client_id } = scene.application
    await exchange(service, { token, client_id, end_session: 'true' }, { path: '/oauth/revoke' })
  },
  'is signed out of the session by the API': ({ org_domain, scene, sid }) =>
    client.sessions.end({ org_domain, user_id: scene.user.id, session_id: sid }),
  'is signed out everywhere by the API': ({ org_domain, scene }) =>
    client.sessions.endAll({ org_domain, user_id: scene.user.id }),
  'is deactivated': ({ org_domain, scene }) =>
    client.users.update({ org_domain, user_id: scene.user.id, active: false }),
  'is deleted': ({ org_domain, scene }) => client.users.delete({ org_domain, user_id: scene.user.id }),
  'has a new password': ({ scene }) => given.passwords.set(scene, 'another harbour 42 lanterns'),
  'was of an organization that is deleted': async ({ org_domain }) => {
    await client.organizations.delete({ org_domain })
    await endSessionsOfDeleted(org_domain)
  },
}

/** Ends the sessions of a deleted organization, whose job adds the others. */
async function endSessionsOfDeleted(org_domain: string): Promise<void> {
  receiver.answer({ status: 503 })
  await service.runJobs()
  receiver.answer({ status: 204 })
  const rows = await service.query(
    'select 1 from sessions join organizations on organizations.id = organization_id where domain = $1 and ended_at is null',
    [org_domain],
  )
  expect(rows).toEqual([])
}

describe('each application with an address is told once of the end of a session whose user', () => {
  test.each(Object.entries(causes))('%s', async (_, end) => {
    const seen = await signedIn()
    const others = await signedIn()

    await end(seen)

    expect(await told(seen)).toEqual(idsOf(seen.applications))
    expect(await told(others)).toEqual([])
  })

  test('was of a deleted organization, by a token that the key set verifies as it was before', async () => {
    const { org_domain, application, sid } = await apiSession()
    const issuer = `${baseUrl}/t/${org_domain}`
    const keySet = await fetch(`${issuer}/.well-known/jwks.json`)
    const keys = createLocalJWKSet((await keySet.json()) as JSONWebKeySet)

    await client.organizations.delete({ org_domain })
    await service.runJobs()
    await service.runJobs()

    const [token = ''] = tokensOf(application)
    const expected = { issuer, audience: application.client_id, currentDate: service.clock.now() }
    expect((await jwtVerify(token, keys, expected)).payload).toMatchObject({ sid })
    expect((await fetch(`${issuer}/.well-known/jwks.json`)).status).toBe(404)
  })

  test('is deactivated or deleted by the directory', async () => {
    const { org_domain, scim: provider } = await scim.directory()
    const application = await listening(org_domain)
    const gone = [replacing('active', false), undefined].map(async (patch) => {
      const email = `${anything()}@people.example`
      const { id } = await scim.user(provider, { email })
      const user = await client.users.get({ org_domain, user_id: id })
      if ('deleted' in user) throw new Error('the user is deleted')
      const code = await codes.code({ org_domain, application, user })
      const sid = String(claimsOf((await exchange(service, { code })).body.id_token ?? '')['sid'])
      const answer =
        patch === undefined
          ? await provider('DELETE', `/Users/${id}`)
          : await provider('PATCH', `/Users/${id}`, { body: patch })
      expect(answer.status).toBeLessThan(300)
      return told({ sid })
    })

    expect(await Promise.all(gone)).toEqual([[application.id], [application.id]])
  })

  test('signed in to an application that was deleted, which is not told itself', async () => {
    const seen = await signedIn()
    const { org_domain, scene } = seen
    await client.applications.update({
      org_domain,
      client_id: scene.application.id,
      backchannel_logout_uri: receiver.addressOf(anything()),
    })

    await client.applications.delete({ org_domain, client_id: scene.application.id })

    expect(await told(seen)).toEqual(idsOf(seen.applications))
  })

  test('has the code of a session of the API used again', async () => {
    const { application, code, sid } = await apiSession()

    await exchange(service, { code })

    expect(await told({ sid })).toEqual([application.id])
  })

  test('signs out at an application after the eight hours of the session', async () => {
    const seen = await signedIn()
    await service.clock.advance(9 * 60 * 60)

    await seen.visitor.request(`${baseUrl}/t/${seen.org_domain}/logout?id_token_hint=${seen.idToken}`)

    expect(await told(seen)).toEqual(idsOf(seen.applications))
  })

  longTest('and not of another session, nor that its eight hours are over', async () => {
    const seen = await signedIn()
    const second = await signedIn(seen.scene)

    await client.sessions.end({
      org_domain: seen.org_domain,
      user_id: seen.scene.user.id,
      session_id: seen.sid,
    })
    await service.clock.advance(9 * 60 * 60)
    await service.runJobs()

    expect(await told(second)).toEqual([])
    expect(second.applications.flatMap(tokensOf)).toEqual([])
  })
})

describe('a logout token', () => {
  test.each(['ES256', 'RS256'] as const)(
    'signed with %s is valid for a relying party that knows the standard',
    async (alg) => {
      const { org_domain, application, user, idToken, sid, end } = await apiSession({
        token_signing_alg: alg,
      })
      await end()
      await service.runJobs()

      const [token = '', ...others] = tokensOf(application)
      expect(others).toEqual([])
      const now = service.clock.now()
      const { claims, header } = await judgeLogoutToken(token, {
        baseUrl,
        org_domain,
        client_id: application.id,
        now,
      })
      const of = claimsOf(idToken)
      expect(claims).toEqual({
        iss: of['iss'],
        aud: of['aud'],
        sub: user.id,
        sid,
        iat: claims.iat,
        exp: (claims.iat ?? 0) + 120,
        jti: claims.jti,
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        dbs: 'sandbox',
      })
      expect(header).toEqual({ alg, typ: 'logout+jwt', kid: header.kid })
      expect(receiver.requests.find((one) => one.token === token)).toMatchObject({
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `logout_token=${token}`,
      })
      expect(await logged(org_domain)).toEqual([
        {
          code: 'BACKCHANNEL_LOGOUT_DELIVERED',
          client_id: application.id,
          user_id: user.id,
          reason: null,
          request_id: claims.jti,
        },
      ])
    },
  )

  test('is accepted by the SDK once, and is no access token, ID token or hint', async () => {
    const { org_domain, application, user, sid, end } = await apiSession()
    await end()
    await service.runJobs()
    const [token = ''] = tokensOf(application)
    const verifier = createVerifier({
      baseUrl,
      domain: org_domain,
      audience: application.id,
      environment: 'sandbox',
      now: () => service.clock.now().getTime(),
    })

    expect(await verifier.verifyLogoutToken(token)).toEqual({ sub: user.id, sid })
    await expect(verifier.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'token_replayed' })
    await expect(verifier.verifyAccessToken(token)).rejects.toMatchObject({ code: 'type_rejected' })
    await expect(verifier.verifyIdToken(token)).rejects.toMatchObject({ code: 'type_rejected' })
    const headers = { authorization: `Bearer ${token}` }
    expect((await fetch(`${baseUrl}/t/${org_domain}/userinfo`, { headers })).status).toBe(401)
    const hinted = `${baseUrl}/t/${org_domain}/logout?id_token_hint=${token}`
    expect((await fetch(hinted, { redirect: 'manual' })).status).toBe(400)
  })

  longTest('is of the client and organization of each session alone', async () => {
    const [mine, theirs] = [await apiSession(), await apiSession()]
    await mine.end()
    await service.runJobs()

    expect(tokensOf(mine.application)).toHaveLength(1)
    expect(tokensOf(theirs.application)).toEqual([])
    expect(await told(theirs)).toEqual([])
  })

  test('of a session that two processes end at once is one', async () => {
    const { application, sid, end } = await apiSession()

    const outcomes = await Promise.allSettled([end(), end(), end()])

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await told({ sid })).toEqual([application.id])
  })
})

describe('a receiver that answers', () => {
  const schedule = [5, 60, 300, 1800, 7200]

  test.each([200, 204])('%i has the token', async (status) => {
    const { org_domain, application, sid, end } = await apiSession()
    receiver.answer({ status })
    await end()
    await service.runJobs()

    expect(tokensOf(application)).toHaveLength(1)
    expect(await told({ sid })).toEqual([])
    expect(await logged(org_domain)).toMatchObject([{ code: 'BACKCHANNEL_LOGOUT_DELIVERED' }])
    receiver.answer({ status: 204 })
  })

  test('400 has refused it: it is not sent again, and the log event quotes 300 characters', async () => {
    const { org_domain, application, sid, end } = await apiSession()
    receiver.answer({ status: 400, body: `unknown session ${'x'.repeat(400)}` })
    await end()
    await service.runJobs()
    receiver.answer({ status: 204 })

    expect(tokensOf(application)).toHaveLength(1)
    expect(await told({ sid })).toEqual([])
    const [event] = await logged(org_domain)
    expect(event).toMatchObject({ code: 'BACKCHANNEL_LOGOUT_FAILED', client_id: application.id })
    expect(event?.reason).toBe(`refused: unknown session ${'x'.repeat(300 - 'unknown session '.length)}`)
  })

  test.each([
    [302, { location: 'http://127.0.0.1:1/' }],
    [503, {}],
  ])(
    '%i gets another token after 5 s, 1 min, 5 min, 30 min and 2 h, and then none',
    async (status, headers) => {
      const { org_domain, application, sid, end } = await apiSession()
      receiver.answer({ status, headers })
      await end()
      await service.runJobs()
      for (const [index, seconds] of schedule.entries()) {
        // The wait differs by a tenth, and the work itself takes a second on a busy machine.
        await service.clock.advance(seconds * 0.9 - 2)
        await service.runJobs()
        expect(tokensOf(application)).toHaveLength(index + 1)
        await service.clock.advance(seconds * 0.2 + 2.1)
        await service.runJobs()
        expect(tokensOf(application)).toHaveLength(index + 2)
      }
      await service.clock.advance(24 * 60 * 60)
      await service.runJobs()
      receiver.answer({ status: 204 })

      const tokens = tokensOf(application)
      expect(tokens).toHaveLength(1 + schedule.length)
      expect(new Set(tokens.map((token) => claimsOf(token)['jti'])).size).toBe(tokens.length)
      expect(await told({ sid })).toEqual([])
      expect(await logged(org_domain)).toMatchObject([
        { code: 'BACKCHANNEL_LOGOUT_FAILED', reason: `answered ${status}` },
      ])
    },
  )
})

describe('the address of an application', () => {
  const inward = [
    'https://10.0.0.1/logout',
    'https://127.0.0.1:70/logout',
    'https://localhost:65/logout',
    'https://[fd00::1]/logout',
    'https://store.example/logout#fragment',
    'https://user:secret@store.example/logout',
    'ftp://store.example/logout',
  ]

  test.each(inward)('422: %s is not stored', async (backchannel_logout_uri) => {
    const { domain: org_domain } = await service.given.organization()
    // Of this organization alone, so that the codes of other tests are not its.
    const scope = { org_domain, organization_domain_scope: org_domain }
    const { client_id } = await service.given.application(scope)
    const refused = {
      code: 'invalid_parameters',
      fields: [expect.objectContaining({ path: 'backchannel_logout_uri', code: 'not_allowed' })],
    }

    await expect(service.given.application({ org_domain, backchannel_logout_uri })).rejects.toMatchObject(
      refused,
    )
    await expect(
      client.applications.update({ org_domain, client_id, backchannel_logout_uri }),
    ).rejects.toMatchObject(refused)
  })

  longTest(
    'that has become an inward one is not called, and the log does not tell it from one that is down',
    async () => {
      const inwards = await apiSession()
      const down = await apiSession()
      // As after a change of what the operator allows.
      const setAddress = (id: string, uri: string) =>
        service.query('update applications set backchannel_logout_uri = $1 where id = $2', [uri, id])
      await setAddress(inwards.application.id, 'https://10.0.0.1/logout')
      await setAddress(down.application.id, 'http://127.0.0.1:1/logout')
      await inwards.end()
      await down.end()
      for (const seconds of [0, 6, 66, 330, 1980, 7920]) {
        await service.clock.advance(seconds)
        await service.runJobs()
      }

      for (const { org_domain } of [inwards, down])
        expect(await logged(org_domain)).toMatchObject([
          { code: 'BACKCHANNEL_LOGOUT_FAILED', reason: 'unreachable' },
        ])
    },
  )

  test('can be taken away, and then what waits is not sent', async () => {
    const { org_domain, application, sid, end } = await apiSession()
    await end()

    const changed = await client.applications.update({
      org_domain,
      client_id: application.id,
      backchannel_logout_uri: null,
      backchannel_logout_session_required: false,
    })
    await service.runJobs()

    expect(changed).toMatchObject({
      backchannel_logout_uri: null,
      backchannel_logout_session_required: false,
    })
    expect(tokensOf(application)).toEqual([])
    expect(await told({ sid })).toEqual([])
  })
})

test('a code is refused whose session ends while it is exchanged, so that no application goes untold', async () => {
  const { domain: org_domain } = await service.given.organization()
  const application = await listening(org_domain)
  const user = await service.given.user({ org_domain })
  const code = await codes.code({ org_domain, application, user })
  const exchanged = await whileHeld(
    service,
    ['update sessions set ended_at = now() where user_id = $1', user.id],
    () => exchange(service, { code }),
  )

  expect(exchanged.text).toBe(refusal)
  expect(await loggedReason(service, org_domain)).toBe('session_ended')
})

test('an application is not told of a session of which it had no tokens, because each exchange was refused', async () => {
  const scene = await given.scene()
  const { org_domain } = scene
  const [refused, both] = [await listening(org_domain), await listening(org_domain)]
  const { verifier, challenge: code_challenge } = pkcePair()
  const { visitor, landed } = await given.signIn(scene, { code_challenge })
  const sid = String(
    claimsOf((await exchangeLanded(service, landed, scene, verifier)).body.id_token ?? '')['sid'],
  )
  const exchangeAt = async (application: Application, by: string) => {
    const again = await visitor.request(given.authorizeUrl({ org_domain, application }, { code_challenge }))
    return (await exchangeLanded(service, again, { application }, by)).status
  }
  const wrong = pkcePair().verifier

  const statuses = [
    await exchangeAt(refused, wrong),
    await exchangeAt(both, verifier),
    await exchangeAt(both, wrong),
  ]
  await client.sessions.endAll({ org_domain, user_id: scene.user.id })

  expect(statuses).toEqual([400, 200, 400])
  expect(await told({ sid })).toEqual([both.id])
})

test('an application whose exchange the end of the session waits for is told', async () => {
  const { domain: org_domain } = await service.given.organization()
  const application = await listening(org_domain)
  const user = await service.given.user({ org_domain })
  const code = await codes.code({ org_domain, application, user })
  let ended: Promise<unknown> | undefined
  const exchanged = await whileInsertWaits(
    service,
    { table: 'log_events', when: `new.event_code = 'TOKEN_EXCHANGED'` },
    () => exchange(service, { code }),
    () => {
      ended = client.sessions.endAll({ org_domain, user_id: user.id })
      return untilWaiting(service, 2)
    },
  )
  await ended

  expect(exchanged.status).toBe(200)
  expect(await told({ sid: String(claimsOf(exchanged.body.id_token ?? '')['sid']) })).toEqual([
    application.id,
  ])
})
