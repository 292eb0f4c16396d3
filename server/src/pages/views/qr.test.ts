import { expect, test } from 'vitest'
import { toQrCode } from './qr.js'

test('a code has its three finders, and a border of four modules around it', () => {
  const { size, path } = toQrCode('otpauth://totp/a?secret=JBSWY3DPEHPK3PXP')
  const rows = [...path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\3z/g)].map(([, x, y, run]) =>
    [x, y, run].map(Number),
  )

  expect(rows.map(([x = 0, y = 0, run = 0]) => `M${x} ${y}h${run}v1h-${run}z`).join('')).toBe(path)
  expect(rows).toContainEqual([4, 4, 7])
  expect(rows).toContainEqual([size - 11, 4, 7])
  expect(rows).toContainEqual([4, size - 5, 7])
  for (const [x = 0, y = 0, run = 0] of rows) {
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(4)
    expect(Math.max(x + run, y + 1)).toBeLessThanOrEqual(size - 4)
  }
})
