import { routes, type Route } from '@portico/contract/walk'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'

const service = await startService()
const { domain } = await service.given.organization()

const oauth = routes().filter(({ resource }) => resource === 'oauth')
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** An answer without the parts that differ between requests. */
async function answerOf(url: string, init: RequestInit) {
  const answer = await fetch(url, init)
  const { 'x-request-id': requestId = '', date: _, ...headers } = Object.fromEntries(answer.headers)
  return { status: answer.status, headers, text: (await answer.text()).replaceAll(requestId, '') }
}

function urlOf({ path }: Route, organization: string): string {
  return `${service.baseUrl}${path.replace(':org_domain', organization)}`
}

describe('the OAuth endpoints', () => {
  test('413: a form of more than 100 kB', async () => {
    for (const route of oauth) {
      const body = `token=${'x'.repeat(100 * 1024)}`
      const { status, text } = await answerOf(urlOf(route, domain), { method: 'POST', headers: form, body })
      expect([route.name, status, text]).toEqual([
        route.name,
        413,
        expect.stringContaining('"code":"body_too_large"'),
      ])
    }
  })

  test('400: a path that cannot be read, in the form of RFC 6749 section 5.2', async () => {
    const named = oauth.filter(({ path }) => path.includes(':org_domain'))
    expect(named).toHaveLength(3)
    for (const route of named) {
      const { status, text } = await answerOf(urlOf(route, '%'), { method: 'POST' })
      expect([route.name, status, JSON.parse(text)]).toEqual([
        route.name,
        400,
        { error: 'invalid_request', error_description: expect.any(String) },
      ])
    }
  })
})

/** Endpoints needed by verifiers, which reveal that the organization exists. */
const published = ['oidc.discovery', 'oidc.serverMetadata', 'oidc.keySet']

describe('a stranger is answered alike at an organization and where there is none', () => {
  const asked = routes().filter(
    ({ name, path }) => path.startsWith('/t/:org_domain/') && !published.includes(name),
  )
  const parameters = new URLSearchParams({
    grant_type: 'authorization_code',
    code: 'nonsense',
    token: 'nonsense',
    client_id: '0190c8b0-3f4e-7d5c-b6a7-98f0e1d2c3b4',
  })

  test.each(asked.map((route) => [route.name, route] as const))('%s', async (_name, route) => {
    const own = await service.token()
    const isForm = route.resource === 'oauth'
    for (const authorization of ['', 'Bearer nonsense', `Basic ${btoa('a:b')}`, `Bearer ${own}`]) {
      const headers = new Headers(isForm ? form : {})
      if (authorization !== '') headers.set('authorization', authorization)
      const body = isForm ? parameters.toString() : null
      const [there, ...nowhere] = await Promise.all(
        [domain, 'no-such-organization', '%00'].map((organization) =>
          answerOf(urlOf(route, organization), { method: route.method, headers, body }),
        ),
      )
      expect([authorization, ...nowhere]).toEqual([authorization, there, there])
    }
  })
})
