import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { answerOf, isIn } from '../given/flow-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { accountSignInGivenOf, listedOn } from './account-sign-in-given.js'

const service = await startService()
const client = await service.client()
const given = accountSignInGivenOf(service, client)
const { flows, links, inTwo } = given

const sentHeading = 'Check your e-mail'
const chooseHeading = 'Choose an organization'

describe('a sign-in that names no organization', () => {
  test('proves the mailbox, lists its organizations, and signs in to the chosen one', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    const asked = await given.begin(application, visitor)
    expect(asked.html).toContain('Sign in to Storefront')
    const sent = await visitor.press(asked, 'identify', { email })
    expect(sent.html).toContain(sentHeading)

    const link = await links.newestLinkTo(email)
    expect((await visitor.request(link, { method: 'HEAD' })).status).toBe(200)
    const list = await given.open(link, visitor)

    expect(list.html).toContain(chooseHeading)
    expect(listedOn(list)).toEqual([first.org_domain, second.org_domain])
    const landed = await given.enter(list, second.org_domain, visitor)
    expect(isIn(landed)).toBe(true)
    expect(answerOf(landed).get('iss')).toBe(given.issuer)
    const [session] = (await client.sessions.list({ org_domain: second.org_domain, user_id: second.user.id }))
      .data
    expect(session?.amr).toEqual(['email'])
    const user = await client.users.get({ org_domain: second.org_domain, user_id: second.user.id })
    expect(user).toMatchObject({ email_verified: true })
  })

  test('names the application in its mail, and no organization', async () => {
    const { email, application, visitor } = await inTwo()
    await visitor.press(await given.begin(application, visitor), 'identify', { email })
    await service.runJobs()

    const [mail] = (await client.outbox.list({ to: email })).data

    expect(mail?.subject).toBe('Sign in to Storefront')
    expect(mail?.text).not.toMatch(/Alpha|Beta/)
  })

  longTest('enters the only organization at once, but on the first visit it is chosen', async () => {
    const application = await given.application()
    const { org_domain, user } = await given.member()
    const first = await given.prove(application, user.email)
    expect(listedOn(first)).toEqual([org_domain])
    const visitor = flows.visitorOf()
    const list = await given.prove(application, user.email, visitor)
    expect(isIn(await given.enter(list, org_domain, visitor))).toBe(true)

    expect(isIn(await given.prove(application, user.email))).toBe(true)
    const listed = await given.prove(application, user.email, flows.visitorOf(), {
      prompt: 'select_organization',
    })
    expect(listedOn(listed)).toEqual([org_domain])
  })

  test('shows the list without a mail to a browser that has proved the mailbox, for an hour without use', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    await given.enter(await given.prove(application, email, visitor), first.org_domain, visitor)
    const select = { prompt: 'select_organization' }

    const list = await given.begin(application, visitor, select)
    expect(listedOn(list)).toEqual([first.org_domain, second.org_domain])
    expect(isIn(await given.enter(list, second.org_domain, visitor))).toBe(true)

    await service.clock.advance(61 * 60)
    expect(listedOn(await given.begin(application, visitor, select))).toEqual([])
  })

  test('notes a use of the proof once in a minute, however often its list is shown', async () => {
    const { email, application, visitor } = await inTwo()
    const list = await given.prove(application, email, visitor)
    const lastUse = () =>
      service.query<{ at: Date }>('select last_used_at as at from email_sessions where email = $1', [email])
    const [proved] = await lastUse()

    await service.clock.advance(30)
    expect(listedOn(await visitor.visit(list.url))).toHaveLength(2)
    expect(await lastUse()).toEqual([proved])

    await service.clock.advance(30)
    expect(listedOn(await visitor.visit(list.url))).toHaveLength(2)
    expect(await lastUse()).not.toEqual([proved])
  })

  test('counts a proof for eight hours at most, however it is used', async () => {
    const { email, application, visitor } = await inTwo()
    await given.prove(application, email, visitor)
    const isListed = async () => {
      await service.clock.advance(48 * 60)
      return listedOn(await given.begin(application, visitor, { prompt: 'select_organization' })).length > 0
    }

    const seen: boolean[] = []
    for (let use = 0; use < 10; use += 1) seen.push(await isListed())

    expect(seen).toEqual([...Array.from({ length: 9 }, () => true), false])
  })

  test('lists no user that was deleted, is inactive, or is of the other environment', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    const third = await given.member(email)
    const production = await service.client({ environment: 'production' })
    const { domain } = await service.given.organization()
    await service.given.user({ org_domain: domain, email }, production)
    await client.users.delete({ org_domain: first.org_domain, user_id: first.user.id })
    await client.users.update({ org_domain: third.org_domain, user_id: third.user.id, active: false })

    expect(listedOn(await given.prove(application, email, visitor))).toEqual([second.org_domain])
  })

  test.each([
    ['max_age', { max_age: '60' }],
    ['prompt=login', { prompt: 'login select_organization' }],
  ])('asks for a new mail where the proof is older than %s allows', async (_, members) => {
    const { email, application, visitor } = await inTwo()
    await given.prove(application, email, visitor)
    await service.clock.advance(61)

    const page = await given.begin(application, visitor, { prompt: 'select_organization', ...members })

    expect(listedOn(page)).toEqual([])
    expect(page.html).toContain('Sign in to Storefront')
  })

  test('lists last used organizations first, and another one can be chosen after the first', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    const list = await given.prove(application, email, visitor)
    await given.enter(list, second.org_domain, visitor)

    const again = await given.begin(application, visitor, { prompt: 'select_organization' })

    expect(listedOn(again)).toEqual([second.org_domain, first.org_domain])
    expect(again.html).toContain('Not used yet')
  })
})

describe('an address without an organization', () => {
  test('is told so only after it was proved', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    await visitor.press(await given.begin(application, visitor), 'identify', { email })
    const link = await links.newestLinkTo(email)
    for (const { org_domain, user } of [first, second])
      await client.users.update({ org_domain, user_id: user.id, active: false })

    const page = await given.open(link, visitor)

    expect(page.html).toContain('No organization found')
  })

  test('a user who was carried over by a relay is not listed until they have proved the address there', async () => {
    const { email, application, first, second, visitor } = await inTwo()
    await service.query(
      `insert into user_identities
         (account_id, environment, organization_id, user_id, id, kind, issuer, subject, authenticated_at, inserted_at, provider, data)
       select account_id, environment, organization_id, id, id, 'relay', 'issuer', 'subject', inserted_at, inserted_at, 'relay', '{}'
       from users where id = $1`,
      [first.user.id],
    )

    const list = await given.prove(application, email, visitor)

    expect(listedOn(list)).toEqual([second.org_domain])
  })
})

describe('a typed address', () => {
  test('goes straight to the organization that this browser has used with it, and from there to another one', async () => {
    const application = await given.application()
    const scene = await given.scene(application)
    const { visitor } = await given.signIn(scene)
    await client.sessions.endAll({ org_domain: scene.org_domain, user_id: scene.user.id })

    const asked = await given.begin(application, visitor)
    expect(asked.html).not.toContain(scene.org_domain)
    const page = await visitor.press(asked, 'identify', { email: scene.user.email })
    expect(page.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    expect(page.html).toContain('Enter your password')

    const back = await visitor.visit(/href="(\/a\/[^"]+)"/.exec(page.html)?.[1] ?? '')
    const sent = await visitor.press(back, 'identify', { email: scene.user.email })
    expect(sent.html).toContain(sentHeading)
  })

  test('an account cookie alone gives no session, and the page no name', async () => {
    const application = await given.application()
    const scene = await given.scene(application)
    const { visitor } = await given.signIn(scene)
    const thief = flows.visitorOf()
    for (const [name, value] of visitor.cookies)
      if (name.includes('portico-account-')) thief.cookies.set(name, value)

    const page = await given.begin(application, thief)

    expect(isIn(page)).toBe(false)
    expect(page.html).not.toContain(scene.org_domain)
    expect(page.html).not.toContain(scene.user.email)
  })
})

test('prompt=none shows no page, and select_organization is none of an organization’s', async () => {
  const { application, first } = await inTwo()
  expect(
    await given.answerTo({ org_domain: '', application }, { organization: undefined, prompt: 'none' }),
  ).toMatchObject({ error: 'login_required' })
  const url = flows.authorizeUrl(
    { org_domain: first.org_domain, application },
    { prompt: 'select_organization' },
  )
  expect(answerOf(await flows.visitorOf().request(url)).get('error')).toBe('invalid_request')
})

test('the list has the logos of organizations that the user has entered, and of no other', async () => {
  const email = anyEmail()
  const application = await given.application()
  const logoOf = (name: string) => ({ icon_logo_url: `https://${name}.example/icon.png` })
  const used = await given.member(email, logoOf('used'))
  await given.member(email, logoOf('strange'))
  const visitor = flows.visitorOf()
  await given.enter(await given.prove(application, email, visitor), used.org_domain, visitor)

  const list = await given.begin(application, visitor, { prompt: 'select_organization' })

  expect(list.html).toContain('src="https://used.example/icon.png"')
  expect(list.html).not.toContain('strange.example')
  expect(list.headers.get('content-security-policy')).toContain("img-src 'self' data: https://used.example;")
})
