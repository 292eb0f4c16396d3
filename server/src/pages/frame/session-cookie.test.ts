import { expect, test } from 'vitest'
import {
  clearSessionCookie,
  findSessionSecret,
  listSessionSecrets,
  sessionCookieName,
  toSessionCookie,
} from './session-cookie.js'

const owner = { organizationId: '0190c8a1-7c1e-7c39-9b6d-2f1d8a3b4c5d', environment: 'sandbox' }
const secret = 'a'.repeat(43)

test('the cookie of a session is for this host, over https alone, and out of reach of scripts and of other sites’ forms', () => {
  expect(toSessionCookie(secret, true, owner, 28_800)).toMatch(
    /^__Host-portico-session-[0-9a-f]{12}=a{43}; Path=\/; Max-Age=28800; HttpOnly; SameSite=Lax; Secure$/,
  )
  expect(toSessionCookie(secret, false, owner, 28_800)).toMatch(
    /^portico-session-[0-9a-f]{12}=a{43}; .*SameSite=Lax$/,
  )
  expect(clearSessionCookie(true, owner)).toMatch(
    /^__Host-portico-session-[0-9a-f]{12}=; Path=\/; Max-Age=0;/,
  )
})

test('each organization and environment has a cookie of its own', () => {
  const names = [
    sessionCookieName(true, owner.organizationId, 'sandbox'),
    sessionCookieName(true, owner.organizationId, 'production'),
    sessionCookieName(true, '0190c8a1-7c1e-7c39-9b6d-2f1d8a3b4c5e', 'sandbox'),
  ]

  expect(new Set(names).size).toBe(3)
})

test('a secret is found among other cookies, by its whole name and in its form alone', () => {
  const name = sessionCookieName(true, owner.organizationId, owner.environment)
  const found = (header: string) => findSessionSecret(header, true, owner)

  expect(found(`a=b; ${name}=${secret}; c=d`)).toBe(secret)
  expect(found(`x${name}=${secret}`)).toBeUndefined()
  expect(found(`${name.slice('__Host-'.length)}=${secret}`)).toBeUndefined()
  expect(found(`${name}=${secret}x`)).toBeUndefined()
  expect(found('')).toBeUndefined()
})

test('the secrets of all sessions are listed, and no other cookie, whatever its name ends with', () => {
  const [one, other] = ['sandbox', 'production'].map((environment) =>
    sessionCookieName(true, owner.organizationId, environment),
  )
  const header = `a=b; ${one}=${secret}; x${one}=${'x'.repeat(43)}; ${other}=${'b'.repeat(43)}; ${other}x=short`

  expect(listSessionSecrets(header, true)).toEqual([secret, 'b'.repeat(43)])
  expect(listSessionSecrets(header, false)).toEqual([])
  expect(listSessionSecrets(undefined, true)).toEqual([])
})
