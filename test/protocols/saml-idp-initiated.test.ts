import { describe, expect, test } from 'vitest'
import { answerOf, callback } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { leadOf, samlGivenOf, type SamlScene } from '../given/saml-given.js'
import { requestIdIn, type Said } from '../given/saml-identity-provider.js'
import { createVisitor } from '../given/visitor.js'
import { exchange } from './code-given.js'

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
  test('begins a sign-in, whose answer signs in: nobody comes in by the first one', async () => {
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
