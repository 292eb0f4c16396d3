import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { callback, goodPassword, passwordGivenOf } from './password-given.js'
import { claimsOf } from '../given/claims.js'

const service = await startService()
const client = await service.client()
const given = passwordGivenOf(service, client)

describe('setting the password', () => {
  test('201: the code signs in, the address is verified, and the password holds from now on', async () => {
    const scene = await given.scene()

    const password = await given.set(scene)

    expect(password).toMatchObject({ __domain__: scene.org_domain, user_id: scene.user.id })
    const tokens = await client.oauth.token({ grant_type: 'authorization_code', code: password.code ?? '' })
    expect(claimsOf(tokens.access_token)).toMatchObject({ sub: scene.user.id, amr: ['email', 'pwd'] })
    const user = await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })
    expect(user).toMatchObject({ email_verified: true })
    expect((await given.signIn(scene)).password_id).toBe(password.id)
  })

  longTest('of two hundred who use one code at the same time, one sets the password', async () => {
    const scene = await given.scene()
    const password_code = await given.code(scene)
    const token = await service.token()
    const set = async (count: number) => {
      const answer = await fetch(`${service.baseUrl}/api/v2/password`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          org_domain: scene.org_domain,
          user_email: scene.user.email,
          password_code,
          plain_text: `${goodPassword} ${count}`,
        }),
      })
      const body = (await answer.json()) as { error?: { code: string } }
      return body.error?.code ?? answer.status
    }

    const outcomes = await Promise.all(Array.from({ length: 200 }, (_, count) => set(count)))

    expect(outcomes.filter((outcome) => outcome === 201)).toHaveLength(1)
    // More concurrent hashes than the queue holds: some requests are refused as busy, and others are too late.
    const others = new Set(outcomes.filter((outcome) => outcome !== 201))
    expect([...others].filter((code) => code !== 'rate_limited')).toEqual(['password_code_refused'])
    const winner = outcomes.indexOf(201)
    expect((await given.signIn(scene, { plain_text: `${goodPassword} ${winner}` }))['valid?']).toBe(true)
  })

  test('422: one answer for an unknown address, another user’s code, a used, an expired and an invented one', async () => {
    const scene = await given.scene()
    const neighbour = await service.given.user({ org_domain: scene.org_domain })
    const set = async (password_code: string, user_email = scene.user.email) => {
      const answer = await fetch(`${service.baseUrl}/api/v2/password`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await service.token()}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          org_domain: scene.org_domain,
          user_email,
          password_code,
          plain_text: goodPassword,
        }),
      })
      return `${answer.status} ${(await answer.text()).replace(/"request_id":"[^"]*"/, '')}`
    }
    const used = await given.code(scene)
    expect(await set(used)).toMatch(/^201/)
    const open = await given.code(scene)

    const ofStrangers = [
      await set(open, anyEmail()),
      await set(open, neighbour.email),
      await set(used),
      await set('invented'),
    ]
    await service.clock.advance(3601)
    const answers = new Set([...ofStrangers, await set(open)])

    expect([...answers]).toEqual([expect.stringMatching(/^422 .*password_code_refused/)])
  })

  test('422: a code of a user who has been deactivated since, and while the connection is switched off 409', async () => {
    const scene = await given.scene()
    const ended = await given.code(scene)
    const of = { org_domain: scene.org_domain, user_email: scene.user.email, plain_text: goodPassword }
    const { org_domain } = scene

    await client.users.update({ org_domain, user_id: scene.user.id, active: false })
    const refused = { code: 'password_code_refused' }
    await expect(client.password.set({ ...of, password_code: ended })).rejects.toMatchObject(refused)
    await client.users.update({ org_domain, user_id: scene.user.id, active: true })
    await expect(client.password.set({ ...of, password_code: ended })).rejects.toMatchObject(refused)
    const password_code = await given.code(scene)
    await client.password.updateConnection({ org_domain, active: false })
    await expect(client.password.set({ ...of, password_code })).rejects.toMatchObject({
      code: 'connection_inactive',
    })
    await client.password.updateConnection({ org_domain, active: true })
    expect((await client.password.set({ ...of, password_code })).code).not.toBeNull()
  })

  test('422: where the address may not sign in any more, or the application does not take its codes', async () => {
    const scene = await given.scene()
    const { org_domain, application } = scene
    const of = { org_domain, user_email: scene.user.email, plain_text: goodPassword }
    const refused = { status: 422, code: 'password_code_refused' }

    const first = await given.code(scene)
    await client.organizations.update({ org_domain, allowed_email_domains: ['corp.example'] })
    await expect(client.password.set({ ...of, password_code: first })).rejects.toMatchObject(refused)
    await client.organizations.update({ org_domain, allowed_email_domains: [] })

    const second = await given.code(scene)
    await client.applications.update({
      org_domain,
      client_id: application.client_id,
      allowed_redirect_urls: ['https://store.example/other'],
    })
    await expect(client.password.set({ ...of, password_code: second })).rejects.toMatchObject(refused)
  })

  test('422: a password that breaks a rule names plain_text, and the code is still good', async () => {
    const scene = await given.scene({ plain_text_min_length: 10, plain_text_max_length: 40 })
    const password_code = await given.code(scene)
    const of = { org_domain: scene.org_domain, user_email: scene.user.email, password_code }

    for (const plain_text of ['short', 'x1'.repeat(21), scene.user.email, 'password123', 'Portico-12345']) {
      await expect(client.password.set({ ...of, plain_text })).rejects.toMatchObject({
        status: 422,
        code: 'invalid_parameters',
        fields: [{ path: 'plain_text' }],
      })
    }
    expect((await client.password.set({ ...of, plain_text: goodPassword })).user_id).toBe(scene.user.id)
  })

  test('whoever was signed in as the user is not any more, and other codes of theirs are void', async () => {
    const scene = await given.sceneWithPassword()
    const { code: earlierCode } = await given.signIn(scene)
    const otherCode = await given.code(scene)

    await given.set(scene, `${goodPassword} two`)

    await expect(
      client.oauth.token({ grant_type: 'authorization_code', code: earlierCode }),
    ).rejects.toMatchObject({ code: 'invalid_grant' })
    await expect(
      client.password.set({
        org_domain: scene.org_domain,
        user_email: scene.user.email,
        password_code: otherCode,
        plain_text: goodPassword,
      }),
    ).rejects.toMatchObject({ code: 'password_code_refused' })
    expect(await given.challenge(scene)).toMatchObject({ 'valid?': false })
    expect(await given.challenge(scene, { plain_text: `${goodPassword} two` })).toMatchObject({
      'valid?': true,
    })
  })

  test('the user is told of it by mail, by a job that holds the address of then and no other text', async () => {
    const scene = await given.scene()
    await given.set(scene)

    const [job] = await service.query<{ payload: Record<string, string> }>(
      `select payload from jobs where name = 'send_notice' and payload->>'userId' = $1`,
      [scene.user.id],
    )

    const { to, ...ids } = job?.payload ?? {}
    expect([to, ids]).toEqual([
      scene.user.email,
      expect.objectContaining({ notice: 'password_set', userId: scene.user.id }),
    ])
    expect(Object.values(ids).filter((value) => /@|\s/.test(value))).toEqual([])
  })

  test('two spellings of one word are one password', async () => {
    const scene = await given.sceneWithPassword({}, 'crème brûlée à midi'.normalize('NFD'))

    const answer = await given.challenge(scene, { plain_text: 'crème brûlée à midi'.normalize('NFC') })

    expect(answer['valid?']).toBe(true)
  })

  test('the callback of the request is where its code is bound to', async () => {
    const scene = await given.scene()
    const { code } = await given.set(scene)
    const exchange = { grant_type: 'authorization_code' as const, code: code ?? '' }

    expect(await client.oauth.token({ ...exchange, redirect_uri: callback })).toMatchObject({
      token_type: 'Bearer',
    })
  })
})
