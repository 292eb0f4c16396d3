import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { anyEmail } from '../given/given.js'
import { startService } from '../given/harness.js'
import { createWorld } from '../given/world.js'
import { bareOf, expectNothingInside } from './bare-request.js'

const service = await startService()
const world = await createWorld(service)
const users = `/api/v2/org/${world['org_domain'] ?? ''}/users`
const { raw, post, expectError } = bareOf(service, await service.token(), users)

describe('bodies', () => {
  const user = () => JSON.stringify({ email: anyEmail() })

  test.each([
    'text/plain',
    'text/xml',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/json; charset=latin1',
    'application/json; charset=nonsense',
    'nonsense',
    '',
  ])('415: the type %j', async (type) => {
    expectError(await post(user(), type), 'media_type_unsupported')
  })

  test('JSON in UTF-8 is read under the names that it has', async () => {
    for (const type of [
      'application/json',
      'application/json; charset=utf-8',
      'APPLICATION/JSON;CHARSET="UTF-8"',
    ])
      expect([type, (await post(user(), type)).status]).toEqual([type, 201])
  })

  test('415: an encoding that nobody reads; a gzip body is read', async () => {
    const encoded = (coding: string, body: Buffer) => post(body, undefined, { 'content-encoding': coding })
    expectError(await encoded('nonsense', Buffer.from(user())), 'media_type_unsupported')
    expect((await encoded('gzip', gzipSync(user()))).status).toBe(201)
    expectError(await encoded('gzip', gzipSync(user()).subarray(0, 20)), 'malformed_request')
    expectError(await encoded('gzip', Buffer.from(user())), 'malformed_request')
  })

  test('413: more than 100 kB, however it is sent: announced, in pieces, or packed', async () => {
    const large = JSON.stringify({ email: anyEmail(), given_name: 'x'.repeat(110_000) })
    expectError(await post(large), 'body_too_large')
    expectError(
      await post(`email=${'x'.repeat(110_000)}`, 'application/x-www-form-urlencoded'),
      'body_too_large',
    )
    const pieces = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    expectError(await raw({ method: 'POST', path: users, headers: pieces, body: large }), 'body_too_large')
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'x'))
    expectError(await post(bomb, undefined, { 'content-encoding': 'gzip' }), 'body_too_large')
  })

  test('400: a name that is twice in one object, of which others may have read the other one', async () => {
    expectError(
      await post('{"email":"ada@awesome.example","email":"eve@awesome.example"}'),
      'malformed_request',
    )
  })

  test.each(['{', '{"email":}', 'nonsense', '"text"', '7', 'null', '{"a":1}}', '\u0000', '{"a":"\n"}'])(
    '400: %j is no JSON object',
    async (body) => {
      expectError(await post(body), 'malformed_request')
    },
  )

  test('a body that is not there is one without members', async () => {
    for (const headers of [{ 'content-length': 0 }, { 'content-length': 0, 'content-type': 'text/plain' }])
      expectError(await raw({ method: 'POST', path: users, headers }), 'invalid_parameters')
  })

  test.each([
    ['an array', '[]'],
    ['ten thousand levels', `{"email":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['ten thousand objects in each other', `{"profile":${'{"profile":'.repeat(8000)}1${'}'.repeat(8000)}}`],
    ['a prototype', '{"__proto__":{"polluted":1}}'],
    ['a prototype inside', '{"profile":{"__proto__":{"polluted":1}}}'],
    ['a constructor', '{"constructor":{"prototype":{"polluted":1}}}'],
    ['members of every object', '{"toString":1,"hasOwnProperty":1,"valueOf":1}'],
    ['half a surrogate pair', '{"given_name":"\\ud800"}'],
    ['the other half', '{"given_name":"x\\udc00"}'],
    ['half a pair as a name', '{"\\ud800":1}'],
    ['a NUL', '{"given_name":"a\\u0000b"}'],
    ['a NUL as a name', '{"a\\u0000b":1}'],
    ['a NUL deep down', '{"metadata":[{"key":"k","value":"\\u0000"}]}'],
    ['a huge number', '{"active":1e999}'],
  ])('422: %s', async (_what, body) => {
    expectError(
      await post(body.replace(/^\{/, `{"email":"${anyEmail()}",`).replace(',}', '}')),
      'invalid_parameters',
    )
    expect('polluted' in {}).toBe(false)
  })

  test('20,000 members are refused with an answer that names none of them', async () => {
    const members = Array.from({ length: 12_000 }, (_, index) => `"${index.toString(36)}":0`).join(',')
    const answer = await post(`{${members}}`)
    expectError(answer, 'invalid_parameters')
    expect.soft(answer.text.length).toBeLessThan(1000)
    const form = await post('a=1&'.repeat(20_000), 'application/x-www-form-urlencoded')
    expectError(form, 'invalid_parameters')
  })

  test.each([
    ['__proto__[polluted]=1', 201],
    ['constructor[prototype][polluted]=1', 422],
    ['toString=1', 422],
    ['given_name=%00', 422],
    ['profile[given_name]=a%00b', 422],
    ['no_such_member=1', 422],
    [`${'profile[x]'.padEnd(500, '[x]')}=1`, 422],
  ])('in the query string of a write, %s is %i', async (query, status) => {
    const body = user()
    const headers = { 'content-type': 'application/json' }
    const answer = await raw({ method: 'POST', path: `${users}?${query}`, headers, body })
    expect([201, status]).toContain(answer.status)
    expectNothingInside(answer.text)
    expect('polluted' in {}).toBe(false)
  })

  test.each([
    ['emoji joined to families', '👩‍👩‍👧‍👦🏳️‍🌈'],
    ['right to left with marks', '\u202Eשלום\u202C عربى\u200F'],
    ['combining, not composed', 'e\u0301 A\u030A'],
    ['composed, not combining', 'é Å'],
    ['separators and spaces', '  a\u2028b\u2029c\u00A0\uFEFF\t\r\n '],
    ['outside the plane, private and unassigned', '𝔘𠜎\uE000\uFFFF\u{10FFFF}'],
    ['controls', '\u0001\u001F\u007F\u0085'],
    ['what means something elsewhere', '<b>&amp;\'"\\ %25 ${x} {{y}} $1 \\u0000 --'],
  ])('text is stored exactly: %s', async (_what, text) => {
    const client = await service.client()
    const org_domain = world['org_domain'] ?? ''
    const byJson = await client.users.create({ org_domain, email: anyEmail(), nickname: text })
    const read = await client.users.get({ org_domain, user_id: byJson.id })
    expect(read).toMatchObject({ profile: { nickname: text } })
    const form = new URLSearchParams({ email: anyEmail(), nickname: text }).toString()
    const byForm = await post(form, 'application/x-www-form-urlencoded')
    expect(JSON.parse(byForm.text)).toMatchObject({ profile: { nickname: text } })
  })
})
