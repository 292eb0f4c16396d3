import { expect, test } from 'vitest'
import { networkOfClient } from './address.js'

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:db8:1:2:ffff::1', '2001:db8:1:2::'],
  ['2001:db8:1:3::1', '2001:db8:1:3::'],
  ['', ''],
  ['unix:', 'unix:'],
])('a client at %s is counted as %s', (address, network) => {
  expect(networkOfClient(address)).toBe(network)
})
