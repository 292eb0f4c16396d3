import { expect, test } from 'vitest'
import { pathOf, returnToOf } from './return-to.js'

const place = { appUrl: 'https://app.example', basePath: '/auth' }

test.each([
  ['/', '/'],
  ['/invoices', '/invoices'],
  ['/invoices/7?page=2&sort=-date#top', '/invoices/7?page=2&sort=-date#top'],
  ['/a/../b', '/b'],
  ['/search?next=https://other.example//x', '/search?next=https://other.example//x'],
  ['/caf\u00e9', '/caf%C3%A9'],
  ['/authors', '/authors'],
  ['/%2f%2fother.example', '/%2f%2fother.example'],
  ['/@other.example', '/@other.example'],
  ['/:8080/', '/:8080/'],
  [`/${'a'.repeat(499)}`, `/${'a'.repeat(499)}`],
])('%s is a page of the application', (text, path) => {
  expect(returnToOf(text, place)).toBe(path)
})

test.each([
  undefined,
  null,
  '',
  ' ',
  'invoices',
  '?page=2',
  '#top',
  'https://other.example',
  'https://app.example/invoices',
  'https:other.example',
  'https:/other.example',
  'HTTPS://OTHER.EXAMPLE',
  'http://app.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'data:text/html,x',
  'mailto:ada@other.example',
  '//other.example',
  '///other.example',
  '////other.example',
  '//other.example/..',
  '//app.example@other.example',
  '//user:password@other.example',
  '//[::1]/',
  '//127.0.0.1',
  '/\\other.example',
  '\\/other.example',
  '\\\\other.example',
  '/\\/other.example',
  '/a\\b',
  '/\t/other.example',
  '/\n/other.example',
  '/\r/other.example',
  '/\r\n/other.example',
  '\t//other.example',
  ' //other.example',
  '\u0000/invoices',
  '/\u0000/other.example',
  '/\u001f/other.example',
  '/\u007f',
  '/\u0085/other.example',
  '/invoices\r\nSet-Cookie: a=b',
  '/invoices\nLocation: https://other.example',
  '/.//other.example',
  '/..//other.example',
  '/a/..//other.example',
  '/a//b',
  '/%2e//other.example',
  '/%2e%2e//other.example',
  '/auth',
  '/auth/',
  '/auth/sign-in',
  '/auth/sign-in?return_to=/auth/sign-in',
  '/auth/callback?code=1',
  '/a/../auth/sign-in',
  '/./auth/sign-in',
  '/%2e/auth/sign-in',
  '/auth?x',
  '/auth#x',
  `/${'a'.repeat(500)}`,
  `/${'\u00e9'.repeat(300)}`,
])('%j is none, and becomes /', (text) => {
  expect(returnToOf(text, place)).toBe('/')
})

test('none of them is a page of another origin for a browser, in whatever form it comes', () => {
  const hosts = [
    'other.example',
    'app.example@other.example',
    'other.example:80',
    '127.1',
    '[::ffff:1.2.3.4]',
  ]
  const beginnings = [
    '/',
    '//',
    '/\\',
    '\\',
    '/.',
    '/../',
    '/%09/',
    '/%5c',
    '/\u2044',
    '/\uff0f',
    '/\u3002/',
    '/;/',
  ]
  for (const host of hosts)
    for (const beginning of beginnings) {
      const path = returnToOf(beginning + host, place)
      expect(new URL(path, place.appUrl).origin).toBe(place.appUrl)
      expect(path).toMatch(/^\/(?![/\\])[\x21-\x7e]*$/)
    }
})

test.each([
  ['https://app.example/invoices?page=2', '/invoices?page=2'],
  ['https://app.example/', '/'],
  ['https://app.example.evil/invoices', undefined],
  ['https://app.example@evil.example/invoices', undefined],
  ['https://app.example:8443/invoices', undefined],
  // Cut by the length of the own address it would have a path, too.
  ['https://app.exampl0/invoices', undefined],
  ['http://app.example/invoices', undefined],
  ['https://app.example', undefined],
  [null, undefined],
])('the path of the address %s is %s', (address, path) => {
  expect(pathOf(address, place.appUrl)).toBe(path)
})
