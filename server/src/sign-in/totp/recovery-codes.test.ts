import { expect, test } from 'vitest'
import { makeRecoveryCodes, toRecoveryDigests, withoutRecoveryCode } from './recovery-codes.js'

test('there are five, each of ten characters of base 32', () => {
  const codes = makeRecoveryCodes()

  expect(new Set(codes).size).toBe(5)
  for (const code of codes) expect(code).toMatch(/^[a-z2-7]{10}$/)
})

test('what is kept is salted, and holds none of them', () => {
  const codes = makeRecoveryCodes()
  const kept = toRecoveryDigests(codes)

  for (const code of codes) expect(kept.toString()).not.toContain(code)
  expect(kept.equals(toRecoveryDigests(codes))).toBe(false)
})

test('one that was used is gone, the others are not', () => {
  const [first = '', ...others] = makeRecoveryCodes()

  let left = withoutRecoveryCode(toRecoveryDigests([first, ...others]), first) ?? Buffer.alloc(0)

  expect(withoutRecoveryCode(left, first)).toBeUndefined()
  for (const code of others) {
    const next = withoutRecoveryCode(left, code)
    expect(next).toBeDefined()
    left = next ?? left
  }
})

test('one is known in any case, with spaces and dashes', () => {
  const kept = toRecoveryDigests(['abcde23456'])

  for (const typed of ['ABCDE23456', 'abcde-23456', ' abc de2 34 56\n'])
    expect(withoutRecoveryCode(kept, typed)).toBeDefined()
  for (const typed of ['abcde2345', 'abcde234567', 'abcde23457', '', 'ａbcde23456'])
    expect(withoutRecoveryCode(kept, typed)).toBeUndefined()
})
