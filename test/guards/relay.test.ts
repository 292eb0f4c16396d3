import { openMagicLink } from '@portico/sdk'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { arriveBy, partnerCallback, relayGivenOf, type RelayScene } from '../given/relay-given.js'
import { signIn } from '../given/world.js'

const service = await startService()
const client = await service.client()
const given = relayGivenOf(client)

/** Deactivates and reactivates the user in their own organization, which ends the session. */
async function endSession({ org_domain, user }: RelayScene): Promise<void> {
  for (const active of [false, true]) await client.users.update({ org_domain, user_id: user.id, active })
}

async function statusAndCodeOf(relayUri: string) {
  const { status, code } = await arriveBy(relayUri)
  return { status, code }
}

/** The id of the user in the tokens obtained with a relay URL. */
async function arrivedUser(relayUri: string): Promise<string | undefined> {
  const { code } = await arriveBy(relayUri)
  const tokens = await client.oauth.token({ grant_type: 'authorization_code', code: code ?? '' })
  return decodeJwt(tokens.access_token).sub
}

const dead = { status: 404, code: null }

describe('the address of a relay', () => {
  test('signs its user in at the partner', async () => {
    const address = await given.address(await given.scene())

    expect(await statusAndCodeOf(address)).toEqual({ status: 303, code: expect.any(String) })
  })

  test('works once, however many open it together', async () => {
    const address = await given.address(await given.scene())

    const arrivals = await Promise.all(Array.from({ length: 8 }, () => statusAndCodeOf(address)))

    expect(arrivals.filter(({ code }) => code !== null)).toHaveLength(1)
    expect(arrivals.filter(({ status }) => status === 404)).toHaveLength(7)
  })

  test('works for a minute', async () => {
    const address = await given.address(await given.scene())

    await service.clock.advance(60)

    expect(await statusAndCodeOf(address)).toEqual(dead)
  })

  test('is not spent by a HEAD', async () => {
    const address = await given.address(await given.scene())

    expect((await arriveBy(address, { method: 'HEAD' })).status).toBe(204)
    expect((await arriveBy(address)).status).toBe(303)
  })

  test('is not spent by what a browser loads ahead', async () => {
    const address = await given.address(await given.scene())
    const ahead = [
      ['sec-purpose', 'prefetch'],
      ['sec-purpose', 'prefetch;prerender'],
      ['purpose', 'prefetch'],
      ['x-moz', 'prefetch'],
    ] as const

    for (const [name, value] of ahead)
      expect((await arriveBy(address, { headers: { [name]: value } })).status).toBe(204)
    expect((await arriveBy(address)).status).toBe(303)
  })

  test('is dead when its relay was deleted', async () => {
    const scene = await given.scene()
    const address = await given.address(scene)
    await client.relays.delete({ relay_id: scene.relay.id })

    expect(await statusAndCodeOf(address)).toEqual(dead)
  })

  test('is dead while its relay is switched off', async () => {
    const scene = await given.scene()
    const address = await given.address(scene)
    await client.relays.update({ relay_id: scene.relay.id, active: false })

    expect(await statusAndCodeOf(address)).toEqual(dead)
  })

  test('is dead where the partner limits e-mail domains by now', async () => {
    const scene = await given.scene()
    const address = await given.address(scene)
    const allowed_email_domains = ['people.example']
    await client.organizations.update({ org_domain: scene.partner_domain, allowed_email_domains })

    expect(await statusAndCodeOf(address)).toEqual(dead)
  })

  test('is dead when the partner was deleted', async () => {
    const scene = await given.scene()
    const address = await given.address(scene)
    await client.organizations.delete({ org_domain: scene.partner_domain })

    expect(await statusAndCodeOf(address)).toEqual(dead)
  })

  test('is dead where no application of the partner allows the redirect URI any more', async () => {
    const scene = await given.scene()
    const address = await given.address(scene)
    await client.applications.update({
      org_domain: scene.partner_domain,
      client_id: scene.partner_application.id,
      allowed_redirect_urls: ['https://partner.example/elsewhere'],
    })

    expect(await statusAndCodeOf(address)).toEqual(dead)
  })

  test('is dead when the session of its user has ended', async () => {
    const scene = await given.scene()
    const address = await given.address(scene)
    await endSession(scene)

    expect(await statusAndCodeOf(address)).toEqual(dead)
  })

  test('is dead for a user who is not active where they come from', async () => {
    const scene = await given.scene()
    const address = await given.address(scene)
    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false })

    expect(await statusAndCodeOf(address)).toEqual(dead)
  })

  test('signs nobody in whom the partner has switched off', async () => {
    const scene = await given.scene()
    const org_domain = scene.partner_domain
    const user_id = (await arrivedUser(await given.address(scene))) ?? ''
    await client.users.update({ org_domain, user_id, active: false })

    expect(await statusAndCodeOf(await given.address(scene))).toEqual({ status: 403, code: null })
  })

  test('signs nobody in as the partner’s user with the same e-mail address', async () => {
    const scene = await given.scene()
    await service.given.user({ org_domain: scene.partner_domain, email: scene.user.email })

    expect(await statusAndCodeOf(await given.address(scene))).toEqual({ status: 409, code: null })
  })

  test('signs nobody in as the user whose address they have only claimed, once its owner has shown up', async () => {
    const scene = await given.scene()
    const { org_domain, user, partner_domain } = scene
    const email = anyEmail()
    await client.users.update({ org_domain, user_id: user.id, email })
    const { code } = await arriveBy(await given.address(scene))
    const claimed = await client.users.getByEmail({ org_domain: partner_domain, user_email: email })

    await signIn(client, { org_domain: partner_domain, user_email: email })

    expect(claimed.email_verified).toBe(false)
    expect(await statusAndCodeOf(await given.address(scene))).toEqual({ status: 409, code: null })
    const late = client.oauth.token({ grant_type: 'authorization_code', code: code ?? '' })
    await expect(late).rejects.toMatchObject({ status: 400 })
    const owned = await client.users.getByEmail({ org_domain: partner_domain, user_email: email })
    expect(owned).toMatchObject({ id: claimed.id, email_verified: true, identities: [] })
  })

  test('signs two users of one organization in as two users', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const second = await service.given.user({ org_domain, email: anyEmail() })
    const access_token = await signIn(client, { org_domain, user_email: second.email })
    const first = await arrivedUser(await given.address(scene))

    expect(await arrivedUser(await given.address({ ...scene, access_token }))).not.toBe(first)
  })
})

describe('the access token of a request to carry a user', () => {
  const refused = { status: 422, code: 'access_token_refused' }

  function request({ relay }: Pick<RelayScene, 'relay'>, access_token: string) {
    return client.relays.request({ relay_id: relay.id, access_token })
  }

  test('is taken while its user is signed in', async () => {
    const scene = await given.scene()

    expect((await request(scene, scene.access_token)).user_id).toBe(scene.user.id)
  })

  test('is refused without the signature of its organization', async () => {
    const scene = await given.scene()
    const [header, , signature] = scene.access_token.split('.')
    const claims = { ...decodeJwt(scene.access_token), jti: 'another' }
    const forged = [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.')

    await expect(request(scene, forged)).rejects.toMatchObject(refused)
  })

  test('is refused where an ID token is sent in its place', async () => {
    const scene = await given.scene()
    const { magic_link } = await client.magicLink.createChallenge({
      org_domain: scene.org_domain,
      user_email: scene.user.email,
      send_email: false,
    })
    const { code } = await openMagicLink(magic_link ?? '')
    const { id_token } = await client.oauth.organizationToken({
      org_domain: scene.org_domain,
      grant_type: 'authorization_code',
      code,
    })

    await expect(request(scene, id_token)).rejects.toMatchObject(refused)
  })

  test('is refused where it is of the other environment', async () => {
    const scene = await given.scene()
    const production = await service.client({ environment: 'production' })
    const theirs = await relayGivenOf(production).scene()

    await expect(request(scene, theirs.access_token)).rejects.toMatchObject(refused)
  })

  test('is refused where it is of an organization of another account', async () => {
    const scene = await given.scene()
    const stranger = await service.client({ account: await service.createAccount() })
    const theirs = await relayGivenOf(stranger).scene()

    await expect(request(scene, theirs.access_token)).rejects.toMatchObject(refused)
  })

  test('is refused where it was issued under another address of the service', async () => {
    const scene = await given.scene()
    const elsewhere = await startService({ databaseUrl: service.databaseUrl })
    const other = await elsewhere.client({ account: service.account })
    const access_token = await signIn(other, { org_domain: scene.org_domain, user_email: scene.user.email })

    await expect(request(scene, access_token)).rejects.toMatchObject(refused)
  })

  test('is refused once it has expired', async () => {
    const scene = await given.scene()
    await service.clock.advance(60 * 60)

    await expect(request(scene, scene.access_token)).rejects.toMatchObject(refused)
  })

  test('is refused in its last half minute', async () => {
    const scene = await given.scene()
    await service.clock.advance(60 * 60 - 29)

    await expect(request(scene, scene.access_token)).rejects.toMatchObject(refused)
  })

  test('is refused when its session was ended', async () => {
    const scene = await given.scene()
    await endSession(scene)

    await expect(request(scene, scene.access_token)).rejects.toMatchObject(refused)
  })

  test('is refused when its session is over before it is', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    const { data } = await client.applications.list({ org_domain })
    const access_token_lifetime_in_seconds = 86_400
    const client_id = data[0]?.client_id ?? ''
    await client.applications.update({ org_domain, client_id, access_token_lifetime_in_seconds })
    const access_token = await signIn(client, { org_domain, user_email: user.email })
    await service.clock.advance(8 * 60 * 60)

    await expect(request(scene, access_token)).rejects.toMatchObject(refused)
  })

  test('is refused where its user is not active', async () => {
    const scene = await given.scene()
    await client.users.update({ org_domain: scene.org_domain, user_id: scene.user.id, active: false })

    await expect(request(scene, scene.access_token)).rejects.toMatchObject(refused)
  })

  test('is refused where its user has come by a relay', async () => {
    const scene = await given.scene()
    const { code } = await arriveBy(await given.address(scene))
    const carried = await client.oauth.token({ grant_type: 'authorization_code', code: code ?? '' })
    const next = await given.scene()

    await expect(request(next, carried.access_token)).rejects.toMatchObject({
      ...refused,
      message: expect.stringContaining('has come by a relay'),
    })
  })
})

describe('a request to carry a user', () => {
  test('is refused where no application of the partner allows the redirect URI any more', async () => {
    const scene = await given.scene()
    await client.applications.delete({
      org_domain: scene.partner_domain,
      client_id: scene.partner_application.id,
    })
    expect(scene.relay.partner_redirect_uri).toBe(partnerCallback)

    await expect(given.address(scene)).rejects.toMatchObject({ status: 409, code: 'partner_not_open' })
  })
})
