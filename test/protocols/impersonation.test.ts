import { describe, expect, test } from 'vitest'
import { claimsOf } from '../given/claims.js'
import { startService } from '../given/harness.js'
import { flowGivenOf } from '../given/flow-given.js'
import { actor, impersonationGivenOf, type ImpersonationScene } from './impersonation-given.js'

const service = await startService()
const client = await service.client()
const given = impersonationGivenOf(service, client)
const flows = flowGivenOf(service, client)
const scene = await given.scene()
const atAccount = `/a/${service.account.domain}`
const issuer = `${service.baseUrl}${atAccount}`

/** The codes of the events about impersonations and sessions of a user, in their order. */
async function eventsOf({ user }: ImpersonationScene): Promise<string[]> {
  const rows = await service.query<{ code: string }>(
    `select code from events where subject_id = $1 and code similar to 'user.(session|impersonation).%' order by id`,
    [user.id],
  )
  return rows.map(({ code }) => code)
}

async function introspect(token: string): Promise<Record<string, unknown>> {
  const { client_id, client_secret } = await service.apiKey()
  const answer = await fetch(`${service.baseUrl}/oauth/introspect`, {
    method: 'POST',
    body: new URLSearchParams({ token, client_id, client_secret }),
  })
  return (await answer.json()) as Record<string, unknown>
}

describe('the page of an impersonation', () => {
  test('names user, actor, application, reason and duration, and GET changes nothing', async () => {
    const created = await given.create(scene, { reason: '</dd><script>alert(1)</script>', notify_user: true })
    const visitor = given.visitorOf()

    for (let count = 0; count < 3; count += 1) {
      const { status, html } = await given.open(created, visitor)
      expect(status).toBe(200)
      expect(html.replaceAll('<wbr/>', '')).toContain(scene.user.email)
      for (const shown of ['staff-7 (grace@acme.example)', scene.application.name, '15 minutes'])
        expect(html).toContain(shown)
      expect(html).toContain('&lt;script>alert(1)')
      expect(html).not.toContain('<script>alert')
    }

    expect(await given.listed(scene)).toContainEqual({ ...created, url: null })
  })

  test('has the words of the language that the browser asks for', async () => {
    const { url } = await given.create(scene)
    const { html } = await given.visitorOf().request(`${url ?? ''}&ui_locales=fr`)
    expect(html).toContain('Se connecter à sa place')
  })

  test('its button calls the application with issuer, organization and handle, once', async () => {
    const created = await given.create(scene)
    const { visitor, called } = await given.pressed(created)

    expect(`${called.origin}${called.pathname}`).toBe('https://store.example/auth/sign-in')
    expect(Object.fromEntries(called.searchParams)).toEqual({
      from: 'portico',
      iss: issuer,
      organization: scene.org_domain,
      impersonation: expect.stringMatching(/^[\w-]{43}$/),
    })
    for (const browser of [visitor, given.visitorOf()])
      expect((await given.open(created, browser)).status).toBe(404)
    expect([...visitor.cookies.keys()]).toEqual(['portico-flow'])
  })

  test.each([
    ['without the field against forgery', { csrf: '' }, undefined],
    ['by another site', {}, { origin: 'https://evil.example' }],
  ])('403: a form that was sent %s starts nothing', async (_case, fields, headers) => {
    const created = await given.create(scene)
    const visitor = given.visitorOf()
    const page = await given.open(created, visitor)

    expect((await visitor.send(page, 'start', fields, headers)).status).toBe(403)
    expect((await given.open(created, visitor)).status).toBe(200)
  })

  test('404: at another organization, after five minutes, and for a token of nobody', async () => {
    const created = await given.create(scene)
    const other = await given.scene()
    const visitor = given.visitorOf()
    const elsewhere = created.url?.replace(`/t/${scene.org_domain}/`, `/t/${other.org_domain}/`) ?? ''
    const page = await given.open(created, visitor)
    const pressElsewhere = { ...page, html: page.html.replaceAll(scene.org_domain, other.org_domain) }

    expect((await visitor.request(elsewhere)).status).toBe(404)
    expect((await visitor.send(pressElsewhere, 'start')).status).toBe(404)
    expect((await visitor.request(elsewhere.replace(/token=.*/, 'token=x'))).status).toBe(404)
    await service.clock.advance(5 * 60)
    expect((await given.open(created, visitor)).status).toBe(404)
    expect((await visitor.send(page, 'start')).status).toBe(404)
  })

  test('50 presses of one button at once call the application once', async () => {
    const created = await given.create(scene)
    const visitor = given.visitorOf()
    const page = await given.open(created, visitor)

    const answers = await Promise.all(Array.from({ length: 50 }, () => visitor.send(page, 'start')))

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(49)
  })
})

describe('an impersonation', () => {
  test.each([
    ['its organization', undefined],
    ['the account', atAccount],
  ])('at the issuer of %s, its tokens name who acts and end with it', async (_name, path) => {
    const at = await given.scene({ access_token_lifetime_in_seconds: 3600 })

    const { created, accessToken, idToken, body } = await given.tokens(at, { duration_in_seconds: 600 }, path)

    const [{ expires_at } = created] = await given.listed(at)
    const end = Math.floor(Date.parse(expires_at) / 1000)
    const act = { iss: issuer, sub: actor.id, impersonation: created.id }
    for (const token of [accessToken, idToken]) {
      const claims = claimsOf(token)
      expect(claims).toMatchObject({
        ...{ sub: at.user.id, email: at.user.email, org: at.org_domain, act },
        ...{ amr: ['impersonation'], acr: 'urn:portico:acr:1fa' },
      })
      expect(claims['exp']).toBe(end)
    }
    expect(claimsOf(idToken)['iss']).toBe(
      path === undefined ? `${service.baseUrl}/t/${at.org_domain}` : issuer,
    )
    expect(end - Number(claimsOf(accessToken)['iat'])).toBe(body['expires_in'])
    expect(body).toMatchObject({ scope: 'openid email' })
    expect(body).not.toHaveProperty('refresh_token')
    expect(await introspect(accessToken)).toMatchObject({ active: true, act, amr: ['impersonation'] })
  })

  test('tokens of an application with a shorter lifetime keep it, and later ones end with the impersonation', async () => {
    const at = await given.scene({ access_token_lifetime_in_seconds: 300 })
    const { created, visitor, handle } = await given.handle(at, { duration_in_seconds: 60 })
    const { code = '' } = await given.answer(at, { impersonation: handle }, visitor)
    await service.clock.advance(40)
    const { body } = await given.exchangeCode(at, code)
    const [{ expires_at } = created] = await given.listed(at)
    expect(claimsOf(body.access_token)['exp']).toBe(Math.floor(Date.parse(expires_at) / 1000))
    expect(body['expires_in']).toBeLessThanOrEqual(20)
    const longer = await given.tokens(at)
    expect(longer.body).toMatchObject({ expires_in: 300 })
    expect((await given.listed(at)).map(({ id }) => id)).toEqual([longer.created.id, created.id])
  })

  test('opens no session of the browser, and leaves that of the member of staff as it is', async () => {
    const own = await flows.signIn()
    const secret = own.visitor.sessionSecret()
    const created = await given.create(scene)
    const { visitor, called } = await given.pressed(created, own.visitor)
    const impersonation = called.searchParams.get('impersonation') ?? ''

    const { code } = await given.answer(scene, { impersonation }, visitor)

    expect(code).toBeDefined()
    expect(visitor.sessionSecret()).toBe(secret)
    expect(await given.answer(scene, { prompt: 'none' }, visitor)).toMatchObject({ error: 'login_required' })
    const known = { org_domain: own.scene.org_domain, application: own.scene.application }
    expect(await given.answer(known, { prompt: 'none' }, visitor)).toHaveProperty('code')
  })

  test('has events and log events from its creation to its end', async () => {
    const at = await given.scene()
    const { created } = await given.tokens(at)
    await client.impersonations.end({
      org_domain: at.org_domain,
      user_id: at.user.id,
      impersonation_id: created.id,
    })
    await service.runJobs()

    expect(await eventsOf(at)).toEqual([
      'user.impersonation.create.success',
      'user.session.create.success',
      'user.impersonation.start.success',
      'user.session.end.success',
      'user.impersonation.end.success',
    ])
    const [event] = await service.query<{ data: object; actor_type: string }>(
      `select data, actor_type from events where subject_id = $1 and code = 'user.impersonation.start.success'`,
      [at.user.id],
    )
    expect(event).toMatchObject({
      actor_type: 'system',
      data: { id: created.id, actor, reason: 'Ticket 4711' },
    })
    expect(JSON.stringify(event)).not.toContain('url')
    const { data: logged } = await client.logEvents.list({ org_domain: at.org_domain })
    expect(logged.map(({ event_code, reason }) => [event_code, reason])).toEqual([
      ['END_USER_IMPERSONATION_ENDED', created.id],
      ['END_USER_SIGNED_OUT', null],
      ['TOKEN_EXCHANGED', null],
      ['END_USER_IMPERSONATED', created.id],
    ])
  })

  test('ends at its time, which is told once', async () => {
    const at = await given.scene()
    const { created, accessToken } = await given.tokens(at, { duration_in_seconds: 60 })
    await service.clock.advance(60)
    expect(await introspect(accessToken)).toEqual({ active: false })
    await service.runJobs()
    await service.runJobs()

    const [{ id, started_at, expires_at, ended_at } = created] = await given.listed(at)
    expect([id, ended_at]).toEqual([created.id, expires_at])
    expect(Date.parse(expires_at) - Date.parse(started_at ?? '')).toBe(60_000)
    expect((await eventsOf(at)).filter((code) => code === 'user.impersonation.end.success')).toHaveLength(1)
  })

  test('ends with its session, whatever has ended that', async () => {
    const at = await given.scene()
    const { created, accessToken } = await given.tokens(at)
    const { data } = await client.sessions.list({ org_domain: at.org_domain, user_id: at.user.id })
    expect(data).toMatchObject([{ impersonation_id: created.id, amr: ['impersonation'] }])
    await client.users.update({ org_domain: at.org_domain, user_id: at.user.id, active: false })
    await service.runJobs()

    expect(await introspect(accessToken)).toEqual({ active: false })
    const [{ ended_at, expires_at } = created] = await given.listed(at)
    expect(Date.parse(ended_at ?? '')).toBeLessThan(Date.parse(expires_at))
    expect(await eventsOf(at)).toContain('user.impersonation.end.success')
  })

  test('ends where the organization refuses it from then on, and the user’s own sessions stay', async () => {
    const own = await flows.signIn()
    const { org_domain, user } = own.scene
    const application = await service.given.application({
      ...{ org_domain, initiate_login_uri: 'https://store.example/auth/sign-in' },
      allowed_redirect_urls: own.scene.application.allowed_redirect_urls,
    })
    const { accessToken } = await given.tokens({ org_domain, user, application })
    await client.organizations.update({ org_domain, impersonation: 'refused' })
    await service.runJobs()

    expect(await introspect(accessToken)).toEqual({ active: false })
    const { data } = await client.sessions.list({ org_domain, user_id: user.id })
    expect(new Set(data.map(({ impersonation_id }) => impersonation_id))).toEqual(new Set([null]))
  })

  test('never goes on after a refusal of the organization that came at the same time as its start', async () => {
    for (let round = 0; round < 6; round += 1) {
      const at = await given.scene()
      const { visitor, handle: impersonation } = await given.handle(at)
      const { org_domain } = at
      await Promise.all([
        given.answer(at, { impersonation }, visitor),
        client.organizations.update({ org_domain, impersonation: 'refused' }),
      ])
      expect((await client.sessions.list({ org_domain, user_id: at.user.id })).data).toEqual([])
    }
  })

  test('is told to the user by mail where that is wanted, with time and duration, without the reason', async () => {
    const at = await given.scene()
    await client.organizations.update({ org_domain: at.org_domain, timezone: 'Europe/Paris' })
    await given.tokens(at, { notify_user: true, reason: 'Ticket 4711: a secret' })
    await given.tokens(at)
    await service.runJobs()

    const { data: mails } = await client.outbox.list({ to: at.user.email })
    expect(mails.map(({ subject }) => subject)).toEqual([
      expect.stringMatching(/^A member of our staff used your account at /),
    ])
    expect(mails[0]?.text).toMatch(/\(Europe\/Paris\)[^]* for at most 15 minutes/)
    expect(JSON.stringify(mails)).not.toMatch(/4711|staff-7|grace/)
  })

  test('is not carried on by a relay', async () => {
    const { accessToken } = await given.tokens(scene)
    const partner = await given.scene()
    const { id: relay_id } = await client.relays.create({
      partner_domain: partner.org_domain,
      partner_redirect_uri: partner.application.allowed_redirect_urls[0] ?? '',
    })

    await expect(client.relays.request({ relay_id, access_token: accessToken })).rejects.toMatchObject({
      code: 'access_token_refused',
      message: expect.stringContaining('impersonation'),
    })
  })
})
