import { routes } from '@portico/contract/walk'
import { cellKeyOf } from '@portico/server/cell-key'
import { expect, test } from 'vitest'
import { pagePatterns } from '../abuse/targets.js'
import { startService } from '../given/harness.js'

const service = await startService()
const token = await service.token()
const authorization = `Bearer ${token}`

/** What the key is where a path has one of these parameters. */
const kinds: Readonly<Record<string, string>> = {
  org_domain: 'domain',
  account_domain: 'domain',
  idp_id: 'connection',
  provider_id: 'provider',
}

/** Addresses whose account only a cookie or the token in them says, or their form. */
const unnamed: Readonly<Record<string, string>> = {
  '/onboarding': 'secret',
  '/onboarding/join-requests/:environment': 'secret',
  '/onboarding/email-domains/:environment': 'secret',
  '/onboarding/directory-sync/:environment': 'secret',
  '/relay/:token': 'secret',
  '/oauth/token': 'form',
  '/oauth/revoke': 'form',
  '/oauth/introspect': 'form',
  '/api/v2/oauth/token': 'form',
}

/** The path of a pattern whose parameters have their names as values, and the key that it must have. */
function expectedOf(pattern: string): { readonly path: string; readonly key: unknown } {
  const path = pattern.replaceAll('*', '').replaceAll(':', '')
  const parameter = /:(\w+)/.exec(pattern)?.[1] ?? ''
  const kind = kinds[parameter]
  if (kind === undefined || pattern in unnamed) return { path, key: { kind: unnamed[pattern] ?? 'none' } }
  return { path, key: kind === 'domain' ? { kind, domain: parameter } : { kind, id: parameter } }
}

test.each(routes().map(({ name, path, access }) => ({ name, path, ...access })))(
  'the account of $name is known before a database is asked',
  ({ path: pattern, auth }) => {
    const { path, key } = expectedOf(pattern)

    expect(cellKeyOf({ target: path, authorization })).toEqual(
      auth === 'api_key' ? { kind: 'account', id: service.account.id } : key,
    )
  },
)

test('the account of a page is known before a database is asked', () => {
  // What the last one catches is no page, of an account that may not be there either.
  const patterns = [...new Set(pagePatterns(service).map(({ pattern }) => pattern))].filter(
    (pattern) => pattern !== '/console/*path',
  )
  expect(patterns.length).toBeGreaterThan(50)
  const keysBy = (keyOf: (pattern: string) => unknown) =>
    Object.fromEntries(patterns.map((pattern) => [pattern, keyOf(pattern)]))

  const keys = keysBy((pattern) => cellKeyOf({ target: expectedOf(pattern).path, authorization: undefined }))

  expect(keys).toEqual(keysBy((pattern) => expectedOf(pattern).key))
})

test('a directory is named by its address', () => {
  expect(cellKeyOf({ target: '/scim/v2/7f3e/Users/1', authorization: 'Bearer secret' })).toEqual({
    kind: 'directory',
    id: '7f3e',
  })
})

test.each([
  ['no header', undefined],
  ['no token', 'Bearer '],
  ['a token that is none', 'Bearer a.b.c'],
  ['another scheme', `Basic ${Buffer.from('a:b').toString('base64')}`],
])('a request of the API with %s is of no account, and refused alike everywhere', (_what, header) => {
  expect(cellKeyOf({ target: '/api/v2/organizations', authorization: header })).toEqual({ kind: 'none' })
})

test.each(['/nowhere', '/wp-login.php', '//', '/.well-known/nothing', '/saml/'])(
  'the path %s, which no address begins with, has no key',
  (path) => {
    expect(cellKeyOf({ target: path, authorization })).toBeUndefined()
  },
)

test('a domain is as the caller has sent it, but for what the address encodes', () => {
  expect(cellKeyOf({ target: '/T/awesome%2Dcompany/account', authorization: undefined })).toEqual({
    kind: 'domain',
    domain: 'awesome-company',
  })
  expect(cellKeyOf({ target: '/t/%/account', authorization: undefined })).toEqual({
    kind: 'domain',
    domain: '%',
  })
})

test.each([
  [
    '/account/signed-in?state=%2Ft%2Facme%2Faccount%3Fenvironment%3Dproduction',
    { kind: 'domain', domain: 'acme' },
  ],
  ['/console/signed-in?code=1&state=%2Fconsole%2Facme%2Fproduction', { kind: 'domain', domain: 'acme' }],
  ['/console/signed-in?state=%2Fconsole', { kind: 'none' }],
  ['/account/signed-in?state=https%3A%2F%2Fevil.example%2Ft%2Facme', { kind: 'none' }],
])('the end of a sign-in to a page of ours is of the account that its state names: %s', (target, key) => {
  expect(cellKeyOf({ target, authorization: undefined })).toEqual(key)
})
