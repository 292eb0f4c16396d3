import { describe, expect, test } from 'vitest'
import { answerOf } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { ada, oidcGivenOf, type OidcScene } from '../given/oidc-given.js'
import { sendJson, startOpenIdProvider } from '../given/openid-provider.js'
import type { Seen } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = oidcGivenOf(service, client)

/** The failed check; undefined without one. */
async function refusal(of: OidcScene, landed: Seen): Promise<string | null | undefined> {
  if (landed.status === 303) return undefined
  expect(landed.status).toBe(403)
  return (await given.lastTrace(of)).failed_check
}

function userOf({ org_domain }: OidcScene, user_email: string) {
  return client.users.getByEmail({ org_domain, user_email })
}

describe('an ID token', () => {
  test('may nest a claim as deeply as it fits: nobody has an error of ours for it', async () => {
    const of = await given.scene()
    const depth = 80_000
    const { landed } = await given.signIn(of, ada, {
      idToken: async (claims) => {
        const text = JSON.stringify(claims).slice(0, -1)
        return of.idp.signText(`${text},"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`)
      },
    })
    expect(answerOf(landed).get('code')).toMatch(/./)
  })

  test('says nothing of the future: who has signed in there has done so by now', async () => {
    const of = await given.scene()
    const email = `${anything()}@awesome.example`
    const later = Math.floor(service.clock.now().getTime() / 1000) + 10 * 365 * 86_400
    const { landed } = await given.signIn(of, { ...ada, email, auth_time: later })
    expect(answerOf(landed).get('code')).toMatch(/./)
    const [identity] = (await userOf(of, email)).identities
    expect(new Date(identity?.authenticated_at ?? 0).getTime()).toBeLessThanOrEqual(
      service.clock.now().getTime(),
    )
  })
})

describe('the UserInfo endpoint', () => {
  async function sceneWithUserInfo(said: Record<string, unknown>): Promise<OidcScene> {
    const idp = await startOpenIdProvider(service.clock)
    const discovery = idp.discovery({ userinfo_endpoint: `${idp.issuer}/userinfo` })
    idp.answer('/.well-known/openid-configuration', (res) => sendJson(res, discovery))
    idp.answer('/userinfo', (res) => sendJson(res, { sub: 'ada-1', ...said }))
    const of = await given.scene()
    return { ...of, ...(await given.connect(of, { email_domains: ['awesome.example'] }, idp)) }
  }

  test('says what the address is and whether it is verified: the token says neither of another address', async () => {
    const email = `${anything()}@awesome.example`
    const of = await sceneWithUserInfo({ email, email_verified: false })
    const { landed } = await given.signIn(of, { sub: 'ada-1', email_verified: true })
    expect(await refusal(of, landed)).toBeUndefined()
    expect(await userOf(of, email)).toMatchObject({ email_verified: false })
  })

  test('does not say how and when its user has signed in, which is not signed there', async () => {
    const email = `${anything()}@awesome.example`
    const now = Math.floor(service.clock.now().getTime() / 1000)
    const of = await sceneWithUserInfo({ email, email_verified: true, amr: ['mfa'], auth_time: now })

    const { landed } = await given.signIn(of, { sub: 'ada-1' }, {}, { prompt: 'login' })

    expect(await refusal(of, landed)).toBe('authenticated_at')
    expect((await given.signIn(of, { sub: 'ada-1' })).landed.status).toBe(303)
    expect(Object.keys((await given.lastTrace(of)).attributes ?? {})).not.toContain('amr')
  })
})

describe('what a trace quotes of a provider', () => {
  test('is nothing of a token answer that is no JSON', async () => {
    const of = await given.scene()
    of.idp.answer('/token', (res) => {
      res.writeHead(200, { 'content-type': 'application/json' }).end('canary-token-7')
    })
    const { landed } = await given.signIn(of)
    expect(await refusal(of, landed)).toMatch(/^oidc_/)
    expect(JSON.stringify(await given.lastTrace(of))).not.toContain('canary')
  })

  test('is neither the secret nor the code, which a provider may repeat', async () => {
    const of = await given.scene()
    of.idp.answer('/token', (res, req) => {
      const chunks: Buffer[] = []
      req.on('data', (chunk: Buffer) => chunks.push(chunk))
      req.on('end', () => {
        const form = new URLSearchParams(Buffer.concat(chunks).toString())
        const error_description = `no ${form.get('code')} for ${of.idp.client.secret}, ${form.get('code_verifier')}`
        sendJson(res, { error: 'invalid_grant', error_description }, 400)
      })
    })
    const { visitor, address } = await given.atProvider(of)
    const back = of.idp.approve(address, ada)
    const code = new URL(back).searchParams.get('code') ?? 'none'
    expect(await refusal(of, await visitor.visit(back))).toBe('oidc_token')
    const said = JSON.stringify(await given.lastTrace(of))
    expect(said).toContain('invalid_grant')
    expect(said).not.toContain(code)
    expect(said).not.toContain(of.idp.client.secret)
    expect(said).toMatch(/invalid_grant: no \S{1,3} for \S{1,3}, \S{1,3}"/)
  })
})

describe('the keys of a provider', () => {
  test.each<[string, (key: Record<string, unknown>) => unknown]>([
    ['a secret', () => ({ keys: [{ kty: 'oct', k: 'c2VjcmV0', alg: 'RS256', kid: 'key-1' }] })],
    ['a private key', (key) => ({ keys: [{ ...key, d: 'AQAB' }] })],
    ['no list', () => ({ keys: 'x' })],
    ['a list of nothing', () => ({ keys: [null, 1, 'x', []] })],
    ['for encryption', (key) => ({ keys: [{ ...key, use: 'enc' }] })],
    ['an exponent of 1', (key) => ({ keys: [{ ...key, e: 'AQ' }] })],
    ['too many', () => ({ keys: Array.from({ length: 5_000 }, () => ({ padding: 'x'.repeat(50) })) })],
  ])('sign nobody in where they are not keys to check with: %s', async (_what, keysOf) => {
    const of = await given.scene()
    of.idp.answer('/keys', (res) => sendJson(res, Object(keysOf({ ...of.idp.publicJwk }))))
    const { landed } = await given.signIn(of)
    expect(await refusal(of, landed)).toBe('oidc_id_token')
  })
})

describe('what is kept of a provider', () => {
  test('stands where somebody else enters its issuer while it is away', async () => {
    const of = await given.scene()
    const path = '/.well-known/openid-configuration'
    of.idp.answer(path, (res) => void res.writeHead(503).end())
    const other = await given.scene()
    await expect(
      client.ssoConnections.update({
        idp_id: other.connection.idp_id,
        issuer: of.idp.issuer,
        oidc_client_id: 'other',
        oidc_client_secret: 'other',
      }),
    ).rejects.toMatchObject({ status: 422 })

    const { sent } = await given.atProvider(of)
    expect(sent.status).toBe(303)
  })

  test('is for ten seconds that it is away, whoever begins sign-ins', async () => {
    const of = await given.scene()
    const path = '/.well-known/openid-configuration'
    of.idp.answer(path, (res) => void res.writeHead(503).end())
    await service.clock.advance(301)
    const asked = () => of.idp.asked.filter((one) => one === path).length
    const before = asked()

    for (let time = 0; time < 3; time += 1) expect((await given.atProvider(of)).sent.status).toBe(403)

    expect(asked()).toBe(before + 1)
    of.idp.answer(path, (res) => sendJson(res, of.idp.discovery()))
    await service.clock.advance(11)
    expect(await refusal(of, (await given.signIn(of)).landed)).toBeUndefined()
  })

  test('is no address that is longer than any is', async () => {
    const idp = await startOpenIdProvider(service.clock)
    const discovery = idp.discovery({ authorization_endpoint: `${idp.issuer}/${'a'.repeat(3_000)}` })
    idp.answer('/.well-known/openid-configuration', (res) => sendJson(res, discovery))
    const of = await given.scene()
    await expect(given.connect(of, {}, idp)).rejects.toMatchObject({ status: 422 })
  })
})

describe('an address that was only claimed', () => {
  test('is not kept from the user of whom the provider knows that it is theirs', async () => {
    const of = await given.scene()
    const email = `${anything()}@awesome.example`
    expect((await given.signIn(of, { sub: 'squatter', email, email_verified: false })).landed.status).toBe(
      303,
    )

    const { landed } = await given.signIn(of, { sub: 'owner', email, email_verified: true })

    expect(await refusal(of, landed)).toBeUndefined()
    expect(await userOf(of, email)).toMatchObject({
      email_verified: true,
      identities: [{ data: { sub: 'owner' } }],
    })
    const again = await given.signIn(of, { sub: 'squatter', email, email_verified: false })
    expect(await refusal(of, again.landed)).toBe('linking')
  })
})
