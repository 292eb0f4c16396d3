import { describe, expect, test } from 'vitest'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { signInGivenOf, type Place } from './sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = signInGivenOf(service, client)

interface Pressed {
  readonly status: number
  /** The authorization code, if the browser is redirected to the application. */
  readonly code: string | null
}

/** The page of a link before its button is pressed, in a new browser or in one with the cookies of another page. */
async function givenPage(link: string, known?: { cookie: string }) {
  const page = await fetch(link, { headers: { accept: 'text/html', ...(known && { cookie: known.cookie }) } })
  const html = await page.text()
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? ''
  const [, action = ''] = /action="([^"]*)"/.exec(html) ?? []
  const cookie = page.headers.getSetCookie().join('; ').split(';', 1).join('')
  const form = { token: field('token'), csrf: field('csrf') }

  async function press(
    fields: Partial<typeof form> = {},
    headers: Record<string, string> = {},
  ): Promise<Pressed> {
    const answer = await fetch(new URL(action, link), {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, origin: service.baseUrl, ...headers },
      body: new URLSearchParams({ ...form, ...fields }),
    })
    const location = answer.headers.get('location')
    return { status: answer.status, code: location && new URL(location).searchParams.get('code') }
  }
  return { cookie, form, press }
}

const dead = { status: 404, code: null }

describe('the button of a magic link', () => {
  async function givenLinkPage(of?: Place) {
    const place = of ?? (await given.place())
    return { place, ...(await givenPage(await given.link(place))) }
  }

  test('signs its user in', async () => {
    const { press } = await givenLinkPage()

    expect(await press()).toEqual({ status: 303, code: expect.any(String) })
  })

  test('works once', async () => {
    const { press } = await givenLinkPage()
    await press()

    expect(await press()).toEqual(dead)
  })

  test('works for a quarter of an hour', async () => {
    const { press } = await givenLinkPage()

    await service.clock.advance(15 * 60)

    expect(await press()).toEqual(dead)
  })

  test('is dead when three links were made after its own', async () => {
    const { place, press } = await givenLinkPage()
    for (let count = 0; count < 3; count++) await given.link(place)

    expect(await press()).toEqual(dead)
  })

  test('is dead when another link of its user was used', async () => {
    const place = await given.place()
    const [first, second] = [await givenLinkPage(place), await givenLinkPage(place)]
    await second.press()

    expect(await first.press()).toEqual(dead)
  })

  test('takes no token of another organization', async () => {
    const mine = await givenLinkPage()
    const theirs = await givenPage(await given.link(await given.place()), mine)

    expect(await mine.press(theirs.form)).toEqual(dead)
  })

  test('is dead when its organization was deleted', async () => {
    const { place, press } = await givenLinkPage()
    await client.organizations.delete({ org_domain: place.org_domain })

    expect(await press()).toEqual(dead)
  })

  test('is dead while its connection is switched off', async () => {
    const { place, press } = await givenLinkPage()
    await client.magicLink.updateConnection({ org_domain: place.org_domain, active: false })

    expect(await press()).toEqual(dead)
  })

  test('is dead where its address may not sign in any more', async () => {
    const { place, press } = await givenLinkPage()
    const allowed_email_domains = ['else.example']
    await client.organizations.update({ org_domain: place.org_domain, allowed_email_domains })

    expect(await press()).toEqual(dead)
  })

  test('is dead for an inactive user', async () => {
    const { place, press } = await givenLinkPage()
    await client.users.update({ org_domain: place.org_domain, user_id: place.user_id, active: false })

    expect(await press()).toEqual(dead)
  })

  test('is dead when its application was deleted', async () => {
    const { place, press } = await givenLinkPage()
    await client.applications.delete({ org_domain: place.org_domain, client_id: place.application_id })

    expect(await press()).toEqual(dead)
  })

  test('is dead when its application does not allow the address any more', async () => {
    const { place, press } = await givenLinkPage()
    await client.applications.update({
      org_domain: place.org_domain,
      client_id: place.application_id,
      allowed_redirect_urls: ['https://store.example/elsewhere'],
    })

    expect(await press()).toEqual(dead)
  })

  test('is dead when another organization keeps its application to itself by now', async () => {
    const { place, press } = await givenLinkPage()
    const other = await service.given.organization()
    await client.applications.update({
      org_domain: place.org_domain,
      client_id: place.application_id,
      organization_domain_scope: other.domain,
    })

    expect(await press()).toEqual(dead)
  })

  test('makes no user once the connection does not want unknown addresses', async () => {
    const place = await given.place()
    const org_domain = place.org_domain
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const { press } = await givenLinkPage({ ...place, user_email: anyEmail() })
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: false })

    expect(await press()).toEqual(dead)
  })

  test('makes no user when unknown addresses were not wanted as the link was made', async () => {
    const place = await given.place()
    const org_domain = place.org_domain
    const { press } = await givenLinkPage(place)
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    await client.users.delete({ org_domain, user_id: place.user_id })

    expect(await press()).toEqual(dead)
  })
})

describe('the form of a magic link', () => {
  const refusedForm = { status: 403, code: null }

  test('is refused from a browser that has not seen its page', async () => {
    const { press } = await givenPage(await given.link(await given.place()))

    expect(await press({}, { cookie: '' })).toEqual(refusedForm)
  })

  test('is refused with the field of another link', async () => {
    const other = await givenPage(await given.link(await given.place()))
    const { press } = await givenPage(await given.link(await given.place()), other)

    expect(await press({ csrf: other.form.csrf }, { cookie: other.cookie })).toEqual(refusedForm)
  })

  test('is refused from another site', async () => {
    const { press } = await givenPage(await given.link(await given.place()))

    expect(await press({}, { origin: 'https://else.example' })).toEqual(refusedForm)
  })

  test('is refused from a page without an origin, of another site', async () => {
    const { press } = await givenPage(await given.link(await given.place()))

    expect(await press({}, { origin: 'null', 'sec-fetch-site': 'cross-site' })).toEqual(refusedForm)
  })
})

describe('a GET of a magic link', () => {
  async function statusOf(link: string, accept = 'application/json'): Promise<number> {
    const { status } = await fetch(link, { headers: { accept }, redirect: 'manual' })
    return status
  }

  test('signs in where a test asks for JSON', async () => {
    expect(await statusOf(await given.link(await given.place()))).toBe(303)
  })

  test('signs nobody in for a browser', async () => {
    expect(await statusOf(await given.link(await given.place()), 'text/html,*/*;q=0.8')).toBe(200)
  })

  test('signs nobody in to production', async () => {
    const production = await service.client({ environment: 'production' })
    const { domain } = await service.given.organization()
    const user = await service.given.user({ org_domain: domain }, production)
    const application = { org_domain: domain, organization_domain_scope: domain }
    await service.given.application(application, production)

    const { magic_link } = await production.magicLink.createChallenge({
      org_domain: domain,
      user_email: user.email,
      send_email: false,
    })

    expect(await statusOf(magic_link ?? '')).toBe(200)
  })

  test('signs nobody in with a link that was mailed', async () => {
    const place = await given.place()
    await client.magicLink.createChallenge({
      org_domain: place.org_domain,
      user_email: place.user_email,
      application_id: place.application_id,
    })
    await service.runJobs()
    const { data } = await client.outbox.list({ to: place.user_email })
    const [link = ''] = /http\S+token=[\w-]+/.exec(data[0]?.text ?? '') ?? []

    expect(await statusOf(link)).toBe(200)
  })
})
