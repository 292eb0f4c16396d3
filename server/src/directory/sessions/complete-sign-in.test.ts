import { expect, test } from 'vitest'
import { toRedirectUrl } from './complete-sign-in.js'

const answer = { parameters: { code: 'c-_1' }, state: null, issuer: 'https://auth.example/t/acme' }
const iss = 'iss=https%3A%2F%2Fauth.example%2Ft%2Facme'

test('the redirect carries the code and the issuer, and the state where there was one', () => {
  expect(toRedirectUrl('https://store.example/callback', answer)).toBe(
    `https://store.example/callback?code=c-_1&${iss}`,
  )
  expect(toRedirectUrl('https://store.example/callback', { ...answer, state: 'a b&c=é' })).toBe(
    `https://store.example/callback?code=c-_1&state=a+b%26c%3D%C3%A9&${iss}`,
  )
})

test('what is registered stays as it is, to the letter', () => {
  expect(toRedirectUrl('https://store.example/cb?x=%20%2f', answer)).toBe(
    `https://store.example/cb?x=%20%2f&code=c-_1&${iss}`,
  )
  expect(toRedirectUrl('https://store.example/cb?', answer)).toBe(`https://store.example/cb?code=c-_1&${iss}`)
  expect(toRedirectUrl('com.example.app:/done', answer)).toBe(`com.example.app:/done?code=c-_1&${iss}`)
})
