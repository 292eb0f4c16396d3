import { expect, test } from 'vitest'
import { isVerifierOf, toCodeChallenge } from './pkce.js'

// RFC 7636 appendix B.
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

test('the challenge of the verifier in RFC 7636 appendix B is the one given there', () => {
  expect(toCodeChallenge(verifier)).toBe(challenge)
})

test('the verifier in RFC 7636 appendix B fits its challenge', () => {
  expect(isVerifierOf(challenge, verifier)).toBe(true)
})

test('a code without a challenge takes no verifier', () => {
  expect(isVerifierOf(null, undefined)).toBe(true)
  expect(isVerifierOf(null, verifier)).toBe(false)
})

test.each([
  ['none', undefined],
  ['an empty one', ''],
  ['the challenge itself', challenge],
  ['one whose last character differs', `${verifier.slice(0, -1)}l`],
  ['one that is too short', verifier.slice(0, 42)],
  ['one that is too long', verifier.repeat(3)],
  ['one with a character that no verifier has', `${verifier.slice(0, -1)}=`],
])('a code with a challenge refuses as its verifier %s', (_, wrong) => {
  expect(isVerifierOf(challenge, wrong)).toBe(false)
  expect(isVerifierOf('', wrong)).toBe(false)
})
