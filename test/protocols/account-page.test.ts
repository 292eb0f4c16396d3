import { accountPageIds } from '@portico/contract/sessions'
import { describe, expect, test } from 'vitest'
import { readKeyUri } from '../given/authenticator.js'
import { flowGivenOf, goodPassword, isIn, type FlowScene } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { anyEmail } from '../given/given.js'
import { idpMetadata } from '../given/sso-given.js'
import { keepByDirectory } from '../api/person-given.js'
import { scimGivenOf } from '../given/scim-given.js'
import { stepSeconds } from '../given/totp-given.js'
import { csrfOf, pkcePair, type Seen, type Visitor } from '../given/visitor.js'
import { exchange } from './code-given.js'

const service = await startService()
const client = await service.client()
const given = flowGivenOf(service, client)

type Section = 'profile' | 'password' | 'second-factor' | 'linked' | 'data' | 'delete'

const staleMinutes = 11
const otherPassword = `${goodPassword} and nineteen sails`

function addressOf({ org_domain }: Pick<FlowScene, 'org_domain'>, section?: Section): string {
  return `/t/${org_domain}/account${section === undefined ? '' : `/${section}`}?environment=sandbox`
}

/** Signs in at the page that a visit of the account page has led to. */
async function signInAt(
  visitor: Visitor,
  page: Seen,
  { user }: FlowScene,
  password = goodPassword,
): Promise<Seen> {
  const asked = await visitor.press(page, 'identify', { email: user.email })
  return visitor.press(asked, 'password', { password })
}

/** A user who has just signed in to a section of their account page. */
async function givenSection(section: Section, scene?: FlowScene) {
  const of = scene ?? (await given.scene())
  await client.sessions.endAll({ org_domain: of.org_domain, user_id: of.user.id })
  const visitor = given.visitorOf()
  const page = await signInAt(visitor, await visitor.visit(addressOf(of, section)), of)
  return { scene: of, visitor, page }
}

/** Every field of the profile, as a browser sends them. */
function typedAs(members: Record<string, string>): Record<string, string> {
  const names = ['given_name', 'family_name', 'nickname', 'locale', 'zoneinfo', 'picture']
  const parts = ['street_address', 'postal_code', 'locality', 'region', 'country']
  return { ...Object.fromEntries([...names, ...parts].map((name) => [name, ''])), ...members }
}

async function isPasswordOf(scene: FlowScene, password: string): Promise<boolean> {
  const visitor = given.visitorOf()
  const { page } = await given.begin(scene, {}, visitor)
  return isIn(await signInAt(visitor, page, scene, password))
}

async function sessionsOf({ org_domain, user }: FlowScene) {
  return (await client.sessions.list({ org_domain, user_id: user.id })).data
}

async function hasSecondFactor({ user }: FlowScene): Promise<boolean> {
  const rows = await service.query(
    'select from totp_enrollments where user_id = $1 and validated_at is not null',
    [user.id],
  )
  return rows.length > 0
}

/** Begins an enrolment, and reads the app's key from the page. */
async function begunOn(page: Seen, visitor: Visitor) {
  const shown = await visitor.press(page, 'enroll')
  const [, uri = ''] = /href="(otpauth:[^"]+)"/.exec(shown.html) ?? []
  return { shown, app: readKeyUri(uri.replaceAll('&amp;', '&')) }
}

/** Enrols an app on the page. */
async function enrolledOn(page: Seen, visitor: Visitor) {
  const { shown, app } = await begunOn(page, visitor)
  return { app, codes: await visitor.press(shown, 'validate', { code: given.totp.codeOf(app) }) }
}

describe('the account page', () => {
  test('begins a sign-in where there is no session, and is where it ends', async () => {
    const { scene, page } = await givenSection('profile')

    expect(page).toMatchObject({ status: 200, url: `${service.baseUrl}${addressOf(scene, 'profile')}` })
    expect(await sessionsOf(scene)).toMatchObject([{ client_id: accountPageIds.sandbox }])
  })

  test('leads to its sections and to the sessions, without a sign-in in between', async () => {
    const { scene, visitor } = await givenSection('profile')
    const page = await visitor.visit(addressOf(scene))
    const links = [...page.html.matchAll(/<a href="([^"]+)"/g)].map(([, url = '']) =>
      url.replaceAll('&amp;', '&'),
    )
    const own = links.filter(
      (url) => url.startsWith(`/t/${scene.org_domain}/`) && !url.includes('ui_locales'),
    )

    expect(own).toHaveLength(6)
    for (const url of own) expect(await visitor.request(url)).toMatchObject({ status: 200, location: null })
  })

  test('says what its user has in a section', async () => {
    const { scene, visitor } = await givenSection('profile')
    const statesOf = async () => {
      const { html } = await visitor.visit(addressOf(scene))
      return [...html.matchAll(/account\/([a-z-]+)[^>]*>[^<]*<\/a><span[^>]*>([^<]*)</g)].map(
        ([, ...state]) => state,
      )
    }
    expect(await statesOf()).toEqual([
      ['password', 'Set'],
      ['passkeys', 'None'],
    ])
    await given.totp.activate(scene.org_domain)

    expect(await statesOf()).toContainEqual(['second-factor', 'Off'])
    await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })
    expect(await statesOf()).toContainEqual(['second-factor', 'On'])
  })

  test('has a client that is in no list and no total, that no key reads, and whose code nobody can exchange', async () => {
    const scene = await given.scene()
    const before = await client.applications.list({ org_domain: scene.org_domain })
    const visitor = given.visitorOf()
    await signInAt(visitor, await visitor.visit(addressOf(scene)), scene)

    expect(await client.applications.list({ org_domain: scene.org_domain })).toMatchObject({
      total: before.total,
    })
    const client_id = accountPageIds.sandbox
    await expect(client.applications.get({ org_domain: scene.org_domain, client_id })).rejects.toMatchObject({
      status: 404,
    })
    const redirect_uri = `${service.baseUrl}/account/signed-in`
    const { verifier, challenge } = pkcePair()
    const members = { client_id, redirect_uri, prompt: 'none', code_challenge: challenge }
    const { location } = await visitor.request(given.authorizeUrl(scene, members))
    const code = new URL(location ?? '').searchParams.get('code') ?? ''
    const answer = await exchange(service, { code, code_verifier: verifier, client_id, redirect_uri })
    expect(code).not.toBe('')
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant'])
  })

  test.each([
    'https://evil.example/',
    '//evil.example/t/acme/account?environment=sandbox',
    '/t/acme/../../account?environment=sandbox',
    '/t/acme/account/profile?environment=sandbox&next=https://evil.example',
    '/console',
    '',
  ])('is left for no other page after a sign-in: %j', async (state) => {
    const visitor = given.visitorOf()
    const seen = await visitor.request(`/account/signed-in?${new URLSearchParams({ state }).toString()}`)

    expect(seen).toMatchObject({ status: 403, location: null })
  })

  test('does not send a browser round in circles that has no session after a sign-in', async () => {
    const scene = await given.scene()
    const state = addressOf(scene)
    const seen = await given
      .visitorOf()
      .request(`/account/signed-in?${new URLSearchParams({ state }).toString()}`)

    expect(seen).toMatchObject({ status: 401, location: null })
  })
})

describe('the way back from the account page', () => {
  const returnTo = 'https://store.example/settings?tab=me'

  async function givenReturn(return_to: string, members: Record<string, string> = {}) {
    const scene = await given.scene()
    const { org_domain, application } = scene
    const { client_id } = application
    await client.applications.update({ org_domain, client_id, allowed_logout_urls: [returnTo] })
    const query = new URLSearchParams({ client_id, return_to, ...members })
    const visitor = given.visitorOf()
    const page = await signInAt(
      visitor,
      await visitor.visit(`${addressOf(scene)}&${query.toString()}`),
      scene,
    )
    return { scene, visitor, page }
  }

  test('leads to the application whose allowed URL it is, also after a sign-in and from a section', async () => {
    const { scene, visitor, page } = await givenReturn(returnTo)
    const [section = ''] = /\/t\/[^"]+\/account\/profile[^"]*/.exec(page.html) ?? []
    const profile = await visitor.visit(section.replaceAll('&amp;', '&'))
    const [first = ''] = /\/t\/[^"]+\/account\?[^"]*return_to[^"]*/.exec(profile.html) ?? []
    const again = await visitor.visit(first.replaceAll('&amp;', '&'))

    for (const { html } of [page, again]) {
      expect(html).toContain(`href="${returnTo.replaceAll('&', '&amp;')}"`)
      expect(html).toContain(`Back to ${scene.application.name}`)
    }
  })

  test.each([
    ['of another site', 'https://evil.example/', {}],
    ['that is longer than an allowed one', `${returnTo}#evil`, {}],
    ['that is a script', 'javascript:alert(1)', {}],
    ['of another application', returnTo, { client_id: accountPageIds.sandbox }],
    ['of nothing', returnTo, { client_id: 'nobody' }],
  ])('leads to no address %s', async (_, return_to, members) => {
    const { page } = await givenReturn(return_to, members)

    expect(page.status).toBe(200)
    expect(page.html).not.toContain('Back to ')
    expect(page.html).not.toContain(`href="${return_to}`)
  })
})

describe('the name on the account page', () => {
  test('is changed by its user, with an event in their name, however long ago they signed in', async () => {
    const { scene, visitor, page } = await givenSection('profile')
    await service.clock.advance(30 * 60)
    const names = { given_name: 'Ada', family_name: 'Lovelace', nickname: '' }
    const after = await visitor.press(page, 'save', names)

    expect(after.html).toContain('value="Lovelace"')
    const { org_domain, user } = scene
    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({
      profile: { given_name: 'Ada', family_name: 'Lovelace', nickname: null },
    })
    const [event] = await service.query<{ actor_type: string; actor_id: string }>(
      `select actor_type, actor_id from events
       where subject_id = $1 and code = 'user.user.update.success' order by issued_at desc limit 1`,
      [user.id],
    )
    expect(event).toEqual({ actor_type: 'user', actor_id: user.id })
  })

  test('is not changed where a directory writes it: the page offers nothing, and a form has no effect', async () => {
    const at = await given.scene()
    const { scim } = await scimGivenOf(client).directory({ org_domain: at.org_domain })
    const userName = anyEmail()
    await scim('POST', '/Users', { body: { userName, name: { givenName: 'Grace', familyName: 'Hopper' } } })
    const user = await client.users.getByEmail({ org_domain: at.org_domain, user_email: userName })
    await given.passwords.set({ ...at, user })
    const { scene, visitor, page } = await givenSection('profile', { ...at, user })
    expect(page.html).toContain('Hopper')
    expect(page.html).not.toContain('name="family_name"')

    const form = await visitor.visit(addressOf(scene, 'password'))
    const body = new URLSearchParams({ csrf: csrfOf(form.html), action: 'save', family_name: 'Lovelace' })
    const headers = { origin: service.baseUrl }
    const sent = await visitor.request(addressOf(scene, 'profile'), { method: 'POST', headers, body })

    expect(sent.status).toBe(303)
    expect(await client.users.get({ org_domain: at.org_domain, user_id: user.id })).toMatchObject({
      profile: { given_name: 'Grace', family_name: 'Hopper' },
    })
  })

  test('that is too long is refused beside its field, and nothing is changed', async () => {
    const { scene, visitor, page } = await givenSection('profile')
    const after = await visitor.press(page, 'save', { given_name: 'Ada', family_name: 'L'.repeat(101) })

    expect(after).toMatchObject({ status: 422 })
    expect(after.html).toContain('id="family_name-fault"')
    expect(
      await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id }),
    ).not.toMatchObject({ profile: { given_name: 'Ada' } })
  })
})

describe('an organization that keeps the accounts of its users to itself', () => {
  test('has them change no profile and download no data', async () => {
    const { scene, visitor, page } = await givenSection('profile')
    const { org_domain, user } = scene
    const data = await visitor.visit(addressOf(scene, 'data'))
    await client.organizationPolicy.update({ org_domain, self_service: false })

    const saved = await visitor.press(page, 'save', { given_name: 'Ada' })
    const sent = await visitor.press(data, 'download')

    expect(saved.html).toContain('Your organization manages your profile')
    expect(sent.headers.get('content-disposition')).toBeNull()
    expect(sent.html).not.toContain('value="download"')
    expect(await client.users.get({ org_domain, user_id: user.id })).not.toMatchObject({
      profile: { given_name: 'Ada' },
    })
  })
})

describe('the data on the account page', () => {
  test('is a file with what is stored of the user and names nobody else, three times a day', async () => {
    const { scene, visitor, page } = await givenSection('data')
    const { org_domain, application, user } = scene
    const { client_id } = application
    await client.applications.update({
      org_domain,
      client_id,
      initiate_login_uri: 'https://store.example/in',
    })
    await client.impersonations.create({
      ...{ org_domain, user_id: user.id, application_id: client_id },
      actor: { id: 'staff-7', email: 'grace@support.example' },
      reason: 'Ticket of Hopper',
    })

    const files = [
      await visitor.send(page, 'download'),
      await visitor.send(page, 'download'),
      await visitor.send(page, 'download'),
    ]
    const fourth = await visitor.send(page, 'download')

    const [file] = files
    expect(files.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(file?.headers.get('content-disposition')).toBe(`attachment; filename="${org_domain}-account.json"`)
    expect(file?.headers.get('cache-control')).toContain('no-store')
    const data: unknown = JSON.parse(file?.html ?? '')
    expect(data).toMatchObject({
      __type__: 'OwnData',
      organization: org_domain,
      user: { id: user.id, email: user.email },
      records: {
        sessions: expect.arrayContaining([expect.objectContaining({ user_id: user.id })]) as unknown,
        impersonations: [expect.objectContaining({ user_id: user.id })],
      },
    })
    expect(file?.html).not.toMatch(/staff-7|support\.example|Hopper|_hash|sealed/)
    expect(fourth.status).toBe(429)
    expect(fourth.html).toContain('three times a day')
    const { data: logged } = await client.logEvents.list({ org_domain, code: 'ACCOUNT_DATA_DOWNLOADED' })
    expect(logged).toHaveLength(3)
  })

  test('is not given to a session that is not fresh, nor to a form of another site', async () => {
    const { scene, visitor, page } = await givenSection('data')
    const foreign = await visitor.send(page, 'download', {}, { origin: 'https://evil.example' })
    await service.clock.advance(staleMinutes * 60)
    const late = await visitor.press(page, 'download')

    expect(foreign.status).toBe(403)
    expect(late.url).toContain(`/t/${scene.org_domain}/sign-in/`)
  })
})

test('the success of a change on the account page is not told beside a fault', async () => {
  const { scene, visitor } = await givenSection('linked')
  const done = `${addressOf(scene, 'linked')}&done=1`

  const saved = await visitor.visit(done)
  const denied = await visitor.visit(`${done}&link=denied`)

  const success = 'Your change has been saved.'
  const fault = 'You did not sign in there, so nothing was linked.'
  expect([saved.html.includes(success), saved.html.includes(fault)]).toEqual([true, false])
  expect([denied.html.includes(success), denied.html.includes(fault)]).toEqual([false, true])
})

test('the mail about a change on the account page says in which browser and from which network, and links to the page', async () => {
  const { scene, visitor, page } = await givenSection('password')
  const headers = {
    origin: service.baseUrl,
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 <b>evil</b>',
  }
  await visitor.send(page, 'set_password', { password: otherPassword }, headers)
  await service.runJobs()

  const { data } = await client.outbox.list({ to: scene.user.email })
  const texts = data.flatMap(({ text, subject }) =>
    subject?.includes('password') === true && subject.includes('was set') ? [text] : [],
  )
  // Both are of one moment, so that their order says nothing.
  const own = texts.find((text) => text.includes('network'))
  const byApi = texts.filter((text) => text !== own)
  expect(own).toMatch(/, in Firefox, Linux, from the network [\da-f.:/]+\./)
  expect(own).toContain(`${service.baseUrl}${addressOf(scene)}`)
  expect(byApi).not.toHaveLength(0)
  for (const text of byApi) expect(text).not.toMatch(/network|account\?/)
})

describe('the deletion on the account page', () => {
  async function givenDeletion(scene?: FlowScene) {
    const of = scene ?? (await given.scene())
    await client.organizationPolicy.update({ org_domain: of.org_domain, self_deletion: 'allowed' })
    return givenSection('delete', of)
  }

  async function isThere({ org_domain, user }: FlowScene): Promise<boolean> {
    return (await client.users.list({ org_domain, filter: user.email })).total > 0
  }

  test('deletes the user who types their address, ends their sessions, and is told by mail and event', async () => {
    const { scene, visitor, page } = await givenDeletion()
    const { org_domain, user } = scene
    await given.signIn(scene)
    const wrong = await visitor.press(page, 'delete', { email: 'somebody@else.example' })
    expect([wrong.status, await isThere(scene)]).toEqual([422, true])

    const gone = await visitor.press(page, 'delete', { email: user.email.toUpperCase() })

    expect(gone.status).toBe(200)
    expect(visitor.sessionSecret()).toBeUndefined()
    expect(await isThere(scene)).toBe(false)
    const rows = await service.query(
      `select actor_type, actor_id from events where subject_id = $1 and code = 'user.user.delete.success'`,
      [user.id],
    )
    expect(rows).toEqual([{ actor_type: 'user', actor_id: user.id }])
    expect(
      await service.query('select from sessions where user_id = $1 and ended_at is null', [user.id]),
    ).toEqual([])
    await service.runJobs()
    const { data } = await client.outbox.list({ to: user.email })
    expect(data.map(({ subject }) => subject)).toContainEqual(expect.stringContaining('was deleted'))
    expect((await client.logEvents.list({ org_domain, code: 'ACCOUNT_DELETED_BY_USER' })).data).toHaveLength(
      1,
    )
  })

  test('is nothing where the organization does not allow it, which is how it begins', async () => {
    const { scene, visitor, page } = await givenDeletion()
    const { org_domain, user } = scene
    await client.organizationPolicy.update({ org_domain, self_deletion: 'none' })

    const after = await visitor.press(page, 'delete', { email: user.email })

    expect(await isThere(scene)).toBe(true)
    expect(after.html).not.toContain('value="delete"')
    const other = await given.scene()
    expect(await client.organizationPolicy.get({ org_domain: other.org_domain })).toMatchObject({
      self_deletion: 'none',
    })
  })

  test('is not that of a user whom a directory keeps, nor of a session that is not fresh', async () => {
    const { scene, visitor, page } = await givenDeletion()
    const { org_domain, user } = scene
    await service.clock.advance(staleMinutes * 60)
    const late = await visitor.press(page, 'delete', { email: user.email })
    expect(late.url).toContain(`/t/${org_domain}/sign-in/`)
    const fresh = await signInAt(visitor, late, scene)
    expect(fresh.html).toContain('value="delete"')
    await keepByDirectory(client, { org_domain, user_id: user.id, email: user.email })
    const [kept] = await service.query('select from directory_users where user_id = $1', [user.id])
    expect(kept).toBeDefined()

    await visitor.press(fresh, 'delete', { email: user.email })

    expect(await isThere(scene)).toBe(true)
  })
})

describe('what is typed on the account page', () => {
  test('is the profile and the address, of which what is not touched stays as it was', async () => {
    const { scene, visitor } = await givenSection('profile')
    const { org_domain, user } = scene
    const address = {
      formatted: 'Under the roof',
      street_address: '12 St James’s Square\nLeft door',
      country: 'UK',
    }
    await client.users.update({
      org_domain,
      user_id: user.id,
      address,
      profile: { website: 'https://ada.example' },
    })
    const page = await visitor.visit(addressOf(scene, 'profile'))
    const typed = {
      ...typedAs({ given_name: 'Ada', street_address: '12 St James’s SquareLeft door', country: 'UK' }),
      ...{ locale: 'fr-ca', zoneinfo: 'America/Toronto', picture: 'https://pictures.example/ada.png' },
    }

    await visitor.press(page, 'save', typed)
    const after = await client.users.get({ org_domain, user_id: user.id })
    await visitor.press(page, 'save', { ...typed, locality: 'Toronto' })

    expect(after).toMatchObject({
      profile: {
        ...{
          given_name: 'Ada',
          locale: 'fr-CA',
          zoneinfo: 'America/Toronto',
          website: 'https://ada.example',
        },
        picture: 'https://pictures.example/ada.png',
      },
      address,
    })
    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({
      address: { ...address, locality: 'Toronto', formatted: null },
    })
  })

  test.each([
    ['locale', 'Klingon of the north'],
    ['zoneinfo', 'Europe/Nowhere'],
    ['picture', 'http://pictures.example/ada.png'],
    ['picture', `https://pictures.example/${'a'.repeat(2000)}`],
    ['postal_code', '1'.repeat(31)],
  ])('is refused beside its field, and nothing is changed: %s', async (name, text) => {
    const { scene, visitor, page } = await givenSection('profile')
    const before = await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })

    const after = await visitor.press(page, 'save', typedAs({ given_name: 'Grace', [name]: text }))

    expect(after.status).toBe(422)
    expect(after.html).toContain(`id="${name}-fault"`)
    expect(await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })).toEqual(before)
  })

  test('clears nothing where it is longer than the service reads', async () => {
    const { scene, visitor, page } = await givenSection('profile')
    const saved = await visitor.press(page, 'save', { nickname: 'Countess' })
    const after = await visitor.press(saved, 'save', { nickname: 'C'.repeat(6000) })

    expect(after.status).toBe(422)
    expect(await client.users.get({ org_domain: scene.org_domain, user_id: scene.user.id })).toMatchObject({
      profile: { nickname: 'Countess' },
    })
  })
})

describe('the password on the account page', () => {
  test('is changed after a fresh sign-in, ends every other session, and is told by mail', async () => {
    const { scene, visitor, page } = await givenSection('password')
    await given.signIn(scene)
    expect(await sessionsOf(scene)).toHaveLength(2)

    const after = await visitor.press(page, 'set_password', { password: otherPassword })

    expect(after).toMatchObject({ status: 200 })
    expect(await sessionsOf(scene)).toMatchObject([{ client_id: accountPageIds.sandbox }])
    expect(await visitor.request(addressOf(scene))).toMatchObject({ status: 200 })
    expect([await isPasswordOf(scene, goodPassword), await isPasswordOf(scene, otherPassword)]).toEqual([
      false,
      true,
    ])
    await service.runJobs()
    const { data } = await client.outbox.list({ to: scene.user.email })
    expect(data.map(({ subject }) => subject)).toContainEqual(expect.stringContaining('was set'))
  })

  test('keeps its rules: a common one is refused beside the field', async () => {
    const { scene, visitor, page } = await givenSection('password')
    const after = await visitor.press(page, 'set_password', { password: 'password1234' })

    expect(after).toMatchObject({ status: 422 })
    expect(await isPasswordOf(scene, goodPassword)).toBe(true)
  })

  test('asks for a new sign-in after ten minutes, and comes back', async () => {
    const { scene, visitor } = await givenSection('profile')
    await service.clock.advance(staleMinutes * 60)

    const asked = await visitor.visit(addressOf(scene, 'password'))

    expect(asked.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    const back = await signInAt(visitor, asked, scene)
    expect(back.url).toBe(`${service.baseUrl}${addressOf(scene, 'password')}`)
  })

  test('is not changed by a form that is sent later than that, nor by a session that has ended', async () => {
    const { scene, visitor, page } = await givenSection('password')
    await service.clock.advance(staleMinutes * 60)

    const late = await visitor.press(page, 'set_password', { password: otherPassword })
    const fresh = await signInAt(visitor, late, scene)
    await client.sessions.endAll({ org_domain: scene.org_domain, user_id: scene.user.id })
    const ended = await visitor.press(fresh, 'set_password', { password: otherPassword })

    for (const { url } of [late, ended]) expect(url).toContain(`/t/${scene.org_domain}/sign-in/`)
    expect(await isPasswordOf(scene, goodPassword)).toBe(true)
  })

  test('is not changed by a form of another site', async () => {
    const { scene, visitor, page } = await givenSection('password')
    const sent = await visitor.send(
      page,
      'set_password',
      { password: otherPassword },
      { origin: 'https://evil.example' },
    )
    const without = await visitor.send(page, 'set_password', { password: otherPassword, csrf: '' })

    expect([sent.status, without.status]).toEqual([403, 403])
    expect(await isPasswordOf(scene, goodPassword)).toBe(true)
  })

  test('is not offered to who comes by the organization’s single sign-on, which ends where that ends', async () => {
    const { scene, visitor, page } = await givenSection('password')
    const { id } = await client.organizations.get({ org_domain: scene.org_domain })
    const { idp_id } = await client.ssoConnections.create({ organization_id: id })
    await client.ssoConnections.update({ idp_id, metadata: idpMetadata(), active: true })
    await service.query(
      `insert into user_identities
        (account_id, environment, organization_id, user_id, id, kind, issuer, subject, idp_id, provider, data,
         authenticated_at, inserted_at)
       select account_id, environment, organization_id, id, gen_random_uuid(), 'saml', 'https://idp.example', 'ada', $2, 'okta', '{}',
         inserted_at, inserted_at from users where id = $1`,
      [scene.user.id, idp_id],
    )

    await visitor.press(page, 'set_password', { password: otherPassword })

    expect((await visitor.visit(addressOf(scene, 'password'))).html).not.toContain('name="password"')
    await client.ssoConnections.update({ idp_id, active: false })
    expect(await isPasswordOf(scene, otherPassword)).toBe(false)
  })

  test('is not offered where the organization signs in without', async () => {
    const { scene, visitor, page } = await givenSection('password')
    await client.password.updateConnection({ org_domain: scene.org_domain, active: false })

    await visitor.press(page, 'set_password', { password: otherPassword })

    await client.password.updateConnection({ org_domain: scene.org_domain, active: true })
    expect(await isPasswordOf(scene, otherPassword)).toBe(false)
  })
})

describe('the second factor on the account page', () => {
  test('is no section where the organization has no codes, unless the user has enrolled them', async () => {
    const { scene, visitor, page } = await givenSection('second-factor', await given.scene())
    const overview = () => visitor.visit(addressOf(scene))

    expect(page.status).toBe(200)
    expect((await overview()).html).not.toContain('account/second-factor')
    await given.totp.activate(scene.org_domain)
    expect((await overview()).html).toContain('account/second-factor')
    await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })
    await client.totp.updateConnection({ org_domain: scene.org_domain, active: false })
    expect((await overview()).html).toContain('account/second-factor')
  })

  async function givenOffer() {
    const scene = await given.scene()
    await given.totp.activate(scene.org_domain)
    return givenSection('second-factor', scene)
  }

  test('is set up with its recovery codes, and asked for at the next sign-in', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { codes } = await enrolledOn(page, visitor)

    expect(codes.html).toContain('id="codes"')
    const after = await visitor.press(codes, 'acknowledge', { acknowledged: 'true' })
    expect(after.url).toContain(`/t/${scene.org_domain}/account/second-factor`)
    expect(after.html).toContain('Your change has been saved.')
    expect(await hasSecondFactor(scene)).toBe(true)
    const other = given.visitorOf()
    const asked = await signInAt(other, (await given.begin(scene, {}, other)).page, scene)
    expect(isIn(asked)).toBe(false)
  })

  test('is replaced after a sign-in with both factors: the sessions elsewhere end, and the old app is refused', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { app } = await enrolledOn(page, visitor)
    await service.clock.advance(stepSeconds)
    const asked = await signInAt(visitor, await visitor.visit(addressOf(scene, 'second-factor')), scene)
    const there = await visitor.press(asked, 'totp', { code: given.totp.codeOf(app) })

    const { app: second, codes } = await enrolledOn(there, visitor)

    expect(codes.html).toContain('id="codes"')
    await service.clock.advance(stepSeconds)
    const at = { org_domain: scene.org_domain, user_id: scene.user.id }
    await given.totp.challenge(at)
    await expect(given.totp.answer(at, given.totp.codeOf(app))).rejects.toMatchObject({
      code: 'totp_code_rejected',
    })
    expect(await given.totp.answer(at, given.totp.codeOf(second))).toMatchObject({ success: true })
  })

  test('that was enrolled since the sign-in is asked for before anything is changed', async () => {
    const { scene, visitor, page } = await givenOffer()
    await given.totp.enroll({ org_domain: scene.org_domain, user_id: scene.user.id })

    const refused = await visitor.press(page, 'enroll')

    expect(refused.url).toContain(`/t/${scene.org_domain}/sign-in/`)
  })

  test('takes no code for an enrolment that somebody else has begun, and counts wrong ones', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { shown, app } = await begunOn(page, visitor)
    const again = await visitor.press(shown, 'validate', { code: given.totp.wrongCode(app) })
    expect(again).toMatchObject({ status: 422 })
    const [counted] = await service.query<{ pending_failures: number }>(
      'select pending_failures from totp_enrollments where user_id = $1',
      [scene.user.id],
    )
    expect(counted?.pending_failures).toBe(1)

    const other = await given.totp.begun({ org_domain: scene.org_domain, user_id: scene.user.id })
    const refused = await visitor.press(again, 'validate', { code: given.totp.codeOf(other.app) })

    expect(refused).toMatchObject({ status: 422 })
    expect(await hasSecondFactor(scene)).toBe(false)
  })

  test('shows the key of an enrolment to no session that is not fresh, whatever the form says', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { shown } = await begunOn(page, visitor)
    await service.clock.advance(staleMinutes * 60)

    const refused = await visitor.press(shown, 'validate', { code: '' })

    expect(refused.url).toContain(`/t/${scene.org_domain}/sign-in/`)
    expect(refused.html).not.toContain('otpauth:')
  })

  test('has new recovery codes at the press of a button, of which the user is told by mail', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { app } = await enrolledOn(page, visitor)
    await service.clock.advance(stepSeconds)
    const asked = await signInAt(visitor, await visitor.visit(addressOf(scene, 'second-factor')), scene)
    const there = await visitor.press(asked, 'totp', { code: given.totp.codeOf(app) })

    const codes = await visitor.press(there, 'new_codes')

    expect(codes.html).toContain('id="codes"')
    await service.runJobs()
    const { data } = await client.outbox.list({ to: scene.user.email })
    expect(data.map(({ subject }) => subject)).toContainEqual(expect.stringContaining('new recovery codes'))
  })

  test('is turned off, unless the organization demands one', async () => {
    const { scene, visitor, page } = await givenOffer()
    const { app } = await enrolledOn(page, visitor)
    await service.clock.advance(stepSeconds)
    const asked = await signInAt(visitor, await visitor.visit(addressOf(scene, 'second-factor')), scene)
    const there = await visitor.press(asked, 'totp', { code: given.totp.codeOf(app) })
    await client.organizationPolicy.update({ org_domain: scene.org_domain, second_factor: 'required' })

    await visitor.press(there, 'remove')
    expect(await hasSecondFactor(scene)).toBe(true)

    await client.organizationPolicy.update({ org_domain: scene.org_domain, second_factor: 'optional' })
    const after = await visitor.press(there, 'remove')
    expect(after).toMatchObject({ status: 200 })
    expect(await hasSecondFactor(scene)).toBe(false)
    expect(await sessionsOf(scene)).toHaveLength(1)
  })
})
