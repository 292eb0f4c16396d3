import { createVerifier } from '@portico/sdk'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import * as openid from 'openid-client'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { arriveBy, relayGivenOf, type RelayScene } from '../given/relay-given.js'
import { exchange, refusal } from './code-given.js'

const service = await startService()
const given = relayGivenOf(await service.client())

const issuerOf = (domain: string) => `${service.baseUrl}/t/${domain}`

/** The partner's program, which uses openid-client and has no special code for relays. */
async function partnerProgram({ partner_domain, partner_application }: RelayScene) {
  return openid.discovery(
    new URL(issuerOf(partner_domain)),
    partner_application.client_id,
    undefined,
    openid.None(),
    // The service under test uses http on this machine.
    { execute: [openid.allowInsecureRequests] },
  )
}

describe('the partner of a relay', () => {
  test('exchanges the code with a library, and learns who the user is here and where they come from', async () => {
    const scene = await given.scene()
    const configuration = await partnerProgram(scene)
    const { location } = await arriveBy(await given.address(scene))
    if (location === null) throw new Error('the browser arrived nowhere')

    const tokens = await openid.authorizationCodeGrant(configuration, location, { idTokenExpected: true })

    const issuer = issuerOf(scene.partner_domain)
    const audience = scene.partner_application.client_id
    const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`))
    const { payload } = await jwtVerify(tokens.access_token, keys, { issuer, audience, typ: 'at+jwt' })
    const act = { iss: issuerOf(scene.org_domain), sub: scene.user.id }
    const carried = { amr: ['relay'], act, dbs: 'sandbox', email: scene.user.email }
    expect(payload).toMatchObject({ ...carried, tnt: scene.partner_domain, scp: ['relay'] })
    expect(payload.sub).not.toBe(scene.user.id)
    expect(tokens.claims()).toMatchObject({ ...carried, iss: issuer, sub: payload.sub })
    expect(tokens.scope).toBe('openid relay')

    const verifier = createVerifier({
      baseUrl: service.baseUrl,
      domain: scene.partner_domain,
      audience,
      environment: 'sandbox',
    })
    expect((await verifier.verifyAccessToken(tokens.access_token)).act).toEqual(act)
  })

  test('is told when the user proved who they are, and not when they were carried', async () => {
    const scene = await given.scene()
    const signedInBy = Math.floor(service.clock.now().getTime() / 1000)
    await service.clock.advance(600)
    const { code } = await arriveBy(await given.address(scene))

    const { body } = await exchange(service, { code: code ?? '' })

    const [, claims = ''] = (body.id_token ?? '').split('.')
    const { auth_time } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { auth_time: number }
    expect(auth_time).toBeLessThanOrEqual(signedInBy)
  })

  test('400: another redirect_uri, application or organization gets nothing for the code', async () => {
    const scene = await given.scene()
    const other = await given.scene()
    const code = async () => (await arriveBy(await given.address(scene))).code ?? ''

    const answers = [
      await exchange(service, { code: await code(), redirect_uri: 'https://partner.example/elsewhere' }),
      await exchange(service, { code: await code(), client_id: other.partner_application.client_id }),
      await exchange(service, { code: await code() }, { path: `/t/${scene.org_domain}/oauth/token` }),
    ]

    expect(answers.map(({ text }) => text)).toEqual([refusal, refusal, refusal])
  })

  test('a token of a magic link says how its user came in, and has no act', async () => {
    const { access_token } = await given.scene()

    const [, claims = ''] = access_token.split('.')
    const payload: unknown = JSON.parse(Buffer.from(claims, 'base64url').toString())

    expect(payload).toMatchObject({ amr: ['email'], sid: expect.any(String) })
    expect(payload).not.toHaveProperty('act')
  })
})
