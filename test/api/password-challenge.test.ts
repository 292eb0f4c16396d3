import { openMagicLink } from '@portico/sdk'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { callback, goodPassword, passwordGivenOf } from './password-given.js'
import { claimsOf } from '../given/claims.js'
import { verifiedPasswords } from '../given/counted.js'

const service = await startService()
const client = await service.client()
const given = passwordGivenOf(service, client)

describe('a right password', () => {
  test('201: its code retrieves tokens that say how the user signed in', async () => {
    const scene = await given.sceneWithPassword()

    const answer = await given.signIn(scene, { state: 's1', nonce: 'n1' })

    expect(answer).toMatchObject({
      __domain__: scene.org_domain,
      error: null,
      user_id: scene.user.id,
      password_id: expect.any(Number),
      renew_password: null,
    })
    const secondsLeft = (Date.parse(answer.expired_at) - service.clock.now().getTime()) / 1000
    expect(Math.round(secondsLeft / 10)).toBe(30)
    const tokens = await client.oauth.token({ grant_type: 'authorization_code', code: answer.code })
    expect(claimsOf(tokens.access_token)).toMatchObject({
      sub: scene.user.id,
      amr: ['pwd'],
      scp: ['password'],
    })
  })

  test('201: the address in any case, and without org_domain where one organization allows its domain', async () => {
    const emailDomain = `${anything()}.example`
    const { org_domain, application } = await given.scene({}, { allowed_email_domains: [emailDomain] })
    const user = await service.given.user({ org_domain, email: `Ada@${emailDomain}` })
    await given.set({ org_domain, application, user })

    const answer = await client.password.createChallenge({
      user_email: user.email.toUpperCase(),
      plain_text: goodPassword,
    })

    expect(answer).toMatchObject({ 'valid?': true, user_id: user.id })
  })

  test('201: a redirect that no application allows gives way to the default one', async () => {
    const scene = await given.sceneWithPassword()
    const { code } = await given.signIn(scene, { redirect_uri: 'https://evil.example/callback' })

    const attempt = client.oauth.token({ grant_type: 'authorization_code', code, redirect_uri: callback })

    expect(await attempt).toMatchObject({ token_type: 'Bearer' })
  })

  test('422: an application that demands PKCE gets no code without it', async () => {
    const scene = await given.sceneWithPassword()
    await client.applications.update({
      org_domain: scene.org_domain,
      client_id: scene.application.client_id,
      code_exchange: 'pkce',
    })

    await expect(given.challenge(scene)).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'code_challenge' }],
    })
  })
})

describe('a wrong password', () => {
  test('201: valid? is false, and there is no code and no word of the user', async () => {
    const scene = await given.sceneWithPassword()

    const answer = await given.challenge(scene, { plain_text: 'not the password' })

    expect(answer).toEqual({
      __type__: 'PasswordChallenge',
      __domain__: scene.org_domain,
      __environment__: 'sandbox',
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      'valid?': false,
      error: 'invalid_credentials',
      expired_at: null,
      user_id: null,
      password_id: null,
      renew_password: null,
    })
  })

  test('is logged with its reason, which no answer tells', async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain } = scene
    const other = await service.given.user({ org_domain })
    const unknown = `${anything()}@people.example`
    await given.challenge(scene, { plain_text: 'not the password' })
    await given.challenge(scene, { user_email: other.email })
    await given.challenge(scene, { user_email: unknown }).catch(() => undefined)
    await client.users.update({ org_domain, user_id: other.id, active: false })
    await given.challenge(scene, { user_email: other.email }).catch(() => undefined)

    const { data } = await client.logEvents.list({ org_domain, code: 'END_USER_PASSWORD_FAILED' })

    expect(data.map(({ email, reason }) => [email, reason])).toEqual([
      [other.email, 'user_inactive'],
      [unknown, 'user_not_found'],
      [other.email, 'password_missing'],
      [scene.user.email, 'password_wrong'],
    ])
  })

  test('404 and 409: an unknown address and an inactive user, where the key may read users, password right or wrong', async () => {
    const scene = await given.sceneWithPassword()
    const unknown = given.challenge(scene, { user_email: `${anything()}@people.example` })
    await expect(unknown).rejects.toMatchObject({ status: 404, code: 'user_not_found' })

    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false })
    for (const plain_text of [goodPassword, 'not the password']) {
      await expect(given.challenge(scene, { plain_text })).rejects.toMatchObject({
        status: 409,
        code: 'user_inactive',
      })
    }
  })

  test.each([
    ['empty', ''],
    ['one more than 4096 bytes', 'x'.repeat(4097)],
    ['4096 bytes with two per character, and one more', 'é'.repeat(2049)],
  ])('422: %s, before anything is hashed', async (_name, plain_text) => {
    const scene = await given.scene()
    const before = await verifiedPasswords(service)

    await expect(given.challenge(scene, { plain_text })).rejects.toMatchObject({
      status: 422,
      fields: [{ path: 'plain_text' }],
    })
    expect(await verifiedPasswords(service)).toBe(before)
  })
})

describe('what keeps everybody out', () => {
  test('409, 403, 404: an inactive connection, an address that may not sign in, and no connection', async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain } = scene
    await client.password.updateConnection({ org_domain, active: false })
    await expect(given.challenge(scene)).rejects.toMatchObject({ status: 409, code: 'connection_inactive' })
    await client.password.updateConnection({ org_domain, active: true })

    await client.organizations.update({ org_domain, allowed_email_domains: ['corp.example'] })
    await expect(given.challenge(scene)).rejects.toMatchObject({
      status: 403,
      code: 'email_domain_not_allowed',
    })

    const { domain } = await service.given.organization()
    await expect(given.challenge({ ...scene, org_domain: domain })).rejects.toMatchObject({
      status: 404,
      code: 'password_connection_not_found',
    })
  })
})

describe('a password that is to be renewed', () => {
  test('renew_password has a code where the connection wants longer ones by now, and it sets another', async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain, user } = scene
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })

    const { renew_password } = await given.signIn(scene)
    expect(renew_password).not.toBeNull()
    const set = await client.password.set({
      org_domain,
      user_email: user.email,
      password_code: renew_password?.password_code ?? '',
      plain_text: `${goodPassword} and nineteen sails`,
    })

    const tokens = await client.oauth.token({ grant_type: 'authorization_code', code: set.code ?? '' })
    expect(claimsOf(tokens.access_token)).toMatchObject({ amr: ['pwd'] })
    expect(await given.challenge(scene)).toMatchObject({ 'valid?': false })
    const renewed = await given.signIn(scene, { plain_text: `${goodPassword} and nineteen sails` })
    expect(renewed.renew_password).toBeNull()
  })

  test('one renewal is open at a time: a newer sign-in ends the one before', async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain, user } = scene
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
    const [first, second] = [await given.signIn(scene), await given.signIn(scene)]
    const renew = ({ renew_password }: typeof first) =>
      client.password.set({
        org_domain,
        user_email: user.email,
        password_code: renew_password?.password_code ?? '',
        plain_text: `${goodPassword} and nineteen sails`,
      })

    await expect(renew(first)).rejects.toMatchObject({ status: 422, code: 'password_code_refused' })
    expect(await renew(second)).toMatchObject({ user_id: user.id })
  })

  test('a renewal does not vouch for the address, which no link has shown', async () => {
    const scene = await given.sceneWithPassword()
    const { org_domain, user } = scene
    const email = `new-${user.email}`
    await client.users.update({ org_domain, user_id: user.id, email })
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
    const moved = { ...scene, user: { ...user, email } }

    const { renew_password } = await given.signIn(moved)
    await client.password.set({
      org_domain,
      user_email: email,
      password_code: renew_password?.password_code ?? '',
      plain_text: `${goodPassword} and nineteen sails`,
    })

    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({ email_verified: false })
  })
})

describe('passwords of known breaches', () => {
  longTest(
    'are refused where they are set, and renewed where they sign in; the service is sent five characters',
    async () => {
      const breached = new Set<string>()
      const asked: { path: string; padding: string | undefined }[] = []
      const range = createServer((request, response) => {
        const { url = '', headers } = request
        asked.push({ path: url, padding: headers['add-padding']?.toString() })
        const prefix = url.split('/').at(-1) ?? ''
        const rest = [...breached]
          .filter((digest) => digest.startsWith(prefix))
          .map((digest) => digest.slice(5))
        response.end([`${'0'.repeat(35)}:0`, ...rest.map((suffix) => `${suffix}:3`)].join('\r\n'))
      }).listen(0, '127.0.0.1')
      onTestFinished(() => void range.close())
      await new Promise((resolve) => range.once('listening', resolve))
      const { port } = range.address() as AddressInfo
      const checked = await startService({
        variables: { BREACH_CHECK_URL: `http://127.0.0.1:${port}/range` },
      })
      const checkedClient = await checked.client()
      const there = passwordGivenOf(checked, checkedClient)

      const scene = await there.sceneWithPassword()
      const digest = await sha1Of(goodPassword)
      expect(asked).toEqual([{ path: `/range/${digest.slice(0, 5)}`, padding: 'true' }])
      expect((await there.signIn(scene)).renew_password).toBeNull()
      breached.add(digest)

      expect((await there.signIn(scene)).renew_password).toMatchObject({ password_code: expect.any(String) })
      await expect(there.set(scene)).rejects.toMatchObject({
        fields: [{ path: 'plain_text', code: 'too_common' }],
      })
      const outcomes = await checked.deps.metrics.breachChecks.get()
      const counted = outcomes.values.filter(({ value }) => value > 0)
      expect(counted.map(({ labels, value }) => [labels.outcome, value])).toEqual([
        ['clean', 2],
        ['breached', 2],
      ])
    },
  )

  test.each([
    ['does not answer', () => undefined],
    [
      'answers an error',
      (response: { writeHead(status: number): { end(): void } }) => response.writeHead(503).end(),
    ],
  ])('a service that %s keeps nobody from a password, and is counted', async (_name, answer) => {
    const range = createServer((_request, response) => void answer(response)).listen(0, '127.0.0.1')
    onTestFinished(() => range.closeAllConnections())
    onTestFinished(() => void range.close())
    await new Promise((resolve) => range.once('listening', resolve))
    const { port } = range.address() as AddressInfo
    const checked = await startService({ variables: { BREACH_CHECK_URL: `http://127.0.0.1:${port}/range` } })
    const there = passwordGivenOf(checked, await checked.client())

    const scene = await there.sceneWithPassword()

    expect((await there.signIn(scene)).renew_password).toBeNull()
    const { values } = await checked.deps.metrics.breachChecks.get()
    const counted = values.filter(({ value }) => value > 0)
    expect(counted.map(({ labels, value }) => [labels.outcome, value])).toEqual([['failed', 2]])
  })
})

test('a magic link signs a user in who has a password as well', async () => {
  const { org_domain, user } = await given.sceneWithPassword()
  const { magic_link } = await client.magicLink.createChallenge({
    org_domain,
    user_email: user.email,
    send_email: false,
  })

  expect((await openMagicLink(magic_link ?? '')).code).toMatch(/^[\w-]{43}$/)
})

describe('an address that was only claimed', () => {
  /** A user whose address changed after the password was set, and a code to renew the password. */
  async function claimed() {
    const scene = await given.sceneWithPassword()
    const { org_domain, user } = scene
    const email = `owner-of-${user.email}`
    await client.users.update({ org_domain, user_id: user.id, email })
    await client.password.updateConnection({ org_domain, plain_text_min_length: 40 })
    const moved = { ...scene, user: { ...user, email } }
    const { code, renew_password } = await given.signIn(moved)
    return { scene: moved, code, renewalCode: renew_password?.password_code ?? '' }
  }

  test('leaves whoever claimed it nothing once its owner has opened a link: no password, session or code', async () => {
    const { scene, code, renewalCode } = await claimed()
    const { org_domain, user } = scene
    const of = { org_domain, user_email: user.email }
    const { magic_link } = await client.magicLink.createChallenge({ ...of, send_email: false })

    await openMagicLink(magic_link ?? '')

    expect(await given.challenge(scene)).toMatchObject({ 'valid?': false })
    const exchange = client.oauth.token({ grant_type: 'authorization_code', code })
    await expect(exchange).rejects.toMatchObject({ code: 'invalid_grant' })
    const plain_text = `${goodPassword} and nineteen sails`
    const renewal = client.password.set({ ...of, password_code: renewalCode, plain_text })
    await expect(renewal).rejects.toMatchObject({ code: 'password_code_refused' })
  })

  test('is its owner’s from the first password that they set by a link', async () => {
    const { scene } = await claimed()

    await given.set(scene, `${goodPassword} and nineteen sails`)

    expect(await given.challenge(scene)).toMatchObject({ 'valid?': false })
    expect((await given.signIn(scene, { plain_text: `${goodPassword} and nineteen sails` })).error).toBeNull()
  })
})

async function sha1Of(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text))
  return Buffer.from(digest).toString('hex').toUpperCase()
}
