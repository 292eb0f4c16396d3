import { routes, type Route } from '@portico/contract/walk'
import { etagOf } from '@portico/sdk'
import { describe, expect, test } from 'vitest'
import { startService } from '../given/harness.js'
import { bodyFor, send, type References } from '../given/request-of.js'
import { sampled } from '../sampled.js'
import { createWorldFor, freshMembers } from '../given/world.js'

const service = await startService()
const client = await service.client()
const token = await service.token()

const keyed = routes().filter(({ access }) => access.auth === 'api_key')

function ask(route: Route, references: References, headers: Record<string, string>) {
  const body = { ...bodyFor(route, references), ...freshMembers(route.name) }
  return send(route, { baseUrl: service.baseUrl, token, references, headers, body })
}

// fetch() adds Cache-Control: no-cache, which is meant for intermediate caches.
describe('If-None-Match (RFC 9110 section 13.1.2)', () => {
  const reads = ['organizations.list', 'users.get', 'webhooks.get', 'ssoConnections.list', 'logEvents.list']

  test.each(keyed.filter(({ name }) => reads.includes(name)).map((route) => [route.name, route] as const))(
    '304: %s of what is there, where nothing that is will do',
    async (_name, route) => {
      const { status, text } = await ask(route, await createWorldFor(route, service), {
        'if-none-match': '*',
      })
      expect([status, text]).toEqual([304, ''])
    },
  )

  test('304: a record whose tag is named, weakly or among others; 200 with any other, and 404 where there is none', async () => {
    const { domain: org_domain } = await service.given.organization()
    const user = await service.given.user({ org_domain })
    const tag = etagOf(await client.users.get({ org_domain, user_id: user.id })) ?? ''
    const path = `${service.baseUrl}/api/v2/org/${org_domain}/users/`
    const statusOf = async (known: string, id = user.id, method = 'GET') => {
      const headers = { authorization: `Bearer ${token}`, 'if-none-match': known }
      const answer = await fetch(path + id, { method, headers })
      return [known, answer.status, answer.headers.get('etag')]
    }

    for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*'])
      expect(await statusOf(known)).toEqual([known, 304, tag])
    expect(await statusOf(tag, user.id, 'HEAD')).toEqual([tag, 304, tag])
    for (const known of ['"x"', 'W/"x"', '', tag.slice(1, -1).padStart(4, '9')])
      expect(await statusOf(known)).toEqual([known, 200, tag])
    expect(await statusOf('*', '0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46')).toEqual(['*', 404, null])
  })

  const changes = keyed.filter(({ access }) => access.versioned === 'checks')

  test.each(sampled(changes, 5).map((route) => [route.name, route] as const))(
    '412: %s of a record that must not be there',
    async (_name, route) => {
      const { status, body } = await ask(route, await createWorldFor(route, service), {
        'if-none-match': '*',
      })
      expect([status, body]).toMatchObject([412, { error: { code: 'precondition_failed' } }])
    },
  )

  test('404: a change of what is not there, and If-Match does not outweigh it', async () => {
    const { domain: org_domain } = await service.given.organization()
    const user = await service.given.user({ org_domain })
    const tag = etagOf(await client.users.get({ org_domain, user_id: user.id })) ?? ''
    const path = `${service.baseUrl}/api/v2/org/${org_domain}/users/`
    const statusOf = async (id: string, ifMatch: string, ifNoneMatch: string) => {
      const headers = { authorization: `Bearer ${token}`, 'if-match': ifMatch, 'if-none-match': ifNoneMatch }
      return (await fetch(path + id, { method: 'DELETE', headers })).status
    }

    expect(await statusOf('0190c8a4-11d2-7a6f-8e3b-7c9d0e1f2a46', '*', '*')).toBe(404)
    expect(await statusOf(user.id, tag, '*')).toBe(412)
    expect(await statusOf(user.id, tag, '"x"')).toBe(200)
  })
})
