import { expect, test } from 'vitest'
import { ignoredParameters, ignoredScopes, joinWarnings, queryOfUrl } from './ignored-parameters.js'

const warningOf = (query: string) => ignoredParameters(new URLSearchParams(query), (name) => name === 'page')

test('names what is not known, as it was sent, once, and never a value', () => {
  expect(warningOf('page=1&per-page=2&filter[name]=ada&per-page=3')).toBe(
    'ignored parameters: per-page, filter[name]',
  )
  expect(warningOf('page=1&page=2')).toBeUndefined()
  expect(warningOf('')).toBeUndefined()
})

test('names five at most, and none that could be more than a name', () => {
  expect(warningOf('a&b&c&d&e&f')).toBe('ignored parameters: a, b, c, d, e')
  const odd = ['a%0d%0aSet-Cookie:x', 'a b', 'a,b', 'é', '', 'x'.repeat(41)]
  expect(warningOf(odd.map((name) => `${name}=1`).join('&'))).toBeUndefined()
  expect(warningOf(`${odd.join('=1&')}=1&fine=1`)).toBe('ignored parameters: fine')
})

test('names scopes in the same way, also with the colon and slash that they may have', () => {
  expect(ignoredScopes(['read:users', 'https://api.example/read', 'a"b', 'read:users'])).toBe(
    'ignored scopes: read:users, https://api.example/read',
  )
  expect(ignoredScopes([])).toBeUndefined()
})

test('warnings are one value of the header, in which semicolons divide them', () => {
  expect(joinWarnings(['ignored parameters: a, b', undefined, 'ignored scopes: c'])).toBe(
    'ignored parameters: a, b; ignored scopes: c',
  )
  expect(joinWarnings([undefined])).toBeUndefined()
})

test('an address without a query has no parameters', () => {
  expect([...queryOfUrl('/a')]).toEqual([])
  expect([...queryOfUrl('/a?b=c?d')]).toEqual([['b', 'c?d']])
})
