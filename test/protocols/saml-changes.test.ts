import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { leadOf, samlGivenOf } from '../given/saml-given.js'
import { startIdentityProvider } from '../given/saml-identity-provider.js'
import { createVisitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = samlGivenOf(service, client)

const demandsMfa = { acr_values: 'urn:portico:acr:mfa' }

describe('a connection that is switched off', () => {
  longTest('does not let a sign-in end that has passed the identity provider and waits', async () => {
    const { scene, app } = await given.enrolled()
    const { idp_id } = scene.connection
    const { visitor: ready, requestId } = await given.atIdentityProvider(scene)
    const hop = await given.post(scene, scene.idp.respond({ ...scene.connection, requestId }))
    const { location } = await ready.request(leadOf(hop))
    const { visitor: waiting, landed: asked } = await given.signIn(scene, {}, demandsMfa)
    await client.ssoConnections.disable({ idp_id })

    const ended = await ready.request(location ?? '')
    const passed = await waiting.press(asked, 'totp', { code: given.flows.totp.codeOf(app) })

    expect(asked.html).toContain('name="code"')
    expect([ended.status, answerOf(ended).get('code'), ready.sessionSecret()]).toEqual([403, null, undefined])
    expect([answerOf(passed).get('code'), waiting.sessionSecret()]).toEqual([null, undefined])
  })

  test('leaves the sessions as they are, also for a second factor more', async () => {
    const { scene, app } = await given.enrolled()
    const { visitor } = await given.signIn(scene)
    await client.ssoConnections.disable({ idp_id: scene.connection.idp_id })

    const again = await visitor.visit(given.flows.authorizeUrl(scene))
    const asked = await visitor.visit(given.flows.authorizeUrl(scene, demandsMfa))
    const landed = await visitor.press(asked, 'totp', { code: given.flows.totp.codeOf(app) })

    expect([again, landed].map((seen) => answerOf(seen).get('code'))).not.toContain(null)
  })
})

describe('a response is refused', () => {
  test('by metadata that are replaced before the browser is back', async () => {
    const scene = await given.scene()
    const { idp_id } = scene.connection
    const { visitor, requestId } = await given.atIdentityProvider(scene)
    const hop = await given.post(scene, scene.idp.respond({ ...scene.connection, requestId }))
    await client.ssoConnections.update({ idp_id, metadata: await othersMetadata() })

    const { status } = await visitor.visit(leadOf(hop))

    const trace = await given.lastTrace(scene)
    expect([status, trace.failed_check]).toEqual([403, 'signature'])
    expect(trace.checks.filter(({ name }) => name === 'signature')).toHaveLength(1)
    expect((await client.ssoConnections.get({ idp_id })).state).toBe('configured')
  })

  test('that nobody asked for, by metadata that are replaced before the browser is back', async () => {
    const scene = await given.scene({ idp_initiated: 'accept' })
    const { idp_id } = scene.connection
    const hop = await given.post(scene, scene.idp.respond(scene.connection))
    await client.ssoConnections.update({ idp_id, metadata: await othersMetadata() })

    const { status } = await createVisitor(service.baseUrl).visit(leadOf(hop))

    expect([status, (await given.lastTrace(scene)).failed_check]).toEqual([403, 'signature'])
  })

  test('to a request that was made by other metadata', async () => {
    const { scene, visitor, requestId } = await given.atIdentityProvider()
    const metadata = scene.idp.metadata({ url: 'https://idp.example/moved' })
    await client.ssoConnections.update({ idp_id: scene.connection.idp_id, metadata })
    const response = scene.idp.respond({ ...scene.connection, requestId })

    const { status } = await given.comeBack(scene, visitor, response)

    expect([status, (await given.lastTrace(scene)).failed_check]).toEqual([403, 'request'])
    expect(answerOf((await given.signIn(scene)).landed).get('code')).not.toBeNull()
  })

  async function othersMetadata(): Promise<string> {
    return (await startIdentityProvider(service.clock, 'idp2')).metadata()
  }
})
