import { expect, test } from 'vitest'
import { withParameter } from './layout.js'

test('a parameter of an address is added, takes the place of the one that was there, or goes', () => {
  expect(withParameter('/a', 'way', 'recovery')).toBe('/a?way=recovery')
  expect(withParameter('/a?b=1', 'way', 'a b')).toBe('/a?b=1&way=a+b')
  expect(withParameter('/a?way=x&b=1&way=y', 'way', 'recovery')).toBe('/a?b=1&way=recovery')
  expect(withParameter('/a?way=x', 'way', undefined)).toBe('/a')
})
