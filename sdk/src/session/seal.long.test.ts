import { expect, test } from 'vitest'
import { createSealer } from './seal.js'

test('of a million sealed values no two have the same nonce, which would tell of both', async () => {
  const sealer = createSealer(['a-secret-of-at-least-32-characters'], ['https://app.example'])
  const nonces = new Set<string>()
  for (let round = 0; round < 1_000; round += 1) {
    const texts = await Promise.all(Array.from({ length: 1_000 }, () => sealer.seal(0, 'place')))
    for (const text of texts) nonces.add(text.slice(8, 24))
  }

  expect(nonces.size).toBe(1_000_000)
}, 600_000)
