import { beforeAll, describe, expect, test } from 'vitest'
import { startService, type Service } from '../given/harness.js'
import {
  addressesOf,
  callback,
  goodPassword,
  passwordGivenOf,
  withoutIdsAndTimes,
  type Addresses,
  type PasswordScene,
} from './password-given.js'
import { roundTrips, verifiedPasswords } from '../given/counted.js'

// A caller without permission to list users must not learn of their existence by probing addresses: not by the answer, not
// by the work done, and not by the number of round trips to the database.

let service: Service
let scene: PasswordScene
let addresses: Addresses
/** Token of a key without the scope read:users. */
let token: string

beforeAll(async () => {
  service = await startService()
  const client = await service.client()
  scene = await passwordGivenOf(service, client).sceneWithPassword()
  addresses = await addressesOf(service, client, scene)
  token = await service.token({ scopes: ['write:passwords', 'write:magic_links'] })
})

interface Surface {
  readonly path: string
  readonly body: (scene: PasswordScene, user_email: string) => object
  /** Expected number of hash verifications per request. */
  readonly verifications: number
}

const surfaces: Readonly<Record<string, Surface>> = {
  'password-challenge with a wrong password': {
    path: '/api/v2/password-challenge',
    body: ({ org_domain }, user_email) => ({ org_domain, user_email, plain_text: 'not the password' }),
    verifications: 1,
  },
  'password-request': {
    path: '/api/v2/password-request',
    body: ({ org_domain }, user_email) => ({ org_domain, user_email, redirect_uri: callback }),
    verifications: 0,
  },
  'magic-link-challenge with the link in the answer': {
    path: '/api/v2/magic-link-challenge',
    body: ({ org_domain }, user_email) => ({ org_domain, user_email, send_email: false }),
    verifications: 0,
  },
  'magic-link-challenge by mail': {
    path: '/api/v2/magic-link-challenge',
    body: ({ org_domain }, user_email) => ({ org_domain, user_email }),
    verifications: 0,
  },
  'setting a password with an invented code': {
    path: '/api/v2/password',
    body: ({ org_domain }, user_email) => ({
      org_domain,
      user_email,
      password_code: 'mR8xTq2LwZ0vYc5nPb7uKe1oSi4Hd6Fa9Gj3Qk8Xt0U',
      plain_text: goodPassword,
    }),
    verifications: 0,
  },
}

describe.each(Object.entries(surfaces))('%s', (_name, surface) => {
  test('answers unknown, inactive, password-less and known addresses alike, by the same work', async () => {
    const seen: [string, unknown][] = []
    for (const [kind, address] of Object.entries(addresses))
      seen.push([kind, await observe(surface, address)])

    const [, [, first] = ['', undefined]] = seen
    for (const [kind, observed] of seen) expect([kind, observed]).toEqual([kind, first])
    expect(first).toMatchObject({ verifications: surface.verifications })
  })
})

describe('password-challenge', () => {
  const { 'password-challenge with a wrong password': wrong } = surfaces

  test('answers a right password of an inactive user as a wrong one', async () => {
    if (wrong === undefined) expect.unreachable()
    const given = passwordGivenOf(service, await service.client())
    const other = await given.sceneWithPassword()
    const right = {
      ...wrong,
      body: (at: PasswordScene, user_email: string) => ({
        ...wrong.body(at, user_email),
        plain_text: goodPassword,
      }),
    }
    const { org_domain, user } = other
    expect(await observe(right, user.email, other)).toMatchObject({
      text: expect.stringContaining('"valid?":true'),
    })
    await (await service.client()).users.update({ org_domain, user_id: user.id, active: false })

    expect(await observe(right, user.email, other)).toEqual(await observe(wrong, user.email, other))
  })
})

test('only a known address of an active user is mailed', async () => {
  const client = await service.client()
  const { 'magic-link-challenge by mail': byMail } = surfaces
  if (byMail === undefined) expect.unreachable()
  for (const address of Object.values(addresses)) await answerOf(byMail, String(address), scene)
  await service.runJobs()

  const mailed = await Promise.all(
    Object.values(addresses).map(async (to) => {
      const { data } = await client.outbox.list({ to: String(to) })
      return data.some(({ text }) => text.includes('magic-link?token='))
    }),
  )

  expect(Object.keys(addresses).filter((_kind, index) => mailed[index])).toEqual([
    'withoutPassword',
    'withPassword',
  ])
})

/** Everything that a caller can observe of an answer, and the work it took. */
async function observe(surface: Surface, address: string, at = scene) {
  const trips: number[] = []
  const texts = new Set<string>()
  const verifications = new Set<number>()
  // The cached bearer expires within seconds, which adds a round trip to one of the attempts.
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const before = { trips: await roundTrips(service), verified: await verifiedPasswords(service) }
    texts.add(await answerOf(surface, address, at))
    trips.push((await roundTrips(service)) - before.trips)
    verifications.add((await verifiedPasswords(service)) - before.verified)
  }
  const [text] = texts
  const [count] = verifications
  expect([texts.size, verifications.size]).toEqual([1, 1])
  return { text, verifications: count, roundTrips: Math.min(...trips) }
}

async function answerOf(surface: Surface, address: string, at: PasswordScene): Promise<string> {
  const answer = await fetch(service.baseUrl + surface.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(surface.body(at, address)),
  })
  // The remaining quota decreases with each request; its presence must not reveal anything either.
  const headers = [...answer.headers]
    .filter(([name]) => !/^(date|x-request-id|content-length)$/.test(name))
    .map(([name, value]) => (/^(ratelimit|retry-after)/.test(name) ? name : `${name}: ${value}`))
  const text = withoutIdsAndTimes(await answer.text())
    .replaceAll(address, '<address>')
    .replace(/token=[\w-]{43}/, 'token=<token>')
    .replace(/"code":"[\w-]{43}"/, '"code":"<code>"')
    .replace(/"password_id":\d+/, '"password_id":0')
  return [answer.status, ...headers, text].join('\n')
}
