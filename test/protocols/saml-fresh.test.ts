import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { leadOf, samlGivenOf, type SamlGiven } from '../given/saml-given.js'
import { requestIdIn, requestIn } from '../given/saml-identity-provider.js'
import { createVisitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

const forced = ' ForceAuthn="true"'

describe('a fresh sign-in', () => {
  test('is asked of the identity provider, whose users may be signed in there for long', async () => {
    const scene = await given.scene()
    const { visitor } = await given.signIn(scene)
    const requestOf = async (members: Record<string, string>) =>
      requestIn((await given.atIdentityProvider(scene, members, visitor)).sent.location)

    expect(await requestOf({ prompt: 'login' })).toContain(forced)
    expect(await requestOf({ max_age: '0' })).toContain(forced)
    await service.clock.advance(61)
    expect(await requestOf({ max_age: '60' })).toContain(forced)
    expect(await requestOf({ prompt: 'select_account' })).not.toContain(forced)
  })

  test('is asked of the identity provider that an address leads to', async () => {
    const scene = await given.scene()
    await given.closeLinks(scene)
    const visitor = createVisitor(service.baseUrl)
    const identifier = await visitor.visit(given.flows.authorizeUrl(scene, { prompt: 'login' }))
    const page = await visitor.press(identifier, 'identify', { email: 'ada@awesome.example' })

    expect(requestIn((await given.leave(visitor, page)).sent.location)).toContain(forced)
  })

  test('is refused where the identity provider has not asked its user anew', async () => {
    const scene = await given.scene()
    const before = { authenticatedAt: -180 }
    const { landed } = await given.signIn(scene, before, { prompt: 'login' })
    expect([landed.status, (await given.lastTrace(scene)).failed_check]).toEqual([403, 'authenticated_at'])

    const soon = await given.signIn(scene, { authenticatedAt: -60 }, { prompt: 'login' })
    const unasked = await given.signIn(scene, before)
    expect([soon, unasked].map((seen) => answerOf(seen.landed).get('code'))).not.toContain(null)
  })
})

describe('a request to an identity provider', () => {
  /** Presses the button on the page of the sign-in again, which sends another request. */
  async function askAgain({ visitor, page }: Awaited<ReturnType<SamlGiven['atIdentityProvider']>>) {
    return requestIdIn((await visitor.request(leadOf(page))).location)
  }

  test('may be made twice, as by a double click: the answer to either signs in, and to one of them', async () => {
    const scene = await given.scene()
    const { idp, connection } = scene
    for (const answered of [0, 1]) {
      const asked = await given.atIdentityProvider(scene)
      const responses = [asked.requestId, await askAgain(asked)].map((requestId) =>
        idp.respond({ ...connection, requestId }),
      )
      const [taken = '', left = ''] = answered === 0 ? responses : responses.toReversed()

      expect(answerOf(await given.comeBack(scene, asked.visitor, taken)).get('code')).not.toBeNull()
      expect((await given.comeBack(scene, asked.visitor, left)).status).toBe(403)
      expect((await given.lastTrace(scene)).failed_check).toBe('request')
    }
  })

  test('is one of the last two of a sign-in, and told once', async () => {
    const scene = await given.scene()
    const asked = await given.atIdentityProvider(scene)
    await askAgain(asked)
    const last = await askAgain(asked)

    const { idp, connection, org_domain } = scene
    const { data } = await client.logEvents.list({ org_domain })
    expect(data.filter(({ event_code: code }) => code === 'SSO_END_USER_SAML_STARTED')).toHaveLength(1)
    const { visitor, requestId } = asked
    const first = await given.comeBack(scene, visitor, idp.respond({ ...connection, requestId }))
    expect([first.status, (await given.lastTrace(scene)).failed_check]).toEqual([403, 'request'])
    const landed = await given.comeBack(scene, visitor, idp.respond({ ...connection, requestId: last }))
    expect(answerOf(landed).get('code')).not.toBeNull()
  })

  test('is waited for no longer because there was another one', async () => {
    const scene = await given.scene()
    const asked = await given.atIdentityProvider(scene)
    await service.clock.advance(9 * 60)
    const last = await askAgain(asked)
    await service.clock.advance(2 * 60)

    const { idp, connection } = scene
    const answer = (requestId: string) =>
      given.comeBack(scene, asked.visitor, idp.respond({ ...connection, requestId }))
    expect((await answer(asked.requestId)).status).toBe(403)
    expect((await given.lastTrace(scene)).failed_check).toBe('request')
    expect(answerOf(await answer(last)).get('code')).not.toBeNull()
  })

  test('is not waited for any more once the metadata are others', async () => {
    const scene = await given.scene()
    const { idp, connection } = scene
    const asked = await given.atIdentityProvider(scene)
    await client.ssoConnections.update({ idp_id: connection.idp_id, metadata: idp.metadata() })
    const last = await askAgain(asked)

    const first = idp.respond({ ...connection, requestId: asked.requestId })
    expect((await given.comeBack(scene, asked.visitor, first)).status).toBe(403)
    expect((await given.lastTrace(scene)).failed_check).toBe('request')
    const landed = await given.comeBack(scene, asked.visitor, idp.respond({ ...connection, requestId: last }))
    expect(answerOf(landed).get('code')).not.toBeNull()
  })

  longTest('429: goes out as often as sign-ins may begin', async () => {
    const limited = await startService({ variables: { SIGN_INS_BEGUN_PER_IP: '3' } })
    const there = samlGivenOf(limited, await limited.client())
    const { visitor, page } = await there.atIdentityProvider(await there.scene())
    const url = leadOf(page)
    const seen = [await visitor.request(url), await visitor.request(url), await visitor.request(url)]

    expect(seen.map(({ status }) => status)).toEqual([303, 303, 429])
    expect(seen.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(seen.at(-1)?.html).toContain('<h1>')
  })
})
