import { expect, test } from 'vitest'
import { z } from 'zod/v4'
import { routes } from '../walk.js'
import type { OAuthError } from './oauth.js'

const posts = routes().filter(
  ({ method, access }) => method === 'POST' && ['OAuth', 'OpenID Connect'].includes(access.tag.name),
)

test.each(posts.map((route) => [route.name, route] as const))(
  '%s declares each status with which a POST of a protocol is refused, and no 422',
  (_name, { definition: { responses } }) => {
    const statuses = Object.keys(responses).map(Number)
    expect(statuses).toEqual(expect.arrayContaining([400, 401, 413, 415, 429, 503]))
    expect(statuses).not.toContain(422)
    const invalid = { error: 'invalid_request', error_description: 'x' }
    expect(z.safeParse(responses[400] as typeof OAuthError, invalid).success).toBe(true)
  },
)

test('there are such routes in both tags', () => {
  expect(posts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['oauth.organizationToken', 'oauth.organizationRevoke', 'oidc.postUserInfo']),
  )
})
