import { expect, test } from 'vitest'
import { holderOf } from './connection-shares.js'

test.each([
  ['the API by its key', '/api/v2/organizations', '/api/v2/events'],
  ['SCIM by its secret', '/scim/v2/one/Users', '/scim/v2/two/Users'],
])('connections are counted: %s', (_, one, other) => {
  const holder = (path: string, authorization: string) =>
    holderOf({ path, ip: '', headers: { authorization } })
  expect(holder(one, 'Bearer a')).toBe(holder(other, 'Bearer a'))
  expect(holder(one, 'Bearer a')).not.toBe(holder(one, 'Bearer b'))
})

test('connections are counted: pages by what their path names, however it is written and whatever header is sent', () => {
  const paths = ['/t/acme/oauth/token', '/T/ACME/authorize', '/t/%61cme/sign-in/1', '/%74/acm%65']
  const holders = paths.flatMap((path) => [
    holderOf({ path, ip: '', headers: {} }),
    holderOf({ path, ip: '', headers: { authorization: `Bearer ${path}` } }),
  ])
  expect(new Set(holders)).toEqual(new Set(['t/acme']))
  expect(holderOf({ path: '/t/other/oauth/token', ip: '', headers: {} })).toBe('t/other')
  expect(holderOf({ path: '/saml/idp_1/acs', ip: '', headers: { authorization: 'Bearer x' } })).toBe(
    'saml/idp_1',
  )
})

test.each(['/oauth/token', '/oauth/revoke', '/%6fauth/token', '/api/v2/oauth/token'])(
  'connections are counted: %s, of all organizations, by the network of the client, whatever header is sent',
  (path) => {
    const holder = (ip: string, authorization?: string) =>
      holderOf({ path, ip, headers: { ...(authorization !== undefined && { authorization }) } })

    const ofOne = ['Bearer 1', 'Bearer 2', 'Basic eDp5', undefined].map((sent) => holder('203.0.113.9', sent))
    expect(new Set(ofOne).size).toBe(1)
    expect(holder('203.0.113.10', 'Bearer 1')).not.toBe(ofOne[0])
    expect(holder('2001:db8::1')).toBe(holder('2001:db8::2'))
  },
)

test('connections are counted: also where a path cannot be decoded', () => {
  expect(holderOf({ path: '/t/%/oauth/token', ip: '', headers: {} })).toBe('t/%')
})
