import { generateKeyPairSync } from 'node:crypto'
import { exportJWK, jwtVerify, SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { isIn } from '../given/flow-given.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { leadOf } from '../given/saml-given.js'
import { socialGivenOf } from '../given/social-given.js'
import { answerOf, type StandInRequest } from '../given/social-stand-in.js'
import { createVisitor } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = socialGivenOf(service, client)

const signer = generateKeyPairSync('rsa', { modulusLength: 2048 })
const developer = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keys = { keys: [{ ...(await exportJWK(signer.publicKey)), alg: 'RS256', kid: 'k', use: 'sig' }] }

/** The ID tokens that the stand-in gives for its codes, and the secrets that it was sent. */
const tokens = new Map<string, string>()
const secrets: string[] = []

/** Apple as it documents itself, in place of the network (Sign in with Apple REST API). */
const apple = {
  get: ({ url }: StandInRequest) =>
    url === 'https://appleid.apple.com/auth/keys' ? answerOf(200, keys) : answerOf(404, {}),
  post: async ({ url, body }: StandInRequest & { readonly body: string }) => {
    const sent = new URLSearchParams(body)
    const secret = sent.get('client_secret') ?? ''
    secrets.push(secret)
    const isOurs = await isSecret(secret)
    if (url !== 'https://appleid.apple.com/auth/token' || !isOurs)
      return answerOf(400, { error: 'invalid_client' })
    const id_token = tokens.get(sent.get('code') ?? '')
    if (id_token === undefined) return answerOf(400, { error: 'invalid_grant' })
    return answerOf(200, {
      access_token: 'a',
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: 'r',
      id_token,
    })
  },
}

async function isSecret(secret: string): Promise<boolean> {
  try {
    const { payload, protectedHeader } = await jwtVerify(secret, developer.publicKey, {
      algorithms: ['ES256'],
      audience: 'https://appleid.apple.com',
      issuer: 'ABCDE12345',
      subject: 'com.awesome.web',
      currentDate: service.clock.now(),
    })
    return protectedHeader.kid === 'KEY1234567' && (payload.exp ?? 0) - (payload.iat ?? 0) <= 300
  } catch {
    return false
  }
}

await client.socialProviders.create({
  name: 'apple',
  client_id: 'com.awesome.web',
  team_id: 'ABCDE12345',
  key_id: 'KEY1234567',
  private_key: developer.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
})

const anyAddress = (domain = 'icloud.com') => `ada-${anything()}@${domain}`

/** A browser at Apple, and what Apple posts with it when its user has approved. */
async function atApple(claims: Readonly<Record<string, unknown>>, more: Record<string, string> = {}) {
  Object.assign(service.deps.outbound, apple)
  const of = await given.scene({ providers: ['apple'] })
  const { visitor, address } = await given.atProvider(of, 'apple')
  const sent = new URL(address)
  const seconds = Math.floor(service.clock.now().getTime() / 1000)
  const token = await new SignJWT({
    ...{ iss: 'https://appleid.apple.com', aud: 'com.awesome.web', iat: seconds, exp: seconds + 300 },
    ...{
      nonce: sent.searchParams.get('nonce') ?? '',
      nonce_supported: true,
      sub: `0012.${anything()}`,
      ...claims,
    },
  })
    .setProtectedHeader({ alg: 'RS256', kid: 'k' })
    .sign(signer.privateKey)
  const code = anything()
  tokens.set(code, token)
  const form = new URLSearchParams({ code, state: sent.searchParams.get('state') ?? '', ...more })
  return { of, visitor, sent, form, callback: sent.searchParams.get('redirect_uri') ?? '' }
}

type AtApple = Awaited<ReturnType<typeof atApple>>

/** Posts the form as browsers do for a page of another site: without the cookies that are Lax. */
function post({ callback }: Pick<AtApple, 'callback'>, form: URLSearchParams) {
  const headers = { origin: 'https://appleid.apple.com' }
  return createVisitor(service.baseUrl).request(callback, { method: 'POST', headers, body: form })
}

async function arrive(claims: Readonly<Record<string, unknown>>, more: Record<string, string> = {}) {
  const at = await atApple(claims, more)
  const hop = await post(at, at.form)
  return { ...at, hop, landed: await at.visitor.visit(leadOf(hop)) }
}

const isAsked = (html: string) => html.includes('6\u2011digit code')

describe('Apple', () => {
  test('is asked for a form, and takes a secret of five minutes that is made for each exchange', async () => {
    const email = anyAddress()
    const { sent, landed } = await arrive({ email, email_verified: 'true' })
    expect(`${sent.origin}${sent.pathname}`).toBe('https://appleid.apple.com/auth/authorize')
    expect(Object.fromEntries(sent.searchParams)).toMatchObject({
      ...{ response_type: 'code', response_mode: 'form_post', scope: 'openid email name' },
    })
    expect(isIn(landed)).toBe(true)
    await service.clock.advance(1)
    await arrive({ email: anyAddress(), email_verified: true })
    expect(new Set(secrets.slice(-2)).size).toBe(2)
  })

  test.each([
    ['an address of its own mail', { email: anyAddress('me.com'), email_verified: true }],
    [
      'a relay address',
      { email: anyAddress('privaterelay.appleid.com'), email_verified: 'true', is_private_email: 'true' },
    ],
  ])('gives out %s, which needs no mail', async (_, claims) => {
    expect(isIn((await arrive(claims)).landed)).toBe(true)
  })

  test.each([
    ['an address of another domain', { email: anyAddress('awesome.example'), email_verified: true }],
    ['one that is not verified', { email: anyAddress('mac.com'), email_verified: 'false' }],
    [
      'one that is not private',
      { email: anyAddress('privaterelay.appleid.com'), email_verified: true, is_private_email: 'false' },
    ],
  ])('does not give out %s: a mail proves it', async (_, claims) => {
    const { landed } = await arrive(claims)
    expect([isIn(landed), isAsked(landed.html)]).toEqual([false, true])
  })

  test('says the name of a user once, beside its token: it is that of the new user, and an address there is nobody’s', async () => {
    const email = anyAddress()
    const user = JSON.stringify({
      name: { firstName: 'Ada', lastName: 'Lovelace' },
      email: 'victim@awesome.example',
    })
    const { of, landed } = await arrive({ email, email_verified: true }, { user })
    expect(isIn(landed)).toBe(true)
    const { data } = await client.users.list({ org_domain: of.org_domain })
    expect(data).toMatchObject([{ email, profile: { given_name: 'Ada', family_name: 'Lovelace' } }])
  })

  test.each([
    'no JSON',
    '[]',
    'null',
    '{"name":"Ada"}',
    '{"name":{"firstName":7}}',
    '{"__proto__":{"name":1}}',
  ])('is believed of no name that is %s, and the sign-in goes on', async (user) => {
    const { landed } = await arrive({ email: anyAddress(), email_verified: true }, { user })
    expect(isIn(landed)).toBe(true)
  })

  test('that a user has declined leads back to the other ways', async () => {
    const at = await atApple({})
    const state = at.form.get('state') ?? ''
    const hop = await post(at, new URLSearchParams({ state, error: 'user_cancelled_authorize' }))
    expect((await at.visitor.visit(leadOf(hop))).html).toContain('You did not sign in there')
  })

  test('is believed of its token alone: another key, audience or nonce signs nobody in', async () => {
    for (const claims of [{ aud: 'com.other.web' }, { nonce: 'other' }, { iss: 'https://evil.example' }]) {
      const { of, landed } = await arrive({ email: anyAddress(), email_verified: true, ...claims })
      expect([landed.status, isIn(landed)]).toEqual([403, false])
      expect((await given.lastLog(of, 'END_USER_SOCIAL_FAILED'))?.reason).toContain('oidc_id_token')
    }
  })
})

describe('an answer that another site has posted', () => {
  test('is good in the browser of its flow alone, and once', async () => {
    const at = await atApple({ email: anyAddress(), email_verified: true })
    const url = leadOf(await post(at, at.form))
    const victim = createVisitor(service.baseUrl)
    await given.atProvider(at.of, 'apple', victim)
    const brought = await victim.request(url)
    expect([brought.status, brought.location, victim.sessionSecret()]).toEqual([403, null, undefined])
    expect((await at.visitor.request(url)).status).toBe(403)
  })

  test('is not taken by another provider, nor changed, nor after five minutes', async () => {
    const at = await atApple({ email: anyAddress(), email_verified: true })
    const url = leadOf(await post(at, at.form))
    const { data } = await client.socialProviders.list({ name: 'test' })
    const elsewhere = new URL(url)
    elsewhere.pathname = new URL(data[0]?.redirect_uri ?? '').pathname
    const changed = new URL(url)
    const sealed = url.slice(url.indexOf('=') + 1)
    const other = sealed[40] === 'A' ? 'B' : 'A'
    changed.searchParams.set('answer', `${sealed.slice(0, 40)}${other}${sealed.slice(41)}`)
    for (const wrong of [elsewhere, changed]) expect((await at.visitor.request(wrong.href)).status).toBe(403)
    await service.clock.advance(301)
    expect((await at.visitor.request(url)).status).toBe(403)
    expect((await client.users.list({ org_domain: at.of.org_domain })).data).toEqual([])
  })

  test('is not there for other providers', async () => {
    await given.scene()
    const { data } = await client.socialProviders.list({ name: 'test' })
    const answer = await post(
      { callback: data[0]?.redirect_uri ?? '' },
      new URLSearchParams({ code: 'c', state: 's' }),
    )
    expect(answer.status).toBe(404)
  })
})
