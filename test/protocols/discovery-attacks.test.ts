import { describe, expect, test } from 'vitest'
import { discoveryGivenOf } from '../given/discovery-given.js'
import { callback, isIn } from '../given/flow-given.js'
import { anyEmail, anything, givenOf } from '../given/given.js'
import { startService } from '../given/harness.js'
import { createVisitor } from '../given/visitor.js'
import { untilWaiting, whileInsertWaits } from '../given/waiting.js'
import { accountSignInGivenOf } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows, links } = given
const discoveries = discoveryGivenOf(service, client)

const notFound = { status: 404, code: 'discovery_not_found' }

/** A person with a user in an organization, and an application of the account. */
async function seeker() {
  const application = await given.application()
  const member = await given.member()
  return {
    application,
    org_domain: member.org_domain,
    user: { org_domain: member.org_domain, user_id: member.user.id },
    of: { user_email: member.user.email, application_id: application.id },
  }
}

async function discovered() {
  const scene = await seeker()
  const { discovery_token } = await discoveries.discover(scene.of)
  const entrance = { discovery_token, org_domain: scene.org_domain, redirect_uri: callback }
  return { ...scene, discovery_token, entrance }
}

/** An entrance of an organization that has no method: it goes on at a page. */
async function continued() {
  const scene = await discovered()
  await client.magicLink.updateConnection({ org_domain: scene.org_domain, active: false })
  return { ...scene, url: (await client.discovery.enter(scene.entrance)).continue_url ?? '' }
}

/** How many of many requests at once succeed, and how the others fail. */
async function atOnce(send: () => Promise<unknown>) {
  const outcomes = await Promise.allSettled(Array.from({ length: 50 }, send))
  return {
    successes: outcomes.filter(({ status }) => status === 'fulfilled').length,
    failures: new Set(
      outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [codeOf(outcome.reason)] : [])),
    ),
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : error
}

/** Callers who may not have what is another's. */
async function strangers() {
  const account = await service.createAccount()
  return {
    'another account': await service.client({ account }),
    'the other environment': await service.client({ environment: 'production' }),
  }
}

describe('a key', () => {
  test.each(['another account', 'the other environment'] as const)(
    'of %s has no code and no token of this one',
    async (whose) => {
      const stranger = (await strangers())[whose]
      const { of, entrance } = await discovered()
      const discovery_code = await discoveries.codeOf(await discoveries.linkOf(of))

      await expect(stranger.discovery.exchange({ discovery_code })).rejects.toMatchObject(notFound)
      await expect(stranger.discovery.enter(entrance)).rejects.toMatchObject(notFound)

      expect((await client.discovery.exchange({ discovery_code })).organizations).toHaveLength(1)
      expect((await client.discovery.enter(entrance)).code).not.toBeNull()
    },
  )

  test('that is limited to organizations discovers none', async () => {
    const { of, entrance, org_domain } = await discovered()
    const { id } = await client.organizations.get({ org_domain })
    const limited = await service.client({ organizationIds: [id] })
    const refused = { status: 403, code: 'key_limited_to_organizations' }
    const discovery_code = await discoveries.codeOf(await discoveries.linkOf(of))

    await expect(limited.discovery.createChallenge(of)).rejects.toMatchObject(refused)
    await expect(limited.discovery.exchange({ discovery_code })).rejects.toMatchObject(refused)
    await expect(limited.discovery.enter(entrance)).rejects.toMatchObject(refused)
    await expect(limited.logEvents.listOfAccount({})).rejects.toMatchObject(refused)
  })

  test('of another account cannot use an application of this one', async () => {
    const { of } = await seeker()
    for (const stranger of Object.values(await strangers()))
      await expect(stranger.discovery.createChallenge(of)).rejects.toMatchObject({
        status: 404,
        code: 'application_not_found',
      })
  })
})

describe('each secret works once, for its own step and time', () => {
  test('a link', async () => {
    const { of } = await seeker()
    const link = await discoveries.linkOf(of)
    const visitor = flows.visitorOf()
    const page = await visitor.visit(link)
    expect((await visitor.request(link, { method: 'HEAD' })).status).toBe(200)

    const opened = await Promise.all(
      Array.from({ length: 50 }, () => discoveries.pressOn(page, link, visitor)),
    )

    expect(opened.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(opened.filter(({ status }) => status === 404)).toHaveLength(49)
    const late = await discoveries.linkOf(of)
    await service.clock.advance(15 * 60)
    expect((await discoveries.press(late)).status).toBe(404)
  })

  test('a discovery_code', async () => {
    const { of } = await seeker()
    const discovery_code = await discoveries.codeOf(await discoveries.linkOf(of))
    expect(await atOnce(() => client.discovery.exchange({ discovery_code }))).toEqual({
      successes: 1,
      failures: new Set(['discovery_not_found']),
    })
    const late = await discoveries.codeOf(await discoveries.linkOf(of))
    await service.clock.advance(60)
    await expect(client.discovery.exchange({ discovery_code: late })).rejects.toMatchObject(notFound)
  })

  test('a discovery_token', async () => {
    const { entrance, user } = await discovered()
    expect(await atOnce(() => client.discovery.enter(entrance))).toEqual({
      successes: 1,
      failures: new Set(['discovery_not_found']),
    })
    expect((await client.sessions.list(user)).data).toHaveLength(1)
    const { entrance: late } = await discovered()
    await service.clock.advance(60 * 60)
    await expect(client.discovery.enter(late)).rejects.toMatchObject(notFound)
  })

  test('a continue_url', async () => {
    const { url, application } = await continued()
    const visitor = flows.visitorOf()
    const page = await visitor.visit(url)
    expect((await visitor.request(url, { method: 'HEAD' })).status).toBe(200)

    const pressed = await Promise.all(
      Array.from({ length: 50 }, () => discoveries.pressOn(page, url, visitor)),
    )

    expect(pressed.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(pressed.filter(({ status }) => status === 404)).toHaveLength(49)
    const rows = await service.query<{ count: string }>(
      'select count(*) from sign_in_flows where application_id = $1',
      [application.id],
    )
    expect(rows).toEqual([{ count: '1' }])
    const { url: late } = await continued()
    await service.clock.advance(10 * 60)
    expect((await flows.visitorOf().visit(late)).status).toBe(404)
  })

  test('a continue_url in a browser that is signed in there, which gets a code at once', async () => {
    const { url, application, org_domain, of } = await continued()
    await client.magicLink.updateConnection({ org_domain, active: true })
    const visitor = flows.visitorOf()
    const list = await given.prove(application, of.user_email, visitor)
    expect(isIn(await given.enter(list, org_domain, visitor))).toBe(true)
    const page = await visitor.visit(url)

    const pressed = await Promise.all(
      Array.from({ length: 5 }, () => discoveries.pressOn(page, url, visitor)),
    )

    expect(pressed.filter(isIn)).toHaveLength(1)
    expect(pressed.filter(({ status }) => status === 404)).toHaveLength(4)
  })

  test('one of them in the place of another is none', async () => {
    const { of, entrance, discovery_token } = await discovered()
    const link = await discoveries.linkOf(of)
    const token = new URL(link).searchParams.get('token') ?? ''
    const discovery_code = await discoveries.codeOf(await discoveries.linkOf(of))
    const { url } = await continued()
    const continueToken = new URL(url).searchParams.get('token') ?? ''

    for (const other of [token, discovery_token, continueToken])
      await expect(client.discovery.exchange({ discovery_code: other })).rejects.toMatchObject(notFound)
    for (const other of [token, discovery_code, continueToken])
      await expect(client.discovery.enter({ ...entrance, discovery_token: other })).rejects.toMatchObject(
        notFound,
      )
    for (const other of [discovery_code, discovery_token, continueToken])
      expect((await discoveries.press(`${given.issuer}/discovery-link?token=${other}`)).status).toBe(404)
    for (const other of [token, discovery_code, discovery_token])
      expect((await discoveries.press(`${given.issuer}/continue?token=${other}`)).status).toBe(404)

    expect((await client.discovery.enter(entrance)).code).not.toBeNull()
  })

  test('a discovery_token is no proof that a browser keeps', async () => {
    const { application, of, discovery_token } = await discovered()
    const visitor = flows.visitorOf()
    await given.prove(application, of.user_email, visitor)
    const [name = ''] = [...visitor.cookies.keys()].filter((cookie) => cookie.includes('portico-email-'))
    const thief = flows.visitorOf()
    thief.cookies.set(name, discovery_token)

    const page = await given.begin(application, thief, { prompt: 'select_organization' })

    expect(page.html).not.toContain('Choose an organization')
  })
})

describe('a page', () => {
  test('of another account takes no link and no continue_url', async () => {
    const account = await service.createAccount()
    const { of } = await seeker()
    const { url } = await continued()
    for (const own of [await discoveries.linkOf(of), url]) {
      const foreign = own.replace(`/a/${service.account.domain}/`, `/a/${account.domain}/`)
      expect((await flows.visitorOf().visit(foreign)).status).toBe(404)
      const visitor = flows.visitorOf()
      const page = await visitor.visit(own)
      const pressed = await discoveries.pressOn(
        { ...page, html: page.html.replaceAll(`/a/${service.account.domain}/`, `/a/${account.domain}/`) },
        own,
        visitor,
      )
      expect(pressed.status).toBe(404)
    }
  })

  test('takes the form of its own browser alone, and of none of another site', async () => {
    const { of } = await seeker()
    const { url } = await continued()
    for (const own of [await discoveries.linkOf(of), url]) {
      const visitor = flows.visitorOf()
      const page = await visitor.visit(own)
      const other = flows.visitorOf()
      await other.visit(own)
      expect((await discoveries.pressOn(page, own, flows.visitorOf())).status).toBe(403)
      expect((await discoveries.pressOn(page, own, other)).status).toBe(403)
      const token = new URL(own).searchParams.get('token') ?? ''
      const foreign = await visitor.send(page, '', { token }, { origin: 'https://evil.example' })
      expect(foreign.status).toBe(403)
      expect((await discoveries.pressOn(page, own, visitor)).status).toBe(303)
    }
  })

  test('what was continued in one browser goes on in no other', async () => {
    const { url } = await continued()
    const visitor = flows.visitorOf()
    const pressed = await discoveries.press(url, visitor)

    expect((await createVisitor(service.baseUrl).request(pressed.location ?? '')).status).toBe(403)
    expect((await visitor.request(pressed.location ?? '')).status).toBe(200)
  })

  test('does not go on with the session of somebody else in that browser', async () => {
    const { org_domain, user, app } = await flows.enrolledScene()
    const { id: application_id } = await given.application()
    const { discovery_token } = await discoveries.discover({ user_email: user.email, application_id })
    const entered = await client.discovery.enter({ discovery_token, org_domain, redirect_uri: callback })
    const url = entered.continue_url ?? ''
    const visitor = flows.visitorOf()
    const other = await service.given.user({ org_domain })
    const list = await given.prove(await given.application(), other.email, visitor)
    expect(isIn(await given.enter(list, org_domain, visitor))).toBe(true)

    const asked = await visitor.visit((await discoveries.press(url, visitor)).location ?? '')
    expect(isIn(await visitor.press(asked, 'totp', { code: flows.totp.codeOf(app) }))).toBe(true)

    const { data } = await client.sessions.list({ org_domain, user_id: user.id })
    expect(data[0]?.amr).toEqual(['email', 'otp', 'mfa'])
  })
})

describe('a redirect goes to an address that the application lists, and to no other', () => {
  test('422: any other, also one that begins like it', async () => {
    const { of, entrance } = await discovered()
    const refused = { status: 422, code: 'invalid_parameters' }
    const beginning = ['/more', '?x=1', '#'].map((end) => callback + end)
    for (const redirect_uri of ['https://evil.example/', '//evil.example', ...beginning]) {
      await expect(client.discovery.createChallenge({ ...of, redirect_uri })).rejects.toMatchObject(refused)
      await expect(client.discovery.enter({ ...entrance, redirect_uri })).rejects.toMatchObject(refused)
    }
    expect((await client.discovery.enter(entrance)).code).not.toBeNull()
  })

  test('also where the application lists it no more', async () => {
    const { of, application } = await seeker()
    const { url, application: continuedOne } = await continued()
    const link = await discoveries.linkOf(of)
    for (const { id } of [application, continuedOne])
      await client.applications.update({
        org_domain: await service.given.domain(),
        client_id: id,
        allowed_redirect_urls: ['https://store.example/other'],
        default_redirect_uri_after_login: 'https://store.example/other',
      })

    expect((await flows.visitorOf().visit(link)).status).toBe(404)
    expect((await flows.visitorOf().visit(url)).status).toBe(404)
  })

  test('422: an application that demands PKCE gets no code without a challenge', async () => {
    const { entrance, application } = await discovered()
    await client.applications.update({
      org_domain: await service.given.domain(),
      client_id: application.id,
      code_exchange: 'pkce',
    })
    await expect(client.discovery.enter(entrance)).rejects.toMatchObject({ status: 422 })
  })
})

describe('a token is worth nothing', () => {
  test.each<[string, (of: { org_domain: string; user_id: string }) => Promise<unknown>]>([
    ['the sessions of a user of the address were ended', (user) => client.sessions.endAll(user)],
    ['the user was deactivated', (user) => client.users.update({ ...user, active: false })],
    ['the user was deleted', (user) => client.users.delete(user)],
  ])('after %s', async (_, change) => {
    const { of, user, entrance } = await discovered()
    const discovery_code = await discoveries.codeOf(await discoveries.linkOf(of))
    const link = await discoveries.linkOf(of)

    await change(user)

    await expect(client.discovery.enter(entrance)).rejects.toMatchObject(notFound)
    await expect(client.discovery.exchange({ discovery_code })).rejects.toMatchObject(notFound)
    expect((await discoveries.press(link)).status).toBe(303)
  })

  test('and so is a continue_url, after them', async () => {
    const { url, user } = await continued()
    await client.sessions.endAll(user)
    expect((await flows.visitorOf().visit(url)).status).toBe(404)
  })

  test('and so is the sign-in that a continue_url begins just then', async () => {
    const { url, user, org_domain } = await continued()
    await client.magicLink.updateConnection({ org_domain, active: true })
    const visitor = flows.visitorOf()
    const page = await visitor.visit(url)
    let ended: Promise<unknown> = Promise.resolve()

    const pressed = await whileInsertWaits(
      service,
      { table: 'sign_in_flows', when: 'true' },
      () => discoveries.pressOn(page, url, visitor),
      async () => {
        ended = client.sessions.endAll(user)
        const over = new AbortController()
        await Promise.race([ended, untilWaiting(service, 2, over.signal)])
        over.abort()
      },
    )
    await ended

    expect(pressed.status).toBe(303)
    expect(isIn(await visitor.visit(pressed.location ?? ''))).toBe(false)
  })

  test('while those of others with other addresses go on', async () => {
    const { entrance } = await discovered()
    const { user } = await seeker()
    await client.sessions.endAll(user)
    expect((await client.discovery.enter(entrance)).code).not.toBeNull()
  })

  test('once the application is deleted', async () => {
    const { entrance, application } = await discovered()
    await client.applications.delete({
      org_domain: await service.given.domain(),
      client_id: application.id,
    })
    await expect(client.discovery.enter(entrance)).rejects.toMatchObject(notFound)
  })
})

describe('an organization that is not in the list', () => {
  test('is answered as one that there is not, and the token stays good', async () => {
    const { entrance } = await discovered()
    const stranger = await given.member()
    const answers: unknown[] = []
    for (const org_domain of [stranger.org_domain, `missing-${anything()}`]) {
      const error: unknown = await client.discovery
        .enter({ ...entrance, org_domain })
        .catch((reason: unknown) => reason)
      expect(error).toMatchObject({ status: 404, code: 'organization_not_found' })
      answers.push(error instanceof Error ? error.message : error)
    }
    expect(answers[0]).toBe(answers[1])
    expect((await client.discovery.enter(entrance)).code).not.toBeNull()
  })

  test.each<[string, (of: { org_domain: string }) => Promise<unknown>]>([
    ['was deleted', ({ org_domain }) => client.organizations.delete({ org_domain })],
    [
      'no longer allows the address',
      ({ org_domain }) =>
        client.organizations.update({ org_domain, allowed_email_domains: ['other.example'] }),
    ],
  ])('because it %s meanwhile', async (_, change) => {
    const { entrance, org_domain } = await discovered()
    const { url, ...scene } = await continued()
    await change({ org_domain })
    await change({ org_domain: scene.org_domain })

    await expect(client.discovery.enter(entrance)).rejects.toMatchObject({ code: 'organization_not_found' })
    expect((await discoveries.press(url)).status).toBe(404)
  })
})

test('nothing tells at the challenge whether an address is known, and only a known one gets a mail', async () => {
  const { of, user } = await seeker()
  const inactive = await seeker()
  await client.users.update({ ...inactive.user, active: false })
  const { domain: org_domain } = await service.given.organization()
  const elsewhere = await givenOf(await service.client({ environment: 'production' })).user({ org_domain })
  const token = await service.token()
  const answers: string[] = []
  for (const user_email of [of.user_email, anyEmail(), inactive.of.user_email, elsewhere.email]) {
    const answer = await fetch(`${service.baseUrl}/api/v2/discovery-challenge`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...of, user_email }),
    })
    const headers = [...answer.headers.keys()].toSorted().join(' ')
    const text = (await answer.text()).replace(/"request_id":"[^"]+"/, '').replace(/"expired_at":"[^"]+"/, '')
    answers.push(`${answer.status} ${headers} ${text}`)
    expect(await links.linksTo(user_email)).toHaveLength(user_email === of.user_email ? 1 : 0)
  }
  expect(new Set(answers).size).toBe(1)
  expect(user.user_id).not.toBe('')
})

test('the link of a mailed discovery is in no answer and in no row', async () => {
  const { of } = await seeker()
  const challenge = await client.discovery.createChallenge(of)
  const link = await links.newestLinkTo(of.user_email)
  const token = new URL(link).searchParams.get('token') ?? ''
  expect(JSON.stringify(challenge)).not.toContain(token)
  const rows = await service.query<{ row: string }>('select d::text as row from discoveries d')
  expect(rows.some(({ row }) => row.includes(token))).toBe(false)
})
