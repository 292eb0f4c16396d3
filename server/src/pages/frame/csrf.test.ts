import { expect, test } from 'vitest'
import {
  findFlowSecret,
  flowSecretOf,
  isCsrfFieldOf,
  isSentByOurPage,
  toCsrfField,
  toFlowCookie,
} from './csrf.js'

const secret = 'A'.repeat(43)

test('the cookie over https is bound to the host, and out of reach of scripts and other sites', () => {
  expect(toFlowCookie(secret, true)).toBe(
    `__Host-portico-flow=${secret}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax; Secure`,
  )
})

test('the cookie over http on this machine has no prefix, which browsers take over https alone', () => {
  expect(toFlowCookie(secret, false)).toBe(
    `portico-flow=${secret}; Path=/; Max-Age=3600; HttpOnly; SameSite=Lax`,
  )
})

test('the secret is found among other cookies', () => {
  expect(findFlowSecret(`a=b; __Host-portico-flow=${secret}; c=d`, true)).toBe(secret)
})

test.each([
  ['none', undefined],
  ['another cookie that ends alike', `x__Host-portico-flow=${secret}`],
  ['the name without the prefix', `portico-flow=${secret}`],
  ['a value that is not ours', '__Host-portico-flow=short'],
])('no secret is found in %s', (_, header) => {
  expect(findFlowSecret(header, true)).toBeUndefined()
})

test('a browser keeps its secret, and gets one when it has none', () => {
  expect(flowSecretOf(`portico-flow=${secret}`, false)).toBe(secret)
  expect(flowSecretOf(undefined, false)).toMatch(/^[\w-]{43}$/)
  expect(flowSecretOf(undefined, false)).not.toBe(flowSecretOf(undefined, false))
})

test('a field is good for its browser and its token alone', () => {
  const field = toCsrfField(secret, 'token')

  expect(isCsrfFieldOf(secret, 'token', field)).toBe(true)
  expect(isCsrfFieldOf(secret, 'other', field)).toBe(false)
  expect(isCsrfFieldOf('B'.repeat(43), 'token', field)).toBe(false)
  expect(isCsrfFieldOf(secret, 'token', '')).toBe(false)
})

const ours = 'https://auth.example'

test.each([
  ['our own', { origin: ours }],
  ['none, from our origin as the browser says', { 'sec-fetch-site': 'same-origin' }],
  ['null, from our origin as the browser says', { origin: 'null', 'sec-fetch-site': 'same-origin' }],
])('a form is taken with the origin: %s', (_, headers) => {
  expect(isSentByOurPage(headers, ours)).toBe(true)
})

test.each([
  ['another', { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' }],
  ['ours over http', { origin: 'http://auth.example' }],
  ['none, without a word of the browser', {}],
  ['null, without a word of the browser', { origin: 'null' }],
  ['none, from a sibling host', { 'sec-fetch-site': 'same-site' }],
  ['null, from elsewhere', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
])('a form is refused with the origin: %s', (_, headers) => {
  expect(isSentByOurPage(headers, ours)).toBe(false)
})
