import { routes, type Route } from '@portico/contract/walk'
import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../harness.js'

let service: Service
let domain: string

beforeAll(async () => {
  service = await startService()
  ;({ domain } = await service.given.organization())
})

const oauth = routes().filter(({ resource }) => resource === 'oauth')
const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** An answer without what differs from request to request. */
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
