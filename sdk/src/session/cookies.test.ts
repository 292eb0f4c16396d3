import { expect, test } from 'vitest'
import { cookiesOf, createCookieJar, withCookie } from './cookies.js'

test('a cookie is for this host alone, and not for scripts', () => {
  const jar = createCookieJar(true)

  expect(jar.nameOf('portico')).toBe('__Host-portico')
  expect(jar.set('portico', 'x', 60)).toBe(
    '__Host-portico=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure',
  )
  expect(jar.remove('portico')).toBe('__Host-portico=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure')
  expect(createCookieJar(false).set('portico', 'x', 60)).toBe(
    'portico=x; Path=/; Max-Age=60; HttpOnly; SameSite=Lax',
  )
})

test.each([
  ['a=1; b=2', [['a', '1']]],
  ['b=2;a=1', [['a', '1']]],
  [
    'a=1; a=2',
    [
      ['a', '1'],
      ['a', '2'],
    ],
  ],
  [
    'ab=1; a.c=2',
    [
      ['ab', '1'],
      ['a.c', '2'],
    ],
  ],
  ['a=1=2==', [['a', '1=2==']]],
  ['a', []],
  ['=a=1', []],
  ['A=1', []],
  ['', []],
  [null, []],
  [undefined, []],
])('of the header %j the cookies whose names begin with a are %j', (header, expected) => {
  expect(cookiesOf(header, 'a').map(({ name, value }) => [name, value])).toEqual(expected)
})

test('a header gets another value of one cookie, and keeps the others', () => {
  expect(withCookie('a=1; b=2; c=3', 'b', 'x')).toBe('a=1; c=3; b=x')
  expect(withCookie('a=1; b=2; b=3', 'b', undefined)).toBe('a=1')
  expect(withCookie(null, 'b', 'x')).toBe('b=x')
  expect(withCookie('bb=1; b=2', 'b', undefined)).toBe('bb=1')
})
