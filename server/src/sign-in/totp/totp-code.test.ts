import { describe, expect, test } from 'vitest'
import { findStep, makeTotpSecret, toKeyUri } from './totp-code.js'

// RFC 6238 appendix B, SHA1; its codes have eight digits, of which the last six are a code of six (RFC 4226 section 5.3).
const rfcSecret = Buffer.from('12345678901234567890')
const vectors = [
  { seconds: 59, code: '94287082' },
  { seconds: 1_111_111_109, code: '07081804' },
  { seconds: 1_111_111_111, code: '14050471' },
  { seconds: 1_234_567_890, code: '89005924' },
  { seconds: 2_000_000_000, code: '69279037' },
  { seconds: 20_000_000_000, code: '65353130' },
]
const sixDigits = (code: string) => code.slice(-6)
const stepMs = 30_000

describe('a code', () => {
  test.each(vectors)('of RFC 6238 is found at $seconds seconds', ({ seconds, code }) => {
    const at = new Date(seconds * 1000)

    expect(findStep(rfcSecret, { code: sixDigits(code), at, expirySeconds: 30 })).toBe(
      Math.floor(seconds / 30),
    )
  })

  test.each([
    { expirySeconds: 30, oldest: 1 },
    { expirySeconds: 59, oldest: 1 },
    { expirySeconds: 60, oldest: 2 },
    { expirySeconds: 900, oldest: 30 },
  ])('is found $oldest steps later and one before where it is good for $expirySeconds seconds', (row) => {
    const { expirySeconds, oldest } = row
    const [, , vector] = vectors
    const moment = (vector?.seconds ?? 0) * 1000
    const isFoundAfter = (steps: number) =>
      findStep(rfcSecret, {
        code: sixDigits(vector?.code ?? ''),
        at: new Date(moment + steps * stepMs),
        expirySeconds,
      }) !== undefined

    expect([-2, -1, 0, oldest, oldest + 1].map(isFoundAfter)).toEqual([false, true, true, true, false])
  })

  test.each(['', '05047', '0504711', '０５０４７１', ' 50471', '+50471', '5047.1', '0x1234'])(
    'is never "%s", and nothing is thrown',
    (code) => {
      expect(
        findStep(rfcSecret, { code, at: new Date(1_111_111_111_000), expirySeconds: 30 }),
      ).toBeUndefined()
    },
  )
})

test('a secret has 160 bits, which another does not have', () => {
  expect(makeTotpSecret()).toHaveLength(20)
  expect(makeTotpSecret().equals(makeTotpSecret())).toBe(false)
})

test('a key URI escapes what it is given', () => {
  const uri = toKeyUri(rfcSecret, { issuer: 'A&B: C/D?', email: 'a+b#c@example.com' })

  expect(uri).toBe(
    'otpauth://totp/A%26B%20%20C%2FD%3F:a%2Bb%23c%40example.com?issuer=A%26B%20%20C%2FD%3F' +
      '&secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&algorithm=SHA1&digits=6&period=30',
  )
})
