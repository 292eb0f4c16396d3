import { expect, test } from 'vitest'
import { isTargetAllowed, targetRefusal, type OutboundRules } from './target.js'

const strict: OutboundRules = { allowed: [], isHttpAllowed: false }
const development: OutboundRules = { allowed: ['127.0.0.0/8', '::1', '10.0.0.0/8'], isHttpAllowed: true }
const production: OutboundRules = { ...development, isHttpAllowed: false }

test.each([
  'https://example.com',
  'https://example.com:443/hooks?a=b',
  'https://example.com:8443/',
  'https://EXAMPLE.com./',
  'https://bücher.example/',
  'https://1.1.1.1/',
  'https://[2606:4700:4700::1111]/',
])('%s is a target', (url) => {
  expect(isTargetAllowed(url, strict)).toBe(true)
})

test.each([
  'http://example.com/',
  'ftp://example.com/',
  'https:example.com',
  'https:///example.com',
  'https://example.com:22/',
  'https://example.com:80/',
  'https://example.com:1023/',
  'https://example.com:0/',
  'https://user@example.com/',
  'https://:password@example.com/',
  'https://example.com/#part',
  'https://example.com/#',
  'https://example.com\\@example.org/',
  ' https://example.com/',
  'https://exa\tmple.com/',
  'https://example.com/\u0000',
  'https://a..example.com/',
  'example.com',
  '',
])('%j is none', (url) => {
  expect(isTargetAllowed(url, strict)).toBe(false)
})

test.each([
  'https://localhost/',
  'https://api.localhost/',
  'https://ⓛocalhost./',
  'https://router.local/',
  'https://vault.internal/',
  'https://nas.home.arpa/',
  'https://kubernetes/',
])('%s names something inside a network', (url) => {
  expect(isTargetAllowed(url, strict)).toBe(false)
  expect(isTargetAllowed(url, production)).toBe(true)
})

test.each([
  ['this network', '0.0.0.0'],
  ['private', '10.1.2.3'],
  ['private', '172.16.0.1'],
  ['private', '192.168.1.1'],
  ['carrier-grade NAT', '100.100.100.200'],
  ['loopback', '127.0.0.1'],
  ['link-local, where clouds have their metadata', '169.254.169.254'],
  ['protocol assignments', '192.0.0.192'],
  ['documentation', '192.0.2.1'],
  ['6to4 relays', '192.88.99.1'],
  ['benchmarking', '198.18.0.1'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '[::]'],
  ['loopback', '[::1]'],
  ['link-local', '[fe80::1]'],
  ['site-local', '[fec0::1]'],
  ['unique local', '[fd00:ec2::254]'],
  ['multicast', '[ff02::1]'],
  ['discard', '[100::1]'],
  ['documentation', '[2001:db8::1]'],
  ['documentation', '[3fff::1]'],
  ['mapped', '[::ffff:1.1.1.1]'],
  ['compatible', '[::1.1.1.1]'],
  ['translated', '[::ffff:0:1.1.1.1]'],
  ['NAT64', '[64:ff9b::1.1.1.1]'],
  ['local NAT64', '[64:ff9b:1::1.1.1.1]'],
  ['6to4', '[2002:101:101::1]'],
  ['Teredo', '[2001::1]'],
  ['not assigned', '[4000::1]'],
])('an address of another kind than public is no target: %s, %s', (_kind, host) => {
  expect(isTargetAllowed(`https://${host}/`, strict)).toBe(false)
})

test('a network that the operator has opened is a target, over http outside production alone', () => {
  for (const host of ['10.1.2.3', '127.0.0.1:8080', '[::1]:8080', 'localhost:8080']) {
    expect(isTargetAllowed(`https://${host}/`, production)).toBe(true)
    expect(isTargetAllowed(`http://${host}/`, development)).toBe(true)
    expect(isTargetAllowed(`http://${host}/`, production)).toBe(false)
  }
})

test('opening a network opens no other, and none of the addresses that embed it', () => {
  for (const host of [
    '192.168.1.1',
    '[::ffff:10.1.2.3]',
    '[64:ff9b::10.1.2.3]',
    '[2002:a01:203::1]',
    '[::2]',
  ])
    expect(isTargetAllowed(`https://${host}/`, development)).toBe(false)
})

test('localhost is a target where loopback is open, not where some other network is', () => {
  const elsewhere = { ...development, allowed: ['10.0.0.0/8'] }

  expect(isTargetAllowed('http://localhost:8080/', elsewhere)).toBe(false)
  expect(isTargetAllowed('http://receiver:8080/', elsewhere)).toBe(true)
})

test('a public address is never a target over http', () => {
  expect(isTargetAllowed('http://1.1.1.1/', development)).toBe(false)
})

test('a refusal names the setting that opens networks to developers, and not in production', () => {
  expect(targetRefusal(development)).toContain('OUTBOUND_ALLOW=127.0.0.0/8,::1')
  expect(targetRefusal(production)).not.toContain('OUTBOUND_ALLOW')
})
