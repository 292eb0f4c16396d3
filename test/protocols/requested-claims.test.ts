import { describe, expect, test } from 'vitest'
import { claimsOf } from '../given/claims.js'
import { answerOf, goodPassword, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { pkcePair, type Seen } from '../given/visitor.js'
import { authorizeGivenOf } from './authorize-given.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = authorizeGivenOf(service, client)

const mfa = 'urn:portico:acr:mfa'
const oneFactor = 'urn:portico:acr:1fa'

describe('the parameter claims (OpenID Connect Core section 5.5)', () => {
  test('adds claims to the ID token and to /userinfo that no scope has, also after a refresh', async () => {
    const scene = await knownScene()
    const { verifier, challenge } = pkcePair()
    const claims = asked({
      id_token: { given_name: { essential: true }, address: null, phone_number: null, admin: null },
      userinfo: { family_name: null, email: { essential: false }, updated_at: null, birthdate: null },
      other: { name: null },
    })

    const { landed } = await given.signIn(scene, {
      claims,
      scope: 'openid offline_access',
      code_challenge: challenge,
    })
    const first = await exchange(service, { code: codeOf(landed), code_verifier: verifier })
    const again = await exchange(service, {
      grant_type: 'refresh_token',
      refresh_token: String(first.body['refresh_token']),
      client_id: scene.application.client_id,
    })

    for (const { body } of [first, again]) {
      expect(body).toMatchObject({ scope: 'openid offline_access' })
      const idToken = claimsOf(body.id_token)
      expect(idToken).toMatchObject({ given_name: 'Ada', address: { locality: 'Lyon' } })
      for (const name of ['family_name', 'phone_number', 'admin', 'name', 'userinfo_claims'])
        expect(idToken).not.toHaveProperty(name)
      expect(claimsOf(body.access_token)).toMatchObject({
        userinfo_claims: ['family_name', 'email', 'updated_at', 'birthdate'],
      })
      expect(await userInfo(scene, body.access_token)).toEqual({
        sub: scene.user.id,
        family_name: 'Lovelace',
        updated_at: expect.any(Number),
        email: scene.user.email,
      })
    }
  })

  test('adds them for a browser that is signed in as well, beside those of the scopes', async () => {
    const scene = await knownScene()
    const { visitor } = await given.signIn(scene)
    const { verifier, challenge } = pkcePair()
    const claims = asked({ id_token: { family_name: null }, userinfo: { address: null } })

    const landed = await visitor.request(
      given.authorizeUrl(scene, { claims, scope: 'openid email', code_challenge: challenge }),
    )
    const { body } = await exchange(service, { code: codeOf(landed), code_verifier: verifier })

    expect(claimsOf(body.id_token)).toMatchObject({ family_name: 'Lovelace' })
    expect(await userInfo(scene, body.access_token)).toEqual({
      sub: scene.user.id,
      email: scene.user.email,
      email_verified: expect.any(Boolean),
      address: { locality: 'Lyon' },
    })
  })

  test('is kept only as the names that are known', async () => {
    const scene = await given.scene()
    const claims = asked({ id_token: { admin: { value: 'secret' }, name: { value: 'Ada' }, acr: null } })

    await given.signIn(scene, { claims })

    const rows = await service.query<{ claims: unknown }>(
      `select claims from authorization_codes where user_id = $1 and claims is not null
       union all select claims from sign_in_flows where user_id = $1`,
      [scene.user.id],
    )
    expect(rows).toEqual([1, 2].map(() => ({ claims: { id_token: ['name'], userinfo: [] } })))
  })

  test('may have values of any depth', async () => {
    const depth = 1900
    const claims = `{"id_token":{"name":{"value":${'['.repeat(depth)}${']'.repeat(depth)}}}}`

    expect(await given.beginsFlow(await given.scene(), { claims }, given.visitorOf())).toBe(true)
  })

  test('is invalid_request where it is malformed', async () => {
    const scene = await given.scene()
    const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`claim_${index}`, null]))
    const malformed = [
      'name',
      '{"id_token":',
      '[]',
      'null',
      '{"id_token":["name"]}',
      '{"id_token":null}',
      '{"userinfo":{"name":true}}',
      '{"userinfo":{"name":{"essential":"yes"}}}',
      '{"userinfo":{"name":{"values":"Ada"}}}',
      asked({ userinfo: many }),
      asked({ userinfo: { name: { value: 'x'.repeat(4096) } } }),
    ]

    const answers = await Promise.all(malformed.map((claims) => given.answerTo(scene, { claims })))

    expect(answers.map((answer) => answer.get('error'))).toEqual(malformed.map(() => 'invalid_request'))
    expect(answers.map((answer) => answer.get('error_description'))).toEqual(
      malformed.map(() => expect.stringMatching(/^claims: /)),
    )
  })
})

describe('the essential claim acr (section 5.5.1.1)', () => {
  test('is a demand of its values, as acr_values are', async () => {
    const scene = await given.scene()
    await client.passkeys.updateConnection({ org_domain: scene.org_domain, active: false })
    const errorOf = async (acr: object, members = {}) =>
      (await given.answerTo(scene, { claims: asked({ id_token: { acr } }), prompt: 'none', ...members })).get(
        'error',
      )

    expect({
      second: await errorOf({ essential: true, values: [mfa] }),
      byValue: await errorOf({ essential: true, value: mfa }),
      either: await errorOf({ essential: true, values: [mfa, oneFactor] }),
      stricter: await errorOf({ essential: true, values: [mfa] }, { acr_values: oneFactor }),
      byParameter: await errorOf({ essential: true, values: [oneFactor] }, { acr_values: mfa }),
      unknown: await errorOf({ essential: true, values: ['urn:other'] }),
      withoutPasskeys: await errorOf({ essential: true, values: ['phr'] }),
      voluntary: await errorOf({ values: ['urn:other', 'phr'] }),
      any: await errorOf({ essential: true }),
    }).toEqual({
      second: 'unmet_authentication_requirements',
      byValue: 'unmet_authentication_requirements',
      either: 'login_required',
      stricter: 'unmet_authentication_requirements',
      byParameter: 'unmet_authentication_requirements',
      unknown: 'unmet_authentication_requirements',
      withoutPasskeys: 'unmet_authentication_requirements',
      voluntary: 'login_required',
      any: 'login_required',
    })
  })

  test('has who is signed in pass the second factor', async () => {
    const scene = await given.enrolledScene()
    const claims = asked({ id_token: { acr: { essential: true, values: [mfa] } } })

    const { page, visitor } = await given.atPassword(scene, { claims })
    const next = await visitor.press(page, 'password', { password: goodPassword })

    expect(next.html).toContain('name="code"')
  })
})

describe('the claim sub with a value (section 5.5.1)', () => {
  test('is login_required for a browser whose user is another one, and a code for its own', async () => {
    const scene = await given.scene()
    const other = await service.given.user({ org_domain: scene.org_domain })
    const { visitor } = await given.signIn(scene)
    const answer = (sub: object) => given.answerTo(scene, { claims: asked({ id_token: { sub } }) }, visitor)

    const [own, one, foreign, none] = [
      await answer({ value: scene.user.id }),
      await answer({ values: [other.id, scene.user.id] }),
      await answer({ value: other.id }),
      await answer({ values: [17] }),
    ]

    expect([own.has('code'), one.has('code')]).toEqual([true, true])
    expect([foreign.get('error'), none.get('error')]).toEqual(['login_required', 'login_required'])
  })

  test('is login_required when another user signs in, who then is not signed in here', async () => {
    const scene = await given.scene()
    const other = await service.given.user({ org_domain: scene.org_domain })
    const claims = asked({ id_token: { sub: { value: other.id } } })

    const { visitor, answer } = await given.signIn(scene, { claims })

    expect([answer.get('error'), answer.get('state'), answer.has('code')]).toEqual([
      'login_required',
      'state-1',
      false,
    ])
    expect(visitor.sessionSecret()).toBeUndefined()
    expect(await given.beginsFlow(scene, {}, visitor)).toBe(true)
  })

  test('is of no user where it is no id, whatever characters it has, and is not stored', async () => {
    for (const value of ['a\0', '\ud800', 'ada@people.example']) {
      const claims = asked({ id_token: { sub: { value } } })

      const { scene, answer } = await given.signIn(undefined, { claims })

      const rows = await service.query<{ claims: unknown }>(
        'select claims from sign_in_flows where user_id = $1',
        [scene.user.id],
      )
      expect([value, answer.get('error')]).toEqual([value, 'login_required'])
      expect(rows).toEqual([{ claims: { id_token: [], userinfo: [], sub: [] } }])
    }
  })

  test('lets another user sign in where the application asks for a sign-in', async () => {
    const scene = await given.scene()
    const other = await service.given.user({ org_domain: scene.org_domain })
    const { visitor } = await given.signIn(scene)
    const claims = asked({ id_token: { sub: { value: other.id } } })

    expect(await given.beginsFlow(scene, { claims, prompt: 'login' }, visitor)).toBe(true)
  })
})

function asked(claims: object): string {
  return JSON.stringify(claims)
}

/** A scene whose user has a name and an address, and no telephone. */
async function knownScene(): Promise<FlowScene> {
  const scene = await given.scene()
  await client.users.update({
    org_domain: scene.org_domain,
    user_id: scene.user.id,
    profile: { given_name: 'Ada', family_name: 'Lovelace' },
    address: { locality: 'Lyon' },
  })
  return scene
}

function codeOf(landed: Seen): string {
  return answerOf(landed).get('code') ?? ''
}

async function userInfo({ org_domain }: FlowScene, token = ''): Promise<unknown> {
  const answer = await fetch(`${service.baseUrl}/t/${org_domain}/userinfo`, {
    headers: { authorization: `Bearer ${token}` },
  })
  return answer.json()
}
