import { exampleOf } from '@portico/contract/record'
import { Application } from '@portico/contract/applications'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../platform/errors.js'
import { checkApplicationUrls, chooseRedirect, settleDefaults } from './redirects.js'

type Members = Partial<Application>

const withoutUrls = {
  ...exampleOf(Application),
  allowed_redirect_urls: [],
  allowed_origins_cors: [],
  allowed_logout_urls: [],
  allowed_web_origins: [],
  passkey_rp_id: null,
  default_redirect_uri_after_login: null,
  default_redirect_uri_after_logout: null,
  default_web_origin: null,
  default_origin_cors: null,
  default_logout_url: null,
}

/** The faults of an application with these members, as `path: code`. */
function faultsOf(members: Members, environment: 'sandbox' | 'production' = 'sandbox'): string[] {
  try {
    checkApplicationUrls({ ...withoutUrls, ...members }, environment)
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    expect(error.code).toBe('invalid_parameters')
    return (error.fields ?? []).map(({ path, code }) => `${path}: ${code}`)
  }
}

function redirectFault(url: string, members: Members = {}, environment?: 'sandbox' | 'production') {
  const [fault] = faultsOf({ allowed_redirect_urls: [url], ...members }, environment)
  return fault?.replace('allowed_redirect_urls.0: ', '')
}

describe('a redirect URL', () => {
  test.each([
    'https://store.example',
    'https://store.example/callback',
    'https://store.example:8443/callback?from=login&x=%20',
    'https://store.example:443/callback',
    'https://localhost:3000/callback',
    'https://192.0.2.1/callback',
    'https://[2001:db8::1]/callback',
    'https://store.example/callback?from=code&States=1&tenant=error',
    'https://xn--bcher-kva.example/callback',
    'https://store.example/a/../b',
  ])('%s is allowed in production', (url) => {
    expect(redirectFault(url, {}, 'production')).toBeUndefined()
  })

  test.each([
    'http://localhost/callback',
    'http://localhost:3000/callback',
    'http://127.0.0.1:3000/callback',
    'http://[::1]:3000/callback',
  ])('%s is allowed in the sandbox alone', (url) => {
    expect(redirectFault(url, {}, 'sandbox')).toBeUndefined()
    expect(redirectFault(url, {}, 'production')).toBe('scheme_not_allowed')
  })

  test.each([
    'com.example.app:/callback',
    'com.example.app://callback',
    'com.example.app://callback/path?x=1',
    'com.example-2.app:/',
    'java.script:/callback',
    'https-app.example:/callback',
  ])('%s is allowed for mobile types alone', (url) => {
    for (const application_type of ['android', 'ios', 'mobile'] as const)
      expect(redirectFault(url, { application_type }, 'production')).toBeUndefined()
    expect(redirectFault(url, { application_type: 'spa' })).toBe('scheme_not_allowed')
  })

  test.each([
    ['http://store.example/callback', 'scheme_not_allowed'],
    ['http://localhost.store.example/callback', 'scheme_not_allowed'],
    ['ftp://store.example/callback', 'scheme_not_allowed'],
    ['myapp:/callback', 'scheme_not_allowed'],
    ['myapp://callback', 'scheme_not_allowed'],
    ['com.example.app.:/callback', 'scheme_not_allowed'],
    ...['https', 'http', 'javascript', 'vbscript', 'data', 'file', 'blob', 'about', 'intent'].map(
      (label): [string, string] => [`${label}.example:/callback`, 'scheme_not_allowed'],
    ),
    ['https://a.example;script-src/cb', 'invalid_host'],
    ["https://a.example'unsafe-inline'/cb", 'invalid_host'],
    ['https://a.example,b.example/cb', 'invalid_host'],
    ['https://a_b.example/cb', 'invalid_host'],
    ['https://store.example/cb?code=1', 'parameter_not_allowed'],
    ['https://store.example/cb?discovery_code=1', 'parameter_not_allowed'],
    ['https://store.example/cb?a=1&state=', 'parameter_not_allowed'],
    ['https://store.example/cb?iss', 'parameter_not_allowed'],
    ['https://store.example/cb?%65rror=1', 'parameter_not_allowed'],
    ['com.example.app:/cb?code=1', 'parameter_not_allowed'],
    ['javascript:alert(1)', 'invalid_url'],
    ['data:text/html,x', 'invalid_url'],
    ['com.example.app:callback', 'invalid_url'],
    ['//store.example/callback', 'invalid_url'],
    ['/callback', 'invalid_url'],
    ['store.example', 'invalid_url'],
    ['https:store.example/callback', 'invalid_url'],
    ['HTTPS://store.example/callback', 'invalid_url'],
    ['https://', 'invalid_url'],
    ['https://store.example:99999/', 'invalid_url'],
    ['https://store.example/call back', 'invalid_url'],
    ['https://store.example/call\nback', 'invalid_url'],
    ['https://store.example/\u0000', 'invalid_url'],
    ['https://store.example\\@evil.example/', 'invalid_url'],
    ['https:\\\\store.example', 'invalid_url'],
    ['https://bücher.example/', 'invalid_url'],
    ['https://store.example/é', 'invalid_url'],
    ['https://store.example/%zz', 'invalid_url'],
    ['https://*.store.example/callback', 'wildcard_not_allowed'],
    ['https://store.example/*', 'wildcard_not_allowed'],
    ['https://store.example/callback#', 'fragment_not_allowed'],
    ['https://store.example/callback#part', 'fragment_not_allowed'],
    ['https://user:password@store.example/', 'credentials_not_allowed'],
    ['https://user@store.example/', 'credentials_not_allowed'],
    ['https://@store.example/', 'credentials_not_allowed'],
    ['com.example.app://user@callback', 'credentials_not_allowed'],
    ['https://Store.example/callback', 'host_not_canonical'],
    ['https:///store.example/callback', 'host_not_canonical'],
    ['https:/store.example/callback', 'host_not_canonical'],
    ['https://0x7f.1/callback', 'host_not_canonical'],
    ['https://2130706433/callback', 'host_not_canonical'],
    ['https://st%6Fre.example/', 'host_not_canonical'],
    ['https://[2001:DB8::1]/', 'host_not_canonical'],
    ['https://store.example:/callback', 'host_not_canonical'],
  ])('%j is refused: %s', (url, code) => {
    expect(redirectFault(url, { application_type: 'mobile' })).toBe(code)
  })
})

describe('where an application begins a sign-in', () => {
  const initiationFault = (uri: string, members: Members = {}, environment?: 'sandbox' | 'production') =>
    faultsOf({ initiate_login_uri: uri, ...members }, environment)[0]?.replace('initiate_login_uri: ', '')

  test.each(['https://store.example/auth/sign-in', 'https://store.example/?from=portal&state=1'])(
    '%s is allowed',
    (uri) => {
      expect(initiationFault(uri, {}, 'production')).toBeUndefined()
    },
  )

  test('http on localhost is allowed in the sandbox alone', () => {
    expect(initiationFault('http://localhost:3000/auth/sign-in')).toBeUndefined()
    expect(initiationFault('http://localhost:3000/auth/sign-in', {}, 'production')).toBe('scheme_not_allowed')
  })

  test.each([
    ['http://store.example/', 'scheme_not_allowed'],
    ['com.example.app:/begin', 'scheme_not_allowed'],
    ['https://store.example/#here', 'fragment_not_allowed'],
    ['https://user@store.example/', 'credentials_not_allowed'],
    ['https://Store.example/', 'host_not_canonical'],
    ...['iss', 'organization', 'login_hint', 'target_link_uri', 'impersonation'].map(
      (name): [string, string] => [`https://store.example/?${name}=1`, 'parameter_not_allowed'],
    ),
    ['/auth/sign-in', 'invalid_url'],
  ])('%s is refused, for mobile types too: %s', (uri, code) => {
    expect(initiationFault(uri, { application_type: 'mobile' })).toBe(code)
  })
})

describe('an origin', () => {
  test.each(['https://store.example', 'https://store.example:8443', 'https://[2001:db8::1]'])(
    '%s is allowed',
    (origin) => {
      expect(
        faultsOf({ allowed_origins_cors: [origin], allowed_web_origins: [origin] }, 'production'),
      ).toEqual([])
    },
  )

  test.each([
    ['https://store.example/', 'not_an_origin'],
    ['https://store.example/path', 'not_an_origin'],
    ['https://store.example?x', 'not_an_origin'],
    ['https://store.example:443', 'not_an_origin'],
    ['http://store.example', 'scheme_not_allowed'],
    ['com.example.app://store', 'scheme_not_allowed'],
    ['*', 'wildcard_not_allowed'],
    ['null', 'invalid_url'],
  ])('%s is refused: %s', (origin, code) => {
    const members = { application_type: 'mobile' as const, allowed_origins_cors: [origin] }
    expect(faultsOf(members)).toEqual([`allowed_origins_cors.0: ${code}`])
  })
})

test('every fault is named by its list and place', () => {
  const members = {
    allowed_redirect_urls: ['https://store.example/callback', 'http://store.example/', 'https://a.example/#'],
    allowed_origins_cors: ['https://store.example/'],
    allowed_logout_urls: ['nonsense'],
    allowed_web_origins: ['https://store.example', 'https://Store.example'],
  }
  expect(faultsOf(members)).toEqual([
    'allowed_redirect_urls.1: scheme_not_allowed',
    'allowed_redirect_urls.2: fragment_not_allowed',
    'allowed_origins_cors.0: not_an_origin',
    'allowed_logout_urls.0: invalid_url',
    'allowed_web_origins.1: host_not_canonical',
  ])
})

test('a logout URL, which gets no code, may have any query', () => {
  const allowed_logout_urls = ['https://store.example/signed-out?state=1&error=none']
  expect(faultsOf({ allowed_logout_urls })).toEqual([])
})

test('a default must be in its list', () => {
  const members = {
    allowed_redirect_urls: ['https://store.example/callback'],
    default_redirect_uri_after_login: 'https://store.example/other',
    default_web_origin: 'https://store.example',
  }
  expect(faultsOf(members)).toEqual([
    'default_redirect_uri_after_login: not_in_list',
    'default_web_origin: not_in_list',
  ])
})

describe('the defaults of an application', () => {
  const [one, two, three] = ['https://store.example/1', 'https://store.example/2', 'https://store.example/3']
  const urls = { ...withoutUrls, allowed_redirect_urls: [one, two], allowed_logout_urls: [three] }

  test('are the first of each list, and null where a list is empty', () => {
    expect(settleDefaults(urls, {})).toEqual({
      default_redirect_uri_after_login: one,
      default_redirect_uri_after_logout: three,
      default_web_origin: null,
      default_origin_cors: null,
      default_logout_url: three,
    })
  })

  test('are what is given', () => {
    const given = { default_redirect_uri_after_login: two, default_logout_url: null }
    expect(settleDefaults(urls, given)).toMatchObject(given)
  })

  const stored = { ...urls, default_redirect_uri_after_login: two }

  test('stay while their list has them', () => {
    const lists = { ...urls, allowed_redirect_urls: [three, two] }
    expect(settleDefaults(lists, {}, stored).default_redirect_uri_after_login).toBe(two)
  })

  test('become the first of a list that has them no more', () => {
    const lists = { ...urls, allowed_redirect_urls: [three, one] }
    expect(settleDefaults(lists, {}, stored).default_redirect_uri_after_login).toBe(three)
    expect(settleDefaults(withoutUrls, {}, stored).default_redirect_uri_after_login).toBeNull()
  })

  test('stay clear when they were cleared, and are found when there was nothing to take them from', () => {
    const cleared = { ...stored, default_redirect_uri_after_login: null }
    expect(settleDefaults(urls, {}, cleared).default_redirect_uri_after_login).toBeNull()
    expect(settleDefaults(urls, {}, withoutUrls).default_redirect_uri_after_login).toBe(one)
  })
})

describe('the application that a code is for', () => {
  const old = {
    id: 'old',
    allowed_redirect_urls: ['https://a.example/'],
    default_redirect_uri_after_login: null,
  }
  const middle = {
    id: 'middle',
    allowed_redirect_urls: ['https://b.example/', 'https://shared.example/'],
    default_redirect_uri_after_login: 'https://b.example/',
  }
  const young = {
    id: 'young',
    allowed_redirect_urls: ['https://c.example/', 'https://shared.example/'],
    default_redirect_uri_after_login: 'https://c.example/',
  }
  const all = [old, middle, young]

  test('is the oldest that allows the requested redirect URI, exactly', () => {
    expect(chooseRedirect(all, 'https://c.example/')).toEqual({
      application: young,
      redirectUri: 'https://c.example/',
    })
    expect(chooseRedirect(all, 'https://a.example/')?.application).toBe(old)
    expect(chooseRedirect(all, 'https://shared.example/')?.application).toBe(middle)
  })

  test.each([undefined, 'https://c.example', 'https://c.example/?', 'https://evil.example/'])(
    'is the oldest with a default redirect, with that, when %s is requested',
    (requested) => {
      expect(chooseRedirect(all, requested)).toEqual({
        application: middle,
        redirectUri: 'https://b.example/',
      })
    },
  )

  test('is none when none can receive a code', () => {
    expect(chooseRedirect([], 'https://a.example/')).toBeUndefined()
    expect(chooseRedirect([old], undefined)).toBeUndefined()
  })
})
