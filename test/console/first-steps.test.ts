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
    const [organization_id = ''] = /[\da-f]{8}-[\da-f-]{27}/.exec(read.html) ?? []
    const connection = await enter('sso-connections', { organization_id, provider_type: 'okta' })

    expect([application.status, connection.status]).toEqual([303, 303])
  })

  test('creates a key with every scope, whose client_id and secret get a token', async () => {
    const { enter, account, visitor, home } = await scene()
    const { status, html } = await enter('api-keys', { name: 'Back end', scopes: '*' })
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

    const { searchParams } = new URL(asked.location ?? '', service.baseUrl)
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
