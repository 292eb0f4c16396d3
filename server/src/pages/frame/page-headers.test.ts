import { describe, expect, test } from 'vitest'
import { pageHeaders, postingPageHeaders } from './page-headers.js'

/** The form-action directive of a page whose form leads to an address. */
function formActionOf(redirectUri?: string): string | undefined {
  const policy = pageHeaders(true, redirectUri)['Content-Security-Policy'] ?? ''
  expect(policy.split(';')).toHaveLength(8)
  return policy.split('; ').find((directive) => directive.startsWith('form-action'))
}

describe('the policy of a page', () => {
  test.each([
    ['https://store.example/callback?x=1', 'https://store.example'],
    ['http://localhost:3000/callback', 'http://localhost:3000'],
    ['https://[2001:db8::1]:8443/', 'https://[2001:db8::1]:8443'],
    ['com.example.app:/callback', 'com.example.app:'],
  ])('lets its form lead to %s', (uri, source) => {
    expect(formActionOf(uri)).toBe(`form-action 'self' ${source}`)
  })

  test.each([
    'https://a.example;script-src/cb',
    "https://a.example'unsafe-inline'/cb",
    'https://a.example,b/',
  ])('has nothing of %s, which would be more than an origin', (uri) => {
    expect(formActionOf(uri)).toBe("form-action 'self'")
  })

  test('of a page that posts an answer lets its form lead to the application alone', () => {
    expect(postedFormActionOf('https://store.example/callback?x=1')).toBe('form-action https://store.example')
    expect(postedFormActionOf("https://a.example'unsafe-inline'/cb")).toBe("form-action 'none'")
  })

  test('lets the page load a logo from its one origin', () => {
    expect(imagesOf('https://cdn.example/a/logo.svg?x')).toBe("img-src 'self' data: https://cdn.example")
  })

  test.each([
    'http://cdn.example/logo.png',
    'data:image/png;base64,AAAA',
    'javascript:alert(1)',
    "https://cdn.example;script-src'unsafe-inline'/",
    'https://cdn.example,*/',
    'not an address',
  ])('lets it load nothing because of %s', (logo) => {
    expect(imagesOf(logo)).toBe("img-src 'self' data:")
  })

  test('runs the service’s own script and nobody else’s', () => {
    expect(pageHeaders(true)['Content-Security-Policy']).toContain("script-src 'self';")
  })
})

function postedFormActionOf(target: string): string | undefined {
  const policy = postingPageHeaders(true, target)['Content-Security-Policy'] ?? ''
  return policy.split('; ').find((directive) => directive.startsWith('form-action'))
}

function imagesOf(logoUrl: string): string | undefined {
  const policy = pageHeaders(true, undefined, logoUrl)['Content-Security-Policy'] ?? ''
  return policy.split('; ').find((directive) => directive.startsWith('img-src'))
}
