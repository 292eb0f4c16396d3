import { openMagicLink } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { longTest } from '../sampled.js'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { linkGivenOf, openPage, type Form, type Scene } from './magic-link-given.js'
import { withoutReference } from '../given/visitor.js'

const service = await startService()
const client = await service.client()
const given = linkGivenOf(service, client)

/** The logged reasons of failed links, oldest first. */
async function loggedReasons(org_domain: string): Promise<(string | null)[]> {
  const rows = await service.query<{ reason: string | null }>(
    `select reason from log_events where domain = $1 and event_code = 'END_USER_MAGIC_LINK_FAILED' order by id`,
    [org_domain],
  )
  return rows.map((row) => row.reason)
}

async function press(link: string, form: Pick<Form, 'token' | 'csrf'>, headers: Record<string, string>) {
  const { origin, pathname } = new URL(link)
  return fetch(`${origin}${pathname}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: service.baseUrl, ...headers },
    body: new URLSearchParams({ token: form.token, csrf: form.csrf }),
  })
}

describe('the page of a link', () => {
  test('says who signs in where, hides the address, and is kept nowhere', async () => {
    const scene = await given.scene()
    const { page, html } = await openPage(await given.link(scene))

    expect(page.status).toBe(200)
    const domain = scene.user.email.slice(scene.user.email.indexOf('@'))
    expect(html).toContain(` as ${scene.user.email.slice(0, 1)}***${domain}`)
    expect(html).not.toContain(scene.user.email)
    expect(html).not.toMatch(
      /<script(?! src="\/assets\/[\w-]{16}\/pages\.js" defer><\/script>)|\sstyle=|<style|\son\w+=/,
    )
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'same-origin',
      'permissions-policy': expect.stringContaining('camera=(), '),
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "form-action 'self' https://store.example; frame-ancestors 'none'; base-uri 'none'",
    })
    expect(page.headers.getSetCookie()[0]).toMatch(/; HttpOnly; SameSite=Lax$/)
  })

  test('loads style sheets that are there: one for all, for ever, and the color of the organization', async () => {
    const { html } = await openPage(await given.link(await given.scene()))
    const sheets = [...html.matchAll(/rel="stylesheet" href="([^"]*)"/g)].map(([, href]) => href ?? '')

    const [shared, brand] = await Promise.all(sheets.map((href) => fetch(`${service.baseUrl}${href}`)))

    expect(shared?.headers.get('cache-control')).toContain('immutable')
    expect(shared?.headers.get('content-type')).toContain('text/css')
    expect(await brand?.text()).toMatch(
      /^:root \{ (?:--[a-z-]+: #[0-9a-f]{6};? ){4}\}\n@media \(prefers-color-scheme: dark\) \{\n +:root \{ (?:--[a-z-]+: #[0-9a-f]{6};? ){4}\}\n\}\n$/,
    )
  })

  test('loads a font that is there, for ever', async () => {
    const { html } = await openPage(await given.link(await given.scene()))
    const [, href = ''] = /rel="preload" href="([^"]*)"/.exec(html) ?? []

    const font = await fetch(`${service.baseUrl}${href}`)

    expect(font.headers.get('cache-control')).toContain('immutable')
    expect(font.headers.get('content-type')).toBe('font/woff2')
    expect(
      Buffer.from(await font.arrayBuffer())
        .subarray(0, 4)
        .toString(),
    ).toBe('wOF2')
  })

  test('is in the language of the request, then of the organization, then of the browser', async () => {
    const [english, french] = await Promise.all([given.scene(), given.scene({ locale: 'fr-FR' })])
    const link = await given.link(english)

    expect((await openPage(link)).html).toContain('<html lang="en">')
    expect((await openPage(link, { 'accept-language': 'fr-CH, en;q=0.5' })).html).toContain('lang="fr"')
    expect((await openPage(`${link}&ui_locales=fr`)).html).toContain('<html lang="fr">')
    expect((await openPage(`${await given.link(french)}&ui_locales=de%20en`)).html).toContain('lang="en"')
    expect((await openPage(await given.link(french))).html).toContain('<html lang="fr">')
  })

  test('opening it, as often as anybody likes and with HEAD as well, uses nothing', async () => {
    const link = await given.link(await given.scene())

    for (const method of ['HEAD', 'GET', 'HEAD', 'GET'])
      expect((await fetch(link, { method, redirect: 'manual' })).status).toBe(200)

    expect((await openMagicLink(link)).code).toMatch(/^[\w-]{43}$/)
  })

  test('is the same page for a used link, a voided one, and one that never was', async () => {
    const scene = await given.scene()
    const [used, voided] = [await given.link(scene), await given.link(scene)]
    await openMagicLink(used)
    const unknown = `${used.slice(0, -43)}${'A'.repeat(43)}`

    const pages = await Promise.all([used, voided, unknown].map((link) => openPage(link)))

    expect(pages.map(({ page }) => page.status)).toEqual([404, 404, 404])
    const texts = pages.map(({ html }) => withoutReference(html).replace(/token=[\w-]*/g, 'token='))
    expect(new Set(texts).size).toBe(1)
    expect(texts[0]).toContain('ask for a new link')
  })

  test('is nothing under the address of another organization', async () => {
    const [scene, other] = await Promise.all([given.scene(), given.scene()])
    const link = await given.link(scene)

    const elsewhere = link.replace(scene.org_domain, other.org_domain)

    expect((await openPage(elsewhere)).page.status).toBe(404)
    const form = await openPage(link)
    expect((await press(elsewhere, form, { cookie: form.cookie })).status).toBe(404)
    expect((await openMagicLink(link)).code).not.toBe('')
  })
})

describe('pressing the button', () => {
  test('leads to the application with a code, the state and the issuer', async () => {
    const scene = await given.scene()
    const link = await given.link(scene, { redirect_uri: 'https://store.example/other', state: 's p&c' })

    const { redirectedTo } = await openMagicLink(link)

    expect(redirectedTo.origin + redirectedTo.pathname).toBe('https://store.example/other')
    expect(Object.fromEntries(redirectedTo.searchParams)).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 's p&c',
      iss: `${service.baseUrl}/t/${scene.org_domain}`,
    })
  })

  test('verifies the address, and tells of the sign-in without a secret', async () => {
    const scene = await given.scene()
    const link = await given.link(scene)
    expect(scene.user.email_verified).toBe(false)

    const { code } = await openMagicLink(link)

    const { org_domain, user } = scene
    expect(await client.users.get({ org_domain, user_id: user.id })).toMatchObject({ email_verified: true })
    const events = await service.query<{ code: string; actor_id: string; event: string }>(
      'select code, actor_id, events::text as event from events where domain = $1 order by issued_at, id',
      [org_domain],
    )
    expect(events.slice(-3).map(({ code: name, actor_id: actor }) => [name, actor])).toEqual([
      ['user.user.update.success', user.id],
      ['magic_link.challenge.consume.success', user.id],
      ['user.session.create.success', user.id],
    ])
    const token = new URL(link).searchParams.get('token') ?? ''
    for (const { event } of events) expect(event.includes(token) || event.includes(code)).toBe(false)
    for (const line of service.logLines) expect(line.includes(token) || line.includes(code)).toBe(false)
  })

  longTest('signs in once, of a hundred who press it at the same time', async () => {
    const link = await given.link(await given.scene())
    const form = await openPage(link)

    const answers = await Promise.all(
      Array.from({ length: 100 }, () => press(link, form, { cookie: form.cookie })),
    )

    expect(answers.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 404)).toHaveLength(99)
  })

  test('of several links of one address that are used at the same time, one signs in, and none waits for ever', async () => {
    const scene = await given.scene()
    const links = [await given.link(scene), await given.link(scene), await given.link(scene)]
    const forms = await Promise.all(links.map(async (link) => ({ link, form: await openPage(link) })))

    const answers = await Promise.all(
      forms.map(({ link, form }) => press(link, form, { cookie: form.cookie })),
    )

    expect(answers.map(({ status }) => status).sort()).toEqual([303, 404, 404])
  })

  test('voids the other links of the address for the application, and no others', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    const other = await service.given.application({ org_domain, organization_domain_scope: org_domain })
    const [used, sibling] = [await given.link(scene), await given.link(scene)]
    const elsewhere = await given.link(scene, { application_id: other.client_id })

    await openMagicLink(used)

    await expect(openMagicLink(sibling)).rejects.toThrow(/cannot be used/)
    expect((await openMagicLink(elsewhere)).code).not.toBe('')
  })

  longTest('does nothing fifteen minutes after the link was asked for', async () => {
    const own = await startService()
    const { domain: org_domain } = await own.given.organization()
    await own.given.application({ org_domain })
    const user = await own.given.user({ org_domain })
    const key = await own.client()
    const ask = async () =>
      (await key.magicLink.createChallenge({ org_domain, user_email: user.email, send_email: false }))
        .magic_link ?? ''
    const [early, late] = [await ask(), await ask()]

    await own.clock.advance(14 * 60 + 50)
    const form = await openPage(late)
    await own.clock.advance(20)

    await expect(openMagicLink(early)).rejects.toThrow(/cannot be used/)
    const pressed = await fetch(`${own.baseUrl}/t/${org_domain}/magic-link`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: own.baseUrl, cookie: form.cookie },
      body: new URLSearchParams({ token: form.token, csrf: form.csrf }),
    })
    expect(pressed.status).toBe(404)
    const logged = await own.query(`select 1 from log_events where reason = 'link_expired'`)
    expect(logged).toHaveLength(1)
  })

  test('creates the user of an unknown address, and not before', async () => {
    const scene = await given.scene()
    const { org_domain } = scene
    await client.magicLink.updateConnection({ org_domain, find_or_create_user: true })
    const key = await service.given.metaKey({ org_domain, required: true })
    const email = anyEmail()
    const link = await given.link(scene, { user_email: email })
    await openPage(link)
    await expect(client.users.getByEmail({ org_domain, user_email: email })).rejects.toMatchObject({
      code: 'user_not_found',
    })

    await openMagicLink(link)

    const user = await client.users.getByEmail({ org_domain, user_email: email })
    expect(user).toMatchObject({ email, email_verified: true, active: true, metadata: [] })
    const missing = await service.query(
      `select 1 from log_events where event_code = 'REQUIRED_METADATA_MISSING' and resource_owner_id = $1`,
      [user.id],
    )
    expect([key.required, missing.length]).toEqual([true, 1])
  })

  test.each([
    [
      'user_inactive',
      ({ org_domain, user }: Scene) => client.users.update({ org_domain, user_id: user.id, active: false }),
    ],
    [
      'user_not_found',
      ({ org_domain, user }: Scene) => client.users.delete({ org_domain, user_id: user.id }),
    ],
    [
      'connection_inactive',
      ({ org_domain }: Scene) => client.magicLink.updateConnection({ org_domain, active: false }),
    ],
    [
      'email_domain_not_allowed',
      async ({ org_domain }: Scene) => {
        await service.query(
          `update organizations set allowed_email_domains = '{corp.example}' where domain = $1`,
          [org_domain],
        )
      },
    ],
    [
      'redirect_not_allowed',
      ({ org_domain, application }: Scene) =>
        client.applications.delete({ org_domain, client_id: application.client_id }),
    ],
  ])(
    'signs nobody in when meanwhile: %s; the page does not say why, the log does',
    async (reason, happens) => {
      const scene = await given.scene()
      const link = await given.link(scene)
      const form = await openPage(link)
      await happens(scene)

      const answer = await press(link, form, { cookie: form.cookie })

      expect(answer.status).toBe(404)
      expect(await answer.text()).toContain('ask for a new link')
      expect(await loggedReasons(scene.org_domain)).toEqual([reason])
    },
  )

  test('does nothing once the organization is deleted', async () => {
    const scene = await given.scene()
    const link = await given.link(scene)
    const form = await openPage(link)
    await client.organizations.delete({ org_domain: scene.org_domain })

    expect((await press(link, form, { cookie: form.cookie })).status).toBe(404)
  })
})

describe('a form that our page did not send', () => {
  test.each<[string, (form: Form) => { csrf?: string; headers: Record<string, string> }]>([
    ['without the cookie', () => ({ headers: {} })],
    ['with the cookie of another browser', () => ({ headers: { cookie: `portico-flow=${'B'.repeat(43)}` } })],
    ['without the field', ({ cookie }) => ({ csrf: '', headers: { cookie } })],
    ['from another origin', ({ cookie }) => ({ headers: { cookie, origin: 'https://evil.example' } })],
    ['from a page without an origin', ({ cookie }) => ({ headers: { cookie, origin: 'null' } })],
    [
      'from another site, as the browser says',
      ({ cookie }) => ({ headers: { cookie, origin: 'null', 'sec-fetch-site': 'cross-site' } }),
    ],
  ])('is refused %s, and the link still works', async (_, forge) => {
    const link = await given.link(await given.scene())
    const form = await openPage(link)
    const { csrf = form.csrf, headers } = forge(form)

    const answer = await press(link, { ...form, csrf }, headers)

    expect(answer.status).toBe(403)
    expect(await answer.text()).toContain('open the link in your e-mail again')
    expect((await openMagicLink(link)).code).not.toBe('')
  })

  test('is refused with the field of another link', async () => {
    const scene = await given.scene()
    const [link, other] = [await given.link(scene), await given.link(scene)]
    const form = await openPage(link)
    const { csrf } = await openPage(other, { cookie: form.cookie })

    expect((await press(link, { token: form.token, csrf }, { cookie: form.cookie })).status).toBe(403)
  })

  test('405: other methods are told which there are', async () => {
    const link = await given.link(await given.scene())

    const answer = await fetch(link, { method: 'PUT' })

    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })
})

describe('a GET that asks for JSON', () => {
  test('signs in, in the sandbox and with a link that the API has returned', async () => {
    const link = await given.link(await given.scene())

    const head = await fetch(link, {
      method: 'HEAD',
      headers: { accept: 'application/json' },
      redirect: 'manual',
    })
    const answer = await fetch(link, { headers: { accept: 'application/json' }, redirect: 'manual' })

    expect(head.status).toBe(200)
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toMatch(/^https:\/\/store\.example\/callback\?code=/)
  })

  test.each(['*/*', 'application/*', 'text/html, application/json-seq', ''])(
    'sees the page when it accepts %j',
    async (accept) => {
      const link = await given.link(await given.scene())

      expect((await fetch(link, { headers: { accept }, redirect: 'manual' })).status).toBe(200)
    },
  )

  test('sees the page when the link was mailed', async () => {
    const scene = await given.scene()
    await given.challenge(scene, { send_email: true })
    await service.runJobs()
    const { data } = await client.outbox.list({ to: scene.user.email })
    const [link = ''] = /http\S+token=[\w-]{43}/.exec(data[0]?.text ?? '') ?? []

    const answer = await fetch(link, { headers: { accept: 'application/json' }, redirect: 'manual' })

    expect(answer.status).toBe(200)
  })

  test('sees the page in production, always', async () => {
    const production = await service.client({ environment: 'production' })
    const { domain: org_domain } = await service.given.organization()
    await service.given.application({ org_domain, organization_domain_scope: org_domain }, production)
    const user = await service.given.user({ org_domain }, production)
    const { magic_link: link } = await production.magicLink.createChallenge({
      org_domain,
      user_email: user.email,
      send_email: false,
    })

    const answer = await fetch(link ?? '', { headers: { accept: 'application/json' }, redirect: 'manual' })

    expect(answer.status).toBe(200)
    expect((await openMagicLink(link ?? '')).code).not.toBe('')
  })
})
