import { beforeAll, expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { anything } from '../given/given.js'
import { startService, type Service } from '../given/harness.js'
import type { References } from '../given/request-of.js'
import { createWorld } from '../given/world.js'

let service: Service
let given: ReturnType<typeof consoleGivenOf>
let ours: Awaited<ReturnType<typeof given.owner>>
let theirs: Awaited<ReturnType<typeof given.owner>>
/** What our account has. */
let world: References

beforeAll(async () => {
  service = await startService()
  given = consoleGivenOf(service)
  world = await createWorld(service)
  ours = await given.owner(service.account)
  theirs = await given.owner()
})

const at = (whose: { account: { domain: string } }, path: string, environment = 'sandbox') =>
  `/console/${whose.account.domain}/${environment}/${path}`

/** The names of the webhooks of our account, which the forms of these tests would make. */
async function webhookNames(): Promise<readonly string[]> {
  const rows = await service.query<{ name: string }>(
    'select name from webhooks where account_id = $1 order by name',
    [service.account.id],
  )
  return rows.map(({ name }) => name)
}

const webhook = () => ({
  name: anything(),
  target_url: 'https://hooks.example/portico',
  event_codes: 'user.all',
})

test('a form counts once, from a page of the same session, and from nowhere else', async () => {
  const { visitor } = ours
  const form = at(ours, 'webhooks/_create')
  const page = await visitor.request(form)
  const before = await webhookNames()
  const foreign = await theirs.visitor.request(at(theirs, 'webhooks/_create'))
  const csrfOfOthers = /name="csrf" value="([^"]+)"/.exec(foreign.html)?.[1] ?? ''

  const answers = [
    await given.submit(visitor, page, { ...webhook(), csrf: '' }),
    await given.submit(visitor, page, { ...webhook(), csrf: csrfOfOthers }),
    await given.submit(visitor, page, webhook(), { origin: 'https://elsewhere.example' }),
    await given.submit(visitor, page, webhook(), { origin: 'null', 'sec-fetch-site': 'cross-site' }),
    await given.submit(visitor, page, webhook(), {}),
  ]
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
  expect(await webhookNames()).toEqual(before)

  const fields = webhook()
  const twice = [await given.submit(visitor, page, fields), await given.submit(visitor, page, fields)]
  // The page of the answer has its signature key.
  expect(twice.map(({ status }) => status)).toEqual([200, 200])
  expect(await webhookNames()).toEqual([...before, fields.name].toSorted())
})

test('staff of another account are asked to sign in, and their session is worth nothing here', async () => {
  for (const path of [
    'webhooks',
    `organizations/${world['org_domain']}`,
    'people?email=ada@people.example',
  ]) {
    const seen = await theirs.visitor.request(at(ours, path))
    expect([seen.status, seen.location]).toEqual([303, expect.stringContaining('/authorize?')])
  }
  const page = await theirs.visitor.request(at(theirs, 'webhooks/_create'))
  const sent = await theirs.visitor.request(at(ours, 'webhooks/_create'), {
    method: 'POST',
    headers: { origin: service.baseUrl },
    body: new URLSearchParams({
      csrf: /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? '',
      ...webhook(),
    }),
  })
  expect(sent.status).toBe(401)
})

test('what another account or environment has is not found, by any page or form', async () => {
  const { org_domain, user_id, webhook_id, idp_id, relay_id, role_id } = world
  const paths = [
    ...[`organizations/${org_domain}`, `organizations/${org_domain}/users`],
    ...[
      `organizations/${org_domain}/users/${user_id}`,
      `webhooks/${webhook_id}`,
      `sso-connections/${idp_id}`,
    ],
    ...[`relays/${relay_id}`, `roles/${role_id}`, `sso-connections/${idp_id}/attempts`],
    ...[`webhooks/${webhook_id}/_edit`, `organizations/${org_domain}/users/${user_id}/_do/users.delete`],
  ]
  const missing = await theirs.visitor.request(at(theirs, 'webhooks/01890000-0000-7000-8000-000000000000'))
  for (const path of paths) {
    const seen = await theirs.visitor.request(at(theirs, path))
    expect([path, seen.status]).toEqual([path, 404])
    expect(seen.html.includes(String(user_id)) && seen.html.includes('<dl')).toBe(false)
  }
  expect(missing.status).toBe(404)
  // The webhook is of the sandbox.
  expect((await ours.visitor.request(at(ours, `webhooks/${webhook_id}`, 'production'))).status).toBe(404)

  const page = await theirs.visitor.request(at(theirs, 'webhooks/_create'))
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
  const sent = await theirs.visitor.request(at(theirs, `webhooks/${webhook_id}/_do/webhooks.delete`), {
    method: 'POST',
    headers: { origin: service.baseUrl },
    body: new URLSearchParams({ csrf, reason: 'A reason' }),
  })
  expect(sent.status).toBe(404)
  expect(await service.query('select id from webhooks where id = $1', [webhook_id])).toHaveLength(1)
})

test('what others choose as a name is text on every page', async () => {
  const client = await service.client()
  const markup = `"><script>alert(1)</script>`
  const user = await client.users.update({
    org_domain: world['org_domain'] ?? '',
    user_id: world['user_id'] ?? '',
    given_name: markup,
  })
  const role = await client.roles.update({ role_id: world['role_id'] ?? '', display_name: markup })

  for (const path of [
    `organizations/${world['org_domain']}/users`,
    `organizations/${world['org_domain']}/users/${user.id}`,
    `organizations/${world['org_domain']}/users/${user.id}/_edit`,
    'roles',
    `roles/${role.id}`,
    `roles/${role.id}/_edit`,
    `people?email=${encodeURIComponent(markup)}`,
  ]) {
    const { html } = await ours.visitor.request(at(ours, path))
    expect([path, html.includes('<script>alert')]).toEqual([path, false])
  }
})

test('a dangerous form in production leads to a sign-in first, and is refused without one of the last 10 minutes', async () => {
  const path = at(ours, `organizations/${world['org_domain']}/_do/organizations.delete`, 'production')
  const fresh = await ours.visitor.request(path)
  expect(fresh.status).toBe(200)
  await service.clock.advance(10 * 60)

  const asked = await ours.visitor.request(path)
  // The page says why, and leads to the sign-in, and from there back to the form.
  expect([asked.status, asked.html]).toEqual([200, expect.stringContaining('max_age=0')])
  expect(asked.html).not.toContain('form-main')
  expect(decodeURIComponent(asked.html)).toContain(`state=${path}`)
  const sent = await given.submit(ours.visitor, fresh, {
    reason: 'A reason',
    retyped: world['org_domain'] ?? '',
  })
  expect([sent.status, sent.html]).toEqual([403, expect.stringContaining('max_age=0')])
  expect(sent.html).toContain('What you had entered was not saved.')
  expect((await ours.visitor.request(at(ours, `organizations/${world['org_domain']}`))).status).toBe(200)
})

test('of two editors the second one learns what has changed, and writes nothing over it', async () => {
  const role = `roles/${world['role_id']}`
  const first = await ours.visitor.request(at(ours, `${role}/_edit`))
  const client = await service.client()
  await client.roles.update({ role_id: world['role_id'] ?? '', display_name: 'Of the API' })

  const late = await given.submit(ours.visitor, first, {
    display_name: 'Of the console',
    description: 'Mine',
  })
  expect(late.status).toBe(412)
  expect(late.html).toContain('Of the API')
  expect(late.html).toContain('Mine')
  expect(await client.roles.get({ role_id: world['role_id'] ?? '' })).toMatchObject({
    display_name: 'Of the API',
  })
})

test('a secret is shown by what makes it, and by no change or removal of the record', async () => {
  const made = await given.submit(
    ours.visitor,
    await ours.visitor.request(at(ours, 'webhooks/_create')),
    webhook(),
  )
  expect([made.status, made.html.includes('whsec_')]).toEqual([200, true])
  const id = /01[0-9a-f-]{34}/.exec(made.html)?.[0] ?? ''
  const form = await ours.visitor.request(at(ours, `webhooks/${id}/_edit`))
  const changed = await given.submit(ours.visitor, form, { name: anything() })
  expect([changed.status, changed.location]).toEqual([303, expect.stringContaining('?done')])
  const seen = await ours.visitor.request(changed.location ?? '')
  const path = seen.url.replace(/\?.*/, '/_do/webhooks.delete')
  const removed = await given.submit(ours.visitor, await ours.visitor.request(path), {})
  expect([removed.status, removed.location]).toEqual([303, expect.stringContaining('/webhooks?done')])
  expect(`${form.html}${changed.html}${seen.html}${removed.html}`).not.toContain('whsec_')
})

test('a page of the console is not kept, framed or read from elsewhere', async () => {
  const { headers } = await ours.visitor.request(at(ours, 'webhooks'))
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
  expect(headers.get('referrer-policy')).toBe('no-referrer')
})
