import { makeConsoleLink } from '@portico/server/console-start'
import { ensureStaffOrganization } from '@portico/server/staff-organization'
import { expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { withoutReference } from '../given/visitor.js'
import { isFullRun } from '../sampled.js'

const service = await startService()
const given = consoleGivenOf(service)

const parallel = isFullRun ? 50 : 8

test('the link makes the first owner, who is at once in the console of the sandbox', async () => {
  const { begun, home, visitor, email, staff } = await given.owner()

  expect([begun.status, begun.location]).toEqual([303, home])
  const page = await visitor.request(home)
  expect([page.status, page.html]).toEqual([200, expect.stringContaining(email.split('@')[0] ?? '')])
  const sessions = await service.query(
    `select sessions.amr, sessions.application_id, users.profile->>'given_name' as name, roles.name as role
    from sessions
    join users on users.account_id = sessions.account_id and users.id = sessions.user_id
    join role_assignments given on given.account_id = users.account_id and given.user_id = users.id
    join roles on roles.account_id = users.account_id and roles.id = given.role_id
    where sessions.account_id = $1 and sessions.organization_id = $2`,
    [staff.staffAccountId, staff.organizationId],
  )
  expect(sessions).toEqual([
    { amr: ['operator'], application_id: staff.applicationId, name: 'Ada Lovelace', role: 'owner' },
  ])
})

test('opening the link changes nothing, so it still works after a preview of it', async () => {
  const { url } = await given.link()
  for (const method of ['GET', 'HEAD', 'GET'])
    expect((await given.visitorOf().request(url, { method })).status).toBe(200)

  expect((await given.open(url, { email: anyEmail() })).status).toBe(303)
})

test('of many who send the form at once one becomes the owner', async () => {
  const { account, url } = await given.link()
  const visitor = given.visitorOf()
  const page = await visitor.visit(url)

  const answers = await Promise.all(
    Array.from({ length: parallel }, () =>
      visitor.send(page, 'start', { email: anyEmail(), name: 'Ada Lovelace' }),
    ),
  )

  expect(answers.map(({ status }) => status).toSorted()).toEqual([
    303,
    ...Array.from({ length: parallel - 1 }, () => 404),
  ])
  const staff = await ensureStaffOrganization(service.deps, account.id)
  expect(
    await service.query('select email from users where account_id = $1 and organization_id = $2', [
      staff.staffAccountId,
      staff.organizationId,
    ]),
  ).toHaveLength(1)
})

test('a wrong, a used, a replaced and an ended link have one page', async () => {
  const used = await given.link()
  await given.open(used.url, { email: anyEmail() })
  const replaced = await given.link()
  await given.link(replaced.account)
  const ended = await given.link()
  await service.clock.advance(24 * 60 * 60)
  const urls = [`/console/start?token=${'a'.repeat(43)}`, '/console/start', used.url, replaced.url, ended.url]

  const pages = await Promise.all(urls.map((url) => given.visitorOf().request(url)))

  expect(pages.map(({ status }) => status)).toEqual(urls.map(() => 404))
  expect(new Set(pages.map(({ html }) => withoutReference(html))).size).toBe(1)
})

test('the form of a link that was used, or is over, makes nobody', async () => {
  const { url } = await given.link()
  const visitor = given.visitorOf()
  const page = await visitor.visit(url)
  await service.clock.advance(24 * 60 * 60)

  const answer = await visitor.send(page, 'start', { email: anyEmail(), name: 'Ada Lovelace' })

  expect([answer.status, visitor.sessionSecret()]).toEqual([404, undefined])
})

test('an account with an owner has no link, and one that was made before works no more', async () => {
  const { account, url } = await given.link()
  const visitor = given.visitorOf()
  const page = await visitor.visit(url)
  const { url: newer } = await given.link(account)
  await given.open(newer, { email: anyEmail() })

  expect(await makeConsoleLink(service.deps, account.id)).toBeUndefined()
  expect((await visitor.send(page, 'start', { email: anyEmail(), name: 'Eve' })).status).toBe(404)
})

test('a link that waits when an owner comes in otherwise makes no second one', async () => {
  const { account, url } = await given.link()
  const { url: newer } = await given.link(account)
  await given.open(newer, { email: anyEmail() })
  // As if the link had been made a moment before that.
  await service.query(`update console_starts set used_at = null where account_id = $1`, [account.id])

  const answer = await given.open(newer, { email: anyEmail() })

  expect(url).not.toBe(newer)
  expect(answer.status).toBe(404)
})

test('a link that was used makes no other owner, also when the first one may not sign in any more', async () => {
  const { account, url } = await given.link()
  const visitor = given.visitorOf()
  const page = await visitor.visit(url)
  const email = anyEmail()
  await given.open(url, { email })
  await service.query('update users set active = false where email = $1', [email])

  expect((await visitor.send(page, 'start', { email: anyEmail(), name: 'Eve' })).status).toBe(404)
  expect((await given.link(account)).url).not.toBe(url)
})

test('a service that others reach has no link', async () => {
  const { id } = await service.createAccount()
  const config = { ...service.deps.config, isProduction: true }

  expect(await makeConsoleLink({ ...service.deps, config }, id)).toBeUndefined()
})

test.each([
  ['csrf', { csrf: '' }, undefined],
  ['the page of another token', { csrf: 'a'.repeat(43) }, undefined],
  ['another site', {}, { origin: 'https://evil.example' }],
])('the form is refused without %s', async (_what, fields, headers) => {
  const { url } = await given.link()
  const visitor = given.visitorOf()
  const page = await visitor.visit(url)

  const answer = await visitor.send(page, 'start', { email: anyEmail(), name: 'Eve', ...fields }, headers)

  expect([answer.status, visitor.sessionSecret()]).toEqual([403, undefined])
})

test.each([
  [{ email: '' }, 'Enter your e-mail address.'],
  [{ email: 'ada' }, 'Enter a valid e-mail address'],
  [{ email: 'ada@acme.example', name: ' ' }, 'Enter your name.'],
  [{ email: 'ada@acme.example', name: 'a'.repeat(101) }, 'at most 100 characters'],
])('the form says what is missing, and the link still works: %j', async (fields, sentence) => {
  const { url } = await given.link()

  const answer = await given.open(url, fields)

  expect([answer.status, answer.html]).toEqual([422, expect.stringContaining(sentence)])
  expect((await given.open(url, { email: anyEmail() })).status).toBe(303)
})

test('markup in the name is text, and the page has it in French', async () => {
  const { url } = await given.link()
  const answer = await given.open(url, { email: 'x', name: '<b>Ada</b>' })
  expect(answer.html).not.toContain('<b>Ada')

  const french = await given.visitorOf().request(`${url}&ui_locales=fr`)
  expect(french.html).toContain('Ouvrir la console')
})
