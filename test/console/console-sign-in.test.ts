import { expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { flowGivenOf, isIn } from '../given/flow-given.js'
import { startService } from '../given/harness.js'
import { pkcePair, withoutReference } from '../given/visitor.js'
import { longTest } from '../sampled.js'

const service = await startService()
const given = consoleGivenOf(service)
const owner = await given.owner()

test('a page of the console sends to sign in, and the sign-in comes back to the same page', async () => {
  const { account, email, staff } = owner
  const path = `/console/${account.domain}/production?filter=a%20b`
  const visitor = given.visitorOf()

  const sent = await visitor.request(path)
  expect(sent.status).toBe(303)
  const url = new URL(sent.location ?? '', service.baseUrl)
  expect(url.pathname).toBe(`/t/${staff.domain}/authorize`)
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    client_id: staff.applicationId,
    redirect_uri: `${service.baseUrl}/console/signed-in`,
    response_type: 'code',
    state: path,
    code_challenge_method: 'S256',
  })
  expect(url.searchParams.has('acr_values')).toBe(false)

  const landed = await given.signInByLink(await visitor.visit(path), email, visitor)
  expect([landed.status, landed.url]).toEqual([200, `${service.baseUrl}${path}`])
})

test('an account that is not there, and one without staff, have the same page', async () => {
  const { domain } = await service.createAccount()

  const pages = await Promise.all(
    ['nobody', domain, 'console', 'NOBODY', '%00'].map((name) =>
      given.visitorOf().request(`/console/${name}/sandbox`),
    ),
  )

  expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 404))
  expect(new Set(pages.map(({ html }) => withoutReference(html))).size).toBe(1)
})

test('the session of one account opens the console of no other', async () => {
  const [one, other] = [await given.owner(), await given.owner()]
  expect((await one.visitor.request(one.home)).status).toBe(200)

  const seen = await one.visitor.request(other.home)

  expect([seen.status, seen.location]).toEqual([303, expect.stringContaining(other.staff.domain)])
})

test('two accounts are open in one browser', async () => {
  const visitor = given.visitorOf()
  const one = await given.link()
  const two = await given.link()
  for (const [at, { url }] of [one, two].entries())
    await given.open(url, { email: `both-${at}@people.example` }, visitor)

  for (const { account } of [one, two])
    expect((await visitor.request(`/console/${account.domain}/sandbox`)).status).toBe(200)
})

test('a user of a customer of the account is nobody in its console', async () => {
  const { home, staff } = await given.owner(service.account)
  const flows = flowGivenOf(service, await service.client())
  const { visitor, landed } = await flows.signIn(await flows.scene())
  expect(isIn(landed)).toBe(true)

  const seen = await visitor.request(home)

  expect([seen.status, seen.location]).toEqual([303, expect.stringContaining(staff.domain)])
})

test.each([
  ['whose session was ended', `update sessions set ended_at = now() where user_id = $1`],
  ['who was deactivated', `update users set active = false where id = $1`],
  ['who was removed', `update users set deleted_at = now() where id = $1`],
])('a member of staff %s signs in anew at the next page', async (_what, change) => {
  const { visitor, home, email } = await given.owner()
  const [user] = await service.query<{ id: string }>('select id from users where email = $1', [email])
  expect((await visitor.request(home)).status).toBe(200)

  await service.query(change, [user?.id])

  expect((await visitor.request(home)).status).toBe(303)
})

longTest('a session ends after an hour without use, and use keeps it, for 8 hours at most', async () => {
  const idle = await given.owner()
  const used = await given.owner()

  for (let hour = 0.5; hour < 8; hour += 0.5) {
    await service.clock.advance(30 * 60)
    expect((await used.visitor.request(used.home)).status).toBe(200)
  }
  expect((await idle.visitor.request(idle.home)).status).toBe(303)
  await service.clock.advance(31 * 60)
  expect((await used.visitor.request(used.home)).status).toBe(303)
})

longTest('a session that is used every second is written once a minute', async () => {
  const { visitor, home, staff } = await given.owner()
  const usedAt = async () =>
    service.query('select browser_used_at from sessions where account_id = $1 and organization_id = $2', [
      staff.staffAccountId,
      staff.organizationId,
    ])
  const before = await usedAt()

  await service.clock.advance(30)
  await visitor.request(home)
  expect(await usedAt()).toEqual(before)
  await service.clock.advance(31)
  await visitor.request(home)
  expect(await usedAt()).not.toEqual(before)
})

test('signing out ends the session of this browser, and asks for the form of the page', async () => {
  const { account, visitor, home } = await given.owner()
  const page = await visitor.visit(home)
  const foreign = await visitor.send(page, 'sign_out', { csrf: 'a'.repeat(43) })
  expect([foreign.status, (await visitor.request(home)).status]).toEqual([403, 200])
  const secret = visitor.sessionSecret()

  const gone = await visitor.send(page, 'sign_out')

  expect([gone.status, visitor.sessionSecret()]).toEqual([200, undefined])
  const [cookie] = [...owner.visitor.cookies.keys()].filter((name) => name.startsWith('portico-session-'))
  const stolen = await given.visitorOf().request(home, { headers: { cookie: `${cookie}=${secret}` } })
  expect(stolen.status).toBe(303)
  expect(
    (await visitor.send({ ...page, url: `/console/${account.domain}/sign-out` }, 'sign_out')).status,
  ).toBe(401)
  expect((await given.visitorOf().request(`/console/${account.domain}/sign-out`)).status).toBe(405)
})

test('the page after a sign-in sends to no address but one of the console', async () => {
  const { visitor, home } = await given.owner()
  const at = async (state: string, as = visitor) => {
    const { status, location } = await as.request(
      `/console/signed-in?${new URLSearchParams({ code: 'any', state }).toString()}`,
    )
    return [status, location]
  }

  expect(await at(home)).toEqual([303, home])
  for (const state of [
    '//evil.example',
    '/\\evil.example',
    '/console/../outbox',
    'https://evil.example/console',
  ])
    expect(await at(state)).toEqual([303, '/console'])
  // Without a session no page is asked for again, which would go in circles.
  expect(await at(home, given.visitorOf())).toEqual([401, null])
  const refused = await visitor.request(`/console/signed-in?error=access_denied&state=${home}`)
  expect([refused.status, refused.location]).toEqual([403, null])
})

test('a sign-in that the console has not begun leads to the first page of its account', async () => {
  const { staff, home } = owner
  const { location } = await given
    .visitorOf()
    .request(`/console/signed-in?code=any&iss=${encodeURIComponent(`${service.baseUrl}/t/${staff.domain}`)}`)
  const foreign = await given.visitorOf().request('/console/signed-in?iss=https://evil.example/t/a')

  expect([location, foreign.location]).toEqual([home, '/console'])
})

test('the first page asks which account it is', async () => {
  const visitor = given.visitorOf()
  const page = await visitor.request('/console')
  expect([page.status, page.html]).toEqual([200, expect.stringContaining('name="account"')])
  expect((await visitor.request('/console?account=Acme')).location).toBe('/console/acme/sandbox')
  expect((await visitor.request('/console?account=//evil.example')).status).toBe(422)
  expect((await visitor.request(`/console/${owner.account.domain}`)).status).toBe(303)
})

test('an address that the console does not have has a page that says so', async () => {
  const seen = await owner.visitor.request(`/console/${owner.account.domain}/nowhere/at/all`)
  expect([seen.status, seen.html]).toEqual([404, expect.stringContaining('This page does not exist')])
})

test('no code of the console is exchanged', async () => {
  const { staff, visitor } = await given.owner()
  const { verifier, challenge } = pkcePair()
  const asked = new URLSearchParams({
    client_id: staff.applicationId,
    redirect_uri: `${service.baseUrl}/console/signed-in`,
    response_type: 'code',
    scope: 'openid',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  })
  const { location } = await visitor.request(`/t/${staff.domain}/authorize?${asked.toString()}`)
  const code = new URL(location ?? '').searchParams.get('code') ?? ''
  expect(code).not.toBe('')

  const answer = await fetch(`${service.baseUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: staff.applicationId,
      redirect_uri: `${service.baseUrl}/console/signed-in`,
      code_verifier: verifier,
      code,
    }),
  })

  expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_grant' }])
})
