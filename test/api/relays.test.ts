import { describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { arriveBy, partnerCallback, relayGivenOf, type RelayScene } from '../given/relay-given.js'
import { signIn } from '../given/world.js'
import { whileHeld } from '../given/waiting.js'
import { withoutReference } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = relayGivenOf(client)

/** A partner with an application that allows a redirect URL of its own. */
async function givenPartner(code_exchange: 'open' | 'pkce' | 'api_key' = 'open', members: object = {}) {
  const { domain } = await service.given.organization()
  const redirect = `https://${anything()}.example/callback`
  await service.given.application({
    org_domain: domain,
    organization_domain_scope: domain,
    allowed_redirect_urls: [redirect],
    code_exchange,
    ...members,
  })
  return { domain, redirect }
}

const partnerUser = ({ partner_domain, user }: RelayScene) =>
  client.users.getByEmail({ org_domain: partner_domain, user_email: user.email })

describe('a relay', () => {
  test('belongs to the account, and can be read, switched off, led elsewhere and deleted', async () => {
    const { domain, redirect } = await givenPartner()
    const relay = await client.relays.create({ partner_domain: domain, partner_redirect_uri: redirect })
    expect(relay).toMatchObject({
      __type__: 'Relay',
      __domain__: service.account.domain,
      __environment__: 'sandbox',
      __managed_by__: service.account.domain,
      partner_domain: domain,
      partner_redirect_uri: redirect,
      active: true,
    })
    const relay_id = relay.id
    expect(await client.relays.get({ relay_id })).toEqual(relay)

    const elsewhere = 'https://elsewhere.example/callback'
    await service.given.application({ org_domain: domain, allowed_redirect_urls: [elsewhere] })
    const changed = await client.relays.update({ relay_id, partner_redirect_uri: elsewhere, active: false })
    expect(changed).toMatchObject({ id: relay_id, partner_redirect_uri: elsewhere, active: false })

    const deletion = await client.relays.delete({ relay_id })
    expect(deletion).toEqual({ deleted: true, resource: changed, type: '__Deleted__' })
    await expect(client.relays.get({ relay_id })).rejects.toMatchObject({ code: 'relay_not_found' })
  })

  test('is not there with a key of the other environment or account', async () => {
    const { relay } = await given.scene()
    const production = await service.client({ environment: 'production' })
    const stranger = await service.client({ account: await service.createAccount() })

    for (const other of [production, stranger]) {
      await expect(other.relays.get({ relay_id: relay.id })).rejects.toMatchObject({
        code: 'relay_not_found',
      })
      expect((await other.relays.list()).data).toEqual([])
    }
  })

  test('422: a redirect URI that no application of the partner allows, when it is created and when it changes', async () => {
    const { domain, redirect } = await givenPartner()
    const { redirect: foreign } = await givenPartner()
    const wrong = { status: 422, fields: [{ path: 'partner_redirect_uri', code: 'not_in_list' }] }

    for (const partner_redirect_uri of [foreign, `${redirect}/`, `${redirect}?a=b`])
      await expect(
        client.relays.create({ partner_domain: domain, partner_redirect_uri }),
      ).rejects.toMatchObject(wrong)
    const { id } = await client.relays.create({ partner_domain: domain, partner_redirect_uri: redirect })
    await expect(client.relays.update({ relay_id: id, partner_redirect_uri: foreign })).rejects.toMatchObject(
      wrong,
    )
  })

  test('422: a redirect URI of an application that demands PKCE, which no relay has a challenge for', async () => {
    const { domain, redirect } = await givenPartner('pkce')

    await expect(
      client.relays.create({ partner_domain: domain, partner_redirect_uri: redirect }),
    ).rejects.toMatchObject({ status: 422, fields: [{ path: 'partner_redirect_uri' }] })
  })

  test('422: the same of one that authenticates, unless its sign-ins need neither PKCE nor a nonce', async () => {
    const settings = { application_type: 'node', client_authentication: 'secret', token_signing_alg: 'ES256' }
    const usual = await givenPartner('open', settings)
    const lenient = await givenPartner('open', { ...settings, pkce: 'optional' })

    await expect(
      client.relays.create({ partner_domain: usual.domain, partner_redirect_uri: usual.redirect }),
    ).rejects.toMatchObject({ status: 422, fields: [{ path: 'partner_redirect_uri' }] })
    await client.relays.create({ partner_domain: lenient.domain, partner_redirect_uri: lenient.redirect })
  })

  test('404: a partner of another account is answered as one that is not there', async () => {
    const { redirect } = await givenPartner()
    const account = await service.createAccount()
    const stranger = await service.client({ account })
    const { domain: partner_domain } = await stranger.organizations.create({ name: `Theirs ${anything()}` })

    for (const domain of [partner_domain, `missing-${anything()}`])
      await expect(
        client.relays.create({ partner_domain: domain, partner_redirect_uri: redirect }),
      ).rejects.toMatchObject({ status: 404, code: 'organization_not_found' })
  })

  test('409: a partner that limits e-mail domains gets none, and keeps one that can be switched off', async () => {
    const { domain, redirect } = await givenPartner()
    const input = { partner_domain: domain, partner_redirect_uri: redirect }
    const { id } = await client.relays.create(input)
    await client.organizations.update({ org_domain: domain, allowed_email_domains: ['people.example'] })

    const closed = { status: 409, code: 'partner_not_open' }
    await expect(client.relays.create(input)).rejects.toMatchObject(closed)
    await expect(
      client.relays.update({ relay_id: id, partner_redirect_uri: redirect }),
    ).rejects.toMatchObject(closed)
    expect(await client.relays.update({ relay_id: id, active: false })).toMatchObject({ active: false })
  })

  test('the same creation under one Idempotency-Key makes one', async () => {
    const { domain, redirect } = await givenPartner()
    const input = { partner_domain: domain, partner_redirect_uri: redirect }
    const options = { idempotencyKey: anything() }

    expect(await client.relays.create(input, options)).toEqual(await client.relays.create(input, options))
  })
})

describe('the address of a relay', () => {
  test('takes the user to the partner with a code under both names, and nothing is kept or told', async () => {
    const scene = await given.scene()
    const request = await client.relays.request({
      relay_id: scene.relay.id,
      access_token: scene.access_token,
    })
    expect(request).toMatchObject({
      __domain__: scene.org_domain,
      relay_id: scene.relay.id,
      user_id: scene.user.id,
    })
    expect(request.relay_uri).toMatch(new RegExp(`^${service.baseUrl}/relay/[\\w-]{43}$`))

    const answer = await fetch(request.relay_uri, { redirect: 'manual' })

    expect(answer.status).toBe(303)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
    })
    expect(answer.headers.getSetCookie()).toEqual([])
    const location = new URL(answer.headers.get('location') ?? '')
    expect(location.origin + location.pathname).toBe(partnerCallback)
    const { code, authorization_code, iss } = Object.fromEntries(location.searchParams)
    expect([authorization_code, iss]).toEqual([code, `${service.baseUrl}/t/${scene.partner_domain}`])
  })

  test('404: of a relay that is deleted while it is asked for', async () => {
    const { relay, access_token } = await given.scene()

    const answer = whileHeld(service, ['delete from relays where id = $1', relay.id], () =>
      client.relays.request({ relay_id: relay.id, access_token }),
    )

    await expect(answer).rejects.toMatchObject({ status: 404, code: 'relay_not_found' })
  })

  test('makes the user at the partner once, known by the identity and not by the address', async () => {
    const scene = await given.scene()
    await arriveBy(await given.address(scene))
    const first = await partnerUser(scene)
    expect(first).toMatchObject({
      email: scene.user.email,
      email_verified: true,
      identities: [
        {
          __type__: 'Identity',
          id: expect.any(String),
          idp_id: null,
          provider: 'relay',
          data: { iss: `${service.baseUrl}/t/${scene.org_domain}`, sub: scene.user.id },
        },
      ],
    })
    const org_domain = scene.partner_domain
    await client.users.update({ org_domain, user_id: first.id, email: anyEmail() })

    const { code } = await arriveBy(await given.address(scene))

    expect(code).not.toBeNull()
    expect((await client.users.list({ org_domain })).data.map(({ id }) => id)).toEqual([first.id])
  })

  test('a new sign-in of the user is noted at the partner’s user', async () => {
    const scene = await given.scene()
    await arriveBy(await given.address(scene))
    const before = await partnerUser(scene)
    await service.clock.advance(60)
    const access_token = await signIn(client, { org_domain: scene.org_domain, user_email: scene.user.email })

    await arriveBy(await given.address({ ...scene, access_token }))

    const after = await partnerUser(scene)
    const times = [before, after].map(({ identities }) => Date.parse(identities[0]?.authenticated_at ?? ''))
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(60_000)
  })

  test('who was deleted at the partner comes as a new user', async () => {
    const scene = await given.scene()
    await arriveBy(await given.address(scene))
    const first = await partnerUser(scene)
    await client.users.delete({ org_domain: scene.partner_domain, user_id: first.id })

    expect((await arriveBy(await given.address(scene))).status).toBe(303)

    expect((await partnerUser(scene)).id).not.toBe(first.id)
  })

  test('tells each step by events and log events, without the address', async () => {
    const account = await service.createAccount()
    const own = await service.client({ account })
    const ownGiven = relayGivenOf(own)
    const scene = await ownGiven.scene()
    const { cursor } = await own.events.list({ after: 'latest' })
    const relay_uri = await ownGiven.address(scene)
    await arriveBy(relay_uri)

    const { data } = await own.events.list({ after: cursor })
    expect(data.map(({ code, __domain__, actor }) => [code, __domain__, actor.type])).toEqual([
      ['relay.request.create.success', scene.org_domain, 'api_key'],
      ['user.user.create.success', scene.partner_domain, 'user'],
      ['relay.request.consume.success', scene.org_domain, 'user'],
      ['user.session.create.success', scene.partner_domain, 'user'],
    ])
    expect(JSON.stringify(data)).not.toContain(relay_uri.split('/').at(-1))
    expect(JSON.stringify(data)).not.toContain(scene.access_token)

    const codesOf = async (org_domain: string) =>
      (await own.logEvents.list({ org_domain })).data.map(({ event_code, email }) => [event_code, email])
    expect(await codesOf(scene.org_domain)).toContainEqual(['END_USER_RELAY_STARTED', scene.user.email])
    expect(await codesOf(scene.partner_domain)).toEqual([['END_USER_RELAY_SUCCESS', scene.user.email]])
  })

  test('404: unknown, used and too old are one page, in the language of the browser', async () => {
    const scene = await given.scene()
    const used = await given.address(scene)
    await arriveBy(used)
    const late = await given.address(scene)
    await service.clock.advance(60)

    const addresses = [used, late, `${service.baseUrl}/relay/${'x'.repeat(43)}`]
    const arrivals = await Promise.all(addresses.map((address) => arriveBy(address)))

    expect(arrivals.map(({ status }) => status)).toEqual([404, 404, 404])
    expect(new Set(arrivals.map(({ html }) => withoutReference(html))).size).toBe(1)
    const french = await arriveBy(used, { headers: { 'accept-language': 'fr' } })
    expect(french.html).toContain('<html lang="fr">')
    const { data } = await client.logEvents.list({
      org_domain: scene.partner_domain,
      code: 'END_USER_RELAY_FAILED',
    })
    expect(data.map(({ reason }) => reason).sort()).toEqual(['relay_expired', 'relay_used', 'relay_used'])
  })

  test('409: the page says that the address belongs to another user of the partner, and changes nobody', async () => {
    const scene = await given.scene()
    const taken = await service.given.user({ org_domain: scene.partner_domain, email: scene.user.email })

    const arrival = await arriveBy(await given.address(scene))

    expect([arrival.status, arrival.code]).toEqual([409, null])
    expect(arrival.html).toContain('An account with your e-mail address already exists there')
    expect(await partnerUser(scene)).toEqual(taken)
  })

  test('405: it is opened and not posted to', async () => {
    const answer = await fetch(await given.address(await given.scene()), { method: 'POST' })

    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('an address that was not verified is not verified at the partner', async () => {
    const scene = await given.scene()
    const { org_domain, user } = scene
    const address = await given.address(scene)
    await client.users.update({ org_domain, user_id: user.id, email: `new.${user.email}` })

    await arriveBy(address)

    const moved = await client.users.getByEmail({
      org_domain: scene.partner_domain,
      user_email: `new.${user.email}`,
    })
    expect(moved.email_verified).toBe(false)
  })
})

test('what was asked for is kept for a day longer than it works', async () => {
  const scene = await given.scene()
  await given.address(scene)
  const kept = () => service.query('select from relay_requests where relay_id = $1', [scene.relay.id])
  await service.clock.advance(60 * 60)
  await service.runJobs()
  expect(await kept()).toHaveLength(1)
  await service.clock.advance(24 * 60 * 60)
  await service.runJobs()
  expect(await kept()).toHaveLength(0)
})
