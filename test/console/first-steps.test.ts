import { describe, expect, test } from 'vitest'
import { consoleGivenOf } from '../given/console-given.js'
import { startService } from '../given/harness.js'

const service = await startService()
const given = consoleGivenOf(service)

/** The first owner of an account, and what they enter into forms below the address of the sandbox. */
async function scene() {
  const { visitor, home, account, email } = await given.owner()
  async function enter(path: string, fields: Record<string, string>) {
    const page = await visitor.request(`${home}/${path}/_create`)
    return given.submit(visitor, page, fields)
  }
  const made = await enter('organizations', { name: 'Bright Bank' })
  const domain = /organizations\/([\w-]+)/.exec(made.location ?? '')?.[1] ?? ''
  return { visitor, home, account, email, enter, domain }
}

describe('the first owner', () => {
  test('registers an application and a connection by what their forms require, and leaves the rest empty', async () => {
    const { enter, domain, visitor, home } = await scene()
    const application = await enter(`organizations/${domain}/applications`, {
      name: 'Store',
      application_type: 'react',
      allowed_redirect_urls: 'https://store.example/callback',
      allowed_origins_cors: '',
      allowed_logout_urls: '',
    })
    const read = await visitor.request(`${home}/organizations/${domain}`)
    const [id = ''] = /[\da-f]{8}-[\da-f-]{27}/.exec(read.html) ?? []
    expect(application.status).toBe(303)
    // An organization is named by its domain, or by its id as in the API.
    for (const organization_id of [domain, id]) {
      const connection = await enter('sso-connections', { organization_id, provider_type: 'okta' })
      expect([connection.status, connection.location]).toEqual([303, expect.stringContaining('?done')])
    }
    const unknown = await enter('sso-connections', { organization_id: 'nobody', provider_type: 'okta' })
    expect([unknown.status, unknown.html]).toEqual([
      422,
      expect.stringContaining('there is none called nobody'),
    ])
    expect(unknown.html).toContain('value="nobody"')
  })

  test('creates a key with every scope, whose client_id and secret get a token', async () => {
    const { enter, account, visitor, home } = await scene()
    const { status, html } = await enter('api-keys', { name: 'Back end', scopes: '*', reason: 'The shop' })
    const [client_id = ''] = /(?<=Client ID<\/dt><dd><bdi>)[\w-]+/.exec(html) ?? []
    const [client_secret = ''] = /keysandbox_[\w-]+/.exec(html) ?? []
    const body = { grant_type: 'client_credentials', domain: account.domain, client_id, client_secret }
    const answer = await fetch(`${service.baseUrl}/api/v2/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams(body),
    })

    expect([status, answer.status]).toEqual([200, 200])
    const keys = await visitor.request(`${home}/api-keys`)
    expect(keys.html).toContain('everything but write:impersonations')
  })

  test('names the organizations of a key by their domains, of which more than a key can have are not looked up', async () => {
    const { enter, domain } = await scene()
    const create = (organization_ids: string) =>
      enter('api-keys', { name: 'Back end', scopes: '*', organization_ids, reason: 'The shop' })
    const made = await create(`${domain}\nnobody`)
    expect([made.status, made.html]).toEqual([422, expect.stringContaining('there is none called nobody')])
    expect((await create(domain)).html).toContain('keysandbox_')

    const many = await create('nobody\n'.repeat(101))
    expect(many.status).toBe(422)
    expect(many.html).not.toContain('there is none called')
  })

  test('is named by the audit', async () => {
    const { visitor, home, email } = await scene()
    const { html } = await visitor.request(`${home}/audit`)
    const [, rows = ''] = html.split('<tbody')

    expect(rows).toContain(email)
    expect(rows).toContain('Ada Lovelace')
  })

  test('need not enter their address for a proof', async () => {
    const { visitor, email, home } = await scene()
    await service.clock.advance(601)
    const asked = await visitor.request(`${home.replace('sandbox', 'production')}/api-keys/_create`)
    expect([asked.status, asked.html]).toEqual([
      200,
      expect.stringContaining('a sign-in of the last 10 minutes'),
    ])

    const [, href = ''] = /<a class="button main" href="([^"]+)"/.exec(asked.html) ?? []
    const { searchParams } = new URL(href.replaceAll('&amp;', '&'), service.baseUrl)
    expect([searchParams.get('max_age'), searchParams.get('login_hint')]).toEqual(['0', email])
  })

  test('reads at the form what a key of theirs cannot have, and which field is at fault by its label', async () => {
    const { enter } = await scene()
    const { status, html } = await enter('api-keys', { name: '' })

    expect(status).toBe(422)
    expect(html).toContain('<a href="#scopes">Scopes</a>')
    expect(html).toContain('id="scopes"')
  })
})

describe('a page of the console', () => {
  test('has its menu in groups, and a box that leads to a person or to organizations', async () => {
    const { visitor, home } = await scene()
    const { html } = await visitor.request(`${home}?ui_locales=fr`)
    const groups = [...html.matchAll(/<h2 id="menu-(\w+)">(.+?)<\/h2><ul aria-labelledby="menu-\1">/g)]
    expect(groups.map(([, , label]) => label)).toEqual(['Clients', 'Intégration', 'Activité', 'Compte'])
    const to = async (q: string) => {
      const { location } = await visitor.request(`${home}/search?${new URLSearchParams({ q }).toString()}`)
      return location
    }

    expect(await to(' ada@people.example ')).toBe(`${home}/people?email=ada%40people.example`)
    expect(await to('Bright')).toBe(`${home}/organizations?filter=Bright`)
    const { html: found } = await visitor.request(`${home}/organizations?filter=bright`)
    expect(found).toContain('Bright Bank')
  })

  test('has words for the values of the contract and for times, with their exact form beside', async () => {
    const { enter, visitor, home, domain } = await scene()
    await enter('sso-connections', { organization_id: domain, provider_type: 'entra_id' })
    const { html: list } = await visitor.request(`${home}/sso-connections`)
    expect(list).toContain('<bdi title="entra_id">Microsoft Entra ID</bdi>')
    const { html: form } = await visitor.request(`${home}/sso-connections/_create?ui_locales=fr`)
    expect(form).toMatch(/<option value="custom_saml"[^>]*>Autre \(SAML\)<\/option>/)
    // What the contract says of a field is English.
    expect(form).toMatch(/<span lang="en">[^<]+<\/span>/)

    const { html: organizations } = await visitor.request(`${home}/organizations?ui_locales=fr`)
    expect(organizations).toMatch(
      /<time datetime="(\d{4}-[^"]+Z)" title="\1">\d{1,2} [^\d<]+ \d{4},? (?:à )?\d\d:\d\d:\d\d UTC<\/time>/,
    )
  })

  test('offers what changes something: to activate a connection that is off, and to disable one that is on', async () => {
    const { enter, visitor, domain } = await scene()
    const made = await enter('sso-connections', { organization_id: domain, provider_type: 'okta' })
    const at = made.location?.split('?')[0] ?? ''
    const offered = async () => {
      const { html } = await visitor.request(at)
      return [...html.matchAll(/_do\/ssoConnections\.(activate|disable)"/g)].map(([, name]) => name)
    }

    expect(await offered()).toEqual(['disable'])
    await given.submit(visitor, await visitor.request(`${at}/_do/ssoConnections.disable`), {})
    expect(await offered()).toEqual(['activate'])
  })
})
