import { expect, test } from 'vitest'
import { accountOfPath, toOwnPath } from './own-path.js'

test.each([
  '/console',
  '/console?account=acme',
  '/console/acme',
  '/console/acme/sandbox/users?filter=a%40b.example&after=x',
  `/console/${'a'.repeat(991)}`,
])('a path of the console is kept: %s', (path) => {
  expect(toOwnPath(path)).toBe(path)
})

test.each([
  '',
  '//evil.example/console',
  '/\\evil.example',
  '/console\\..\\t',
  '/console/../t/acme/sessions',
  '/console/%2e%2e/t/acme/sessions',
  '/console/.%2E/outbox',
  '/console/./acme',
  '/console//evil.example',
  '/consoles',
  '/t/acme/sessions',
  'https://evil.example/console',
  'console/acme',
  ' /console/acme',
  '/console/acme\r\nSet-Cookie: a=b',
  '/console/acme\t',
  '/console/acmé',
  `/console/${'a'.repeat(992)}`,
  ['/console'],
  undefined,
])('any other value is none: %j', (path) => {
  expect(toOwnPath(path)).toBeUndefined()
})

test.each([
  ['/console/acme', 'acme'],
  ['/console/acme/sandbox', 'acme'],
  ['/console/acme?a=b', 'acme'],
  ['/console', undefined],
  ['/console?account=acme', undefined],
  ['/console/%61cme', undefined],
])('the account of %s is %s', (path, account) => {
  expect(accountOfPath(path)).toBe(account)
})
