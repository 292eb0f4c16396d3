import { describe, expect, test } from 'vitest'
import { claimsOf } from '../given/claims.js'
import { answerOf, flowGivenOf, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { partnerCallback } from '../given/relay-given.js'
import { pkcePair } from '../given/visitor.js'
import { codeGivenOf, exchange } from './code-given.js'
import { forgeriesOf, resigned } from './forged-tokens.js'
import { refreshGivenOf } from './refresh-given.js'

const service = await startService()
const client = await service.client()
const pages = flowGivenOf(service, client)
const codes = codeGivenOf(service, client)
const given = refreshGivenOf(service, codes)
const { client_id, client_secret } = await service.apiKey({ scopes: ['read:sessions'] })

const { domain: partner_domain } = await service.given.organization()
await service.given.application({
  org_domain: partner_domain,
  organization_domain_scope: partner_domain,
  allowed_redirect_urls: [partnerCallback],
})
const relay = await client.relays.create({ partner_domain, partner_redirect_uri: partnerCallback })

/** Whether UserInfo, introspection and relays accept an access token. */
async function isLive(token: string): Promise<[userInfo: boolean, introspection: boolean, relay: boolean]> {
  const { org } = claimsOf(token)
  const headers = { authorization: `Bearer ${token}` }
  const told = await fetch(`${service.baseUrl}/t/${String(org)}/userinfo`, { headers })
  const { active } = await client.oauth.introspect({ token, client_id, client_secret })
  const carried = await client.relays.request({ relay_id: relay.id, access_token: token }).then(
    () => true,
    (error: unknown) => {
      expect(error).toMatchObject({ status: 422, code: 'access_token_refused' })
      return false
    },
  )
  return [told.ok, active, carried]
}

const live = [true, true, true]
const dead = [false, false, false]

async function revoke(token: string, parameters: Record<string, string>, path = '/oauth/revoke') {
  const body = new URLSearchParams({ token, ...parameters })
  const answer = await fetch(`${service.baseUrl}${path}`, { method: 'POST', body })
  return { status: answer.status, body: await answer.json() }
}

/** Two codes of one session of a browser, and the tokens of each. */
async function twoFamilies() {
  const scene = await pages.scene()
  const { verifier, challenge } = pkcePair()
  const asked = { code_challenge: challenge, scope: 'openid offline_access' }
  const { visitor, answer } = await pages.signIn(scene, asked)
  const next = answerOf(await visitor.request(pages.authorizeUrl(scene, asked)))
  const [code, otherCode] = [answer.get('code') ?? '', next.get('code') ?? '']
  const made = await exchange(service, { code, code_verifier: verifier })
  const other = await exchange(service, { code: otherCode, code_verifier: verifier })
  const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
  return {
    scene,
    code,
    verifier,
    accessToken: textOf(made.body.access_token),
    refreshToken: textOf(made.body['refresh_token']),
    otherAccessToken: textOf(other.body.access_token),
    otherRefreshToken: textOf(other.body['refresh_token']),
  }
}

type Families = Awaited<ReturnType<typeof twoFamilies>>

const refresh = ({ scene }: { scene: FlowScene }, token: string) => given.refresh(scene, token)

const ends: [string, (families: Families) => Promise<unknown>][] = [
  [
    'its code comes again with the right verifier',
    ({ code, verifier }) => exchange(service, { code, code_verifier: verifier }),
  ],
  [
    'a refresh token of it comes again',
    async (families) => {
      const second = await refresh(families, families.refreshToken)
      await refresh(families, second.refreshToken)
      await refresh(families, families.refreshToken)
    },
  ],
  [
    'its refresh token is revoked',
    ({ scene, refreshToken }) => revoke(refreshToken, { client_id: scene.application.client_id }),
  ],
  [
    'the access token is revoked',
    ({ scene, accessToken }) => revoke(accessToken, { client_id: scene.application.client_id }),
  ],
]

describe('an access token', () => {
  test.each(ends)('ends at once when %s, and no other one of the session does', async (_, end) => {
    const families = await twoFamilies()
    expect(await isLive(families.accessToken)).toEqual(live)

    await end(families)

    expect(await isLive(families.accessToken)).toEqual(dead)
    expect(await isLive(families.otherAccessToken)).toEqual(live)
    expect((await refresh(families, families.refreshToken)).status).toBe(400)
    expect((await refresh(families, families.otherRefreshToken)).status).toBe(200)
  })

  test('stays when its code comes again without the right verifier', async () => {
    const { code, accessToken } = await twoFamilies()

    await exchange(service, { code })
    await exchange(service, { code, code_verifier: pkcePair().verifier })

    expect(await isLive(accessToken)).toEqual(live)
  })

  test('of a refresh is of the family of the code', async () => {
    const { scene, accessToken, refreshToken } = await given.tokens()
    const second = await given.refresh(scene, refreshToken)

    await revoke(second.accessToken, { client_id: scene.application.client_id })

    const [one, other] = [accessToken, second.accessToken].map((token) => claimsOf(token)['fid'])
    expect([one, other]).toEqual([other, expect.any(String)])
    expect([await isLive(accessToken), await isLive(second.accessToken)]).toEqual([dead, dead])
    expect((await given.refresh(scene, second.refreshToken)).status).toBe(400)
  })

  test('from before families had ids stays live, and cannot be revoked', async () => {
    const { scene, accessToken } = await given.tokens()
    const earlier = await resigned(service, accessToken, { claims: { fid: undefined } })

    const { status, body } = await revoke(earlier, { client_id: scene.application.client_id })

    expect([status, body]).toEqual([400, expect.objectContaining({ error: 'unsupported_token_type' })])
    expect(await isLive(earlier)).toEqual(live)
  })
})

describe('the revocation of an access token (RFC 7009 section 2.1)', () => {
  test('200: also of one without a refresh token, at both endpoints, once in the log', async () => {
    for (const isOwnEndpoint of [true, false]) {
      const scene = await codes.scene()
      const { accessToken } = await given.tokens(scene, { scope: 'openid' })
      const path = isOwnEndpoint ? `/t/${scene.org_domain}/oauth/revoke` : '/oauth/revoke'

      for (const _ of [1, 2])
        expect(await revoke(accessToken, { client_id: scene.application.client_id }, path)).toEqual({
          status: 200,
          body: {},
        })

      expect(await isLive(accessToken)).toEqual(dead)
      const logged = await given.logged(scene.org_domain)
      expect(logged.filter(([code]) => code === 'ACCESS_TOKEN_REVOKED')).toHaveLength(1)
    }
  })

  test('200: of another client, at another organization or with a foreign key, which ends nothing', async () => {
    const { scene, accessToken } = await given.tokens()
    const other = await codes.scene()
    const [foreign, production, limited] = [
      await service.apiKey({ account: await service.createAccount() }),
      await service.apiKey({ environment: 'production' }),
      await service.apiKey({ organizationIds: [(await service.given.organization()).id] }),
    ]
    const own = { client_id: scene.application.client_id }
    const attempts: [Record<string, string>, string?][] = [
      [{ client_id: other.application.client_id }],
      ...[foreign, production, limited].map((key): [Record<string, string>] => [
        { client_id: key.client_id, client_secret: key.client_secret },
      ]),
      [own, `/t/${other.org_domain}/oauth/revoke`],
      [own, '/t/no-such-organization/oauth/revoke'],
    ]

    for (const [parameters, path] of attempts)
      expect(await revoke(accessToken, parameters, path)).toEqual({ status: 200, body: {} })

    expect(await isLive(accessToken)).toEqual(live)
  })

  test('200: of one that is forged, and of a sample, which ends nothing', async () => {
    const { scene, accessToken } = await given.tokens()
    const { org_domain, user } = scene
    const sample = await client.tokenCustomization.sample({ org_domain, user_id: user.id })
    const forgeries = [sample.access_token_jwt, ...Object.values(await forgeriesOf(service, accessToken))]
    const own = { client_id: scene.application.client_id }

    for (const token of forgeries) expect((await revoke(token, own)).status).toBe(200)

    expect(await isLive(accessToken)).toEqual(live)
  })

  test('needs the API key where the application demands one', async () => {
    const scene = await codes.scene({ code_exchange: 'api_key' })
    const key = await service.apiKey({})
    const credentials = { client_id: key.client_id, client_secret: key.client_secret }
    const code = await codes.code(scene)
    const { body } = await exchange(service, { code, ...credentials })
    const token = body.access_token ?? ''

    await revoke(token, { client_id: scene.application.client_id })
    const before = await isLive(token)
    await revoke(token, credentials)

    expect([before, await isLive(token)]).toEqual([live, dead])
  })
})

test('what is kept of an ended family outlives the longest access tokens by an hour', async () => {
  const { scene, accessToken, refreshToken } = await given.tokens()
  const again = await codes.code(scene, { scope: 'openid offline_access' })
  const other = await exchange(service, { code: again })
  const own = { client_id: scene.application.client_id }

  await revoke(accessToken, own)
  await revoke(String(other.body['refresh_token']), own)

  expect((await given.refresh(scene, refreshToken)).status).toBe(400)
  const kept = await service.query<{ hours: string }>(
    `select extract(epoch from expires_at - ended_at) / 3600 as hours from ended_families
     where code_id = any($1::uuid[])`,
    [[accessToken, other.body.access_token ?? ''].map((token) => claimsOf(token)['fid'])],
  )
  expect(kept.map(({ hours }) => Number(hours))).toEqual([25, 25])
})
