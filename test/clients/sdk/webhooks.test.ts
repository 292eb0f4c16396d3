import { execFileSync } from 'node:child_process'
import { exampleOf } from '@portico/contract/record'
import { User } from '@portico/contract/users'
import { newSignatureKey, signatureHeaders } from '@portico/contract/webhook-signature'
import { signTestEvent, verifyWebhook, WebhookError, type VerifyWebhookOptions } from '@portico/sdk/webhooks'
import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { hasTool } from '../../debian-tools.js'

const key = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const otherKey = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8='
const timestamp = 1_773_480_413
const id = '0190c8f1-1a2b-7c3d-8e4f-5061728394a5'
const body =
  '{"__type__":"Event","id":"0190c8f1-1a2b-7c3d-8e4f-5061728394a5","code":"user.user.create.success","data":{"name":"Zoë 🎈"}}'

/** Computed with openssl, which the tests below repeat. */
const vector = {
  'service-signature':
    't=1773480413,v1=sha256.u7AgmRV4io41s2wRqBdpZg0ehb-muCbJcGL6xowS1gM,v0=sha256.ZMaPYlQs_4vYIv3sFNgl5Q12uws2V7skHjY7ZUH1QeE',
  'webhook-id': id,
  'webhook-timestamp': '1773480413',
  'webhook-signature':
    'v1,euvWjZBDqSpdseyAC5Dsr4fCZxnhMQMyp6DvJXjVwHo= v1,uiimcfhPINeCkMlo8nCjWINetWg2IF1h87JePLm+2WU=',
}

const atThatTime: VerifyWebhookOptions = { now: () => timestamp * 1000 }
const signed = await signatureHeaders({ id, timestamp, body }, { current: key })
const rotated = await signatureHeaders({ id, timestamp, body }, { current: otherKey, previous: key })

afterEach(() => {
  vi.useRealTimers()
})

function refusal(
  given: Partial<{ body: string | Uint8Array; header: string; keys: string | string[] }>,
  options: VerifyWebhookOptions = atThatTime,
) {
  const header = given.header ?? signed['service-signature']
  const attempt = verifyWebhook(
    given.body ?? body,
    { 'service-signature': header },
    given.keys ?? key,
    options,
  )
  return attempt.then(
    () => 'accepted',
    (error: unknown) => (error instanceof WebhookError ? error.code : error),
  )
}

function opensslHmac(macKey: string[], message: string): Buffer {
  return execFileSync('openssl', ['dgst', '-sha256', '-mac', 'HMAC', ...macKey, '-binary'], {
    input: message,
  })
}

describe('the headers of a delivery', () => {
  test('are those of the vector', async () => {
    const headers = await signatureHeaders({ id, timestamp, body }, { current: key, previous: otherKey })

    expect(headers).toEqual(vector)
  })

  test.skipIf(!hasTool('openssl'))('have what openssl makes of key and message', () => {
    const own = [key, otherKey].map((text) =>
      opensslHmac(['-macopt', `key:${text}`], `${timestamp}.${body}`).toString('base64url'),
    )
    const standard = [key, otherKey].map((text) => {
      const bytes = Buffer.from(text.replace('whsec_', ''), 'base64').toString('hex')
      return opensslHmac(['-macopt', `hexkey:${bytes}`], `${id}.${timestamp}.${body}`).toString('base64')
    })

    expect(vector['service-signature']).toBe(`t=${timestamp},v1=sha256.${own[0]},v0=sha256.${own[1]}`)
    expect(vector['webhook-signature']).toBe(`v1,${standard[0]} v1,${standard[1]}`)
  })

  test('are accepted by the verifier of Standard Webhooks, with either key during a rotation', () => {
    vi.useFakeTimers({ now: timestamp * 1000, toFake: ['Date'] })

    expect(new Webhook(key).verify(body, signed)).toMatchObject({ id })
    expect(new Webhook(key).verify(body, rotated)).toMatchObject({ id })
    expect(new Webhook(otherKey).verify(body, rotated)).toMatchObject({ id })
    expect(() => new Webhook(otherKey).verify(body, signed)).toThrow('No matching signature')
  })

  test('have one signature outside of a rotation', () => {
    expect(signed['service-signature']).toMatch(/^t=\d+,v1=sha256\.[\w-]{43}$/)
    expect(signed['webhook-signature']).toMatch(/^v1,[\w+/]{43}=$/)
  })
})

test('a signature key has 32 random bytes', () => {
  const keys = Array.from({ length: 100 }, newSignatureKey)

  expect(new Set(keys).size).toBe(100)
  for (const made of keys)
    expect(Buffer.from(/^whsec_([\w+/]{43}=)$/.exec(made)?.[1] ?? '', 'base64')).toHaveLength(32)
})

describe('verifyWebhook accepts', () => {
  const headers = { 'service-signature': signed['service-signature'] }

  test('a delivery as it came, and returns its event', async () => {
    expect(await verifyWebhook(body, headers, key, atThatTime)).toEqual(JSON.parse(body))
    expect(await verifyWebhook(Buffer.from(body), headers, key, atThatTime)).toEqual(JSON.parse(body))
  })

  test.each([
    ['a web request', new Headers(headers)],
    ['Node', headers],
    ['a gateway that keeps the case', { 'Service-Signature': headers['service-signature'] }],
    ['a gateway that makes lists', { 'SERVICE-SIGNATURE': [headers['service-signature']] }],
  ])('the headers of %s', async (_whose, given) => {
    await expect(verifyWebhook(body, given, key, atThatTime)).resolves.toMatchObject({ id })
  })

  test('a signature in hexadecimal', async () => {
    const hexadecimal = signed['service-signature'].replace(/[\w-]{43}$/, (text) =>
      Buffer.from(text, 'base64url').toString('hex'),
    )

    expect(await refusal({ header: hexadecimal })).toBe('accepted')
    expect(
      await refusal({ header: hexadecimal.toUpperCase().replace(/^.*256/, 't=1773480413,v1=sha256') }),
    ).toBe('accepted')
    expect(await refusal({ header: hexadecimal, keys: otherKey })).toBe('signature_mismatch')
  })

  test('either key of a rotation, and a receiver that knows both', async () => {
    const header = rotated['service-signature']

    expect(await refusal({ header, keys: otherKey })).toBe('accepted')
    expect(await refusal({ header, keys: key })).toBe('accepted')
    expect(await refusal({ header: signed['service-signature'], keys: [otherKey, key] })).toBe('accepted')
  })

  test('v0 alone, spaces, padding, and versions of a later day', async () => {
    const [time = '', v1 = ''] = signed['service-signature'].split(',')

    expect(await refusal({ header: `${time},${v1.replace('v1', 'v0')}` })).toBe('accepted')
    expect(await refusal({ header: `${time}, ${v1}` })).toBe('accepted')
    expect(await refusal({ header: `${time},${v1}=` })).toBe('accepted')
    expect(await refusal({ header: `${time},v2=sha512.x,${v1}` })).toBe('accepted')
  })

  test('a time up to the tolerance away, either way', async () => {
    const at = (seconds: number) => ({ now: () => (timestamp + seconds) * 1000 })

    expect(await refusal({}, at(300))).toBe('accepted')
    expect(await refusal({}, at(-300))).toBe('accepted')
    expect(await refusal({}, { ...at(3_600), toleranceSeconds: 3_600 })).toBe('accepted')
  })
})

describe('verifyWebhook refuses', () => {
  test('a time further away than the tolerance, either way', async () => {
    const at = (seconds: number) => ({ now: () => (timestamp + seconds) * 1000 })

    expect(await refusal({}, at(301))).toBe('timestamp_too_old')
    expect(await refusal({}, at(-301))).toBe('timestamp_too_new')
    expect(await refusal({}, { ...at(11), toleranceSeconds: 10 })).toBe('timestamp_too_old')
    expect(await refusal({}, { ...at(0), toleranceSeconds: NaN })).toBe('timestamp_too_old')
  })

  test('a time that was changed', async () => {
    const header = signed['service-signature'].replace(`t=${timestamp}`, `t=${timestamp + 1}`)

    expect(await refusal({ header })).toBe('signature_mismatch')
  })

  test('a body that was changed', async () => {
    expect(await refusal({ body: body.replace('create', 'delete') })).toBe('signature_mismatch')
    expect(await refusal({ body: '' })).toBe('signature_mismatch')
    expect(await refusal({ body: Buffer.from(body).subarray(1) })).toBe('signature_mismatch')
  })

  test('a signature of which one bit was changed', async () => {
    const header = signed['service-signature'].replace(
      /sha256\.(.)/,
      (_text, first: string) => `sha256.${first === 'A' ? 'B' : 'A'}`,
    )

    expect(await refusal({ header })).toBe('signature_mismatch')
  })

  test('the key of another webhook', async () => {
    expect(await refusal({ keys: otherKey })).toBe('signature_mismatch')
  })

  test.each([
    ['written with spaces', JSON.stringify(JSON.parse(body), null, 2)],
    ['ended with a line', `${body}\n`],
    ['written with escapes', body.replace('ë', '\\u00eb')],
  ])('the same JSON %s, and says so', async (_how, rewritten) => {
    expect(await refusal({ body: rewritten })).toBe('body_rewritten')
  })

  test.each([{}, { __type__: 'Event' }, undefined, null])('%j in place of a body', async (parsed) => {
    const attempt = verifyWebhook(
      parsed as unknown as string,
      { 'service-signature': signed['service-signature'] },
      key,
      atThatTime,
    )

    await expect(attempt).rejects.toMatchObject({ code: 'body_parsed' })
  })

  test('a request without the header', async () => {
    await expect(verifyWebhook(body, {}, key, atThatTime)).rejects.toMatchObject({ code: 'header_missing' })
    await expect(verifyWebhook(body, new Headers(), key, atThatTime)).rejects.toMatchObject({
      code: 'header_missing',
    })
  })

  test.each([
    '',
    'sha256.OWN',
    't=1773480413',
    't=1773480413,v1=sha256.',
    't=1773480413,v1=sha256.short',
    't=1773480413,v1=sha256:OWN',
    't=1773480413,v1=OWN',
    't=,v1=sha256.OWN',
    't=1773480413.5,v1=sha256.OWN',
    't=-1773480413,v1=sha256.OWN',
    'v1=sha256.OWN',
  ])('the header %j', async (form) => {
    const own = signed['service-signature'].slice(-43)

    expect(await refusal({ header: form.replace('OWN', own) })).toBe('header_malformed')
  })

  test.each(['[]', '"Event"', 'null', '{"__type__":"User"}', 'not JSON'])(
    'a signed body that is no event: %s',
    async (text) => {
      const headers = await signatureHeaders({ id, timestamp, body: text }, { current: key })

      expect(await refusal({ body: text, header: headers['service-signature'] })).toBe('body_malformed')
    },
  )

  test.each([
    ['no key', []],
    ['an empty key', ''],
    ['an empty key beside another', [key, '']],
    ['a secret of something else', 'keysandbox_x'],
    ['a variable that is not set', undefined as unknown as string],
  ])('to run with %s', async (_what, keys) => {
    const headers = { 'service-signature': signed['service-signature'] }
    const failure = await verifyWebhook(body, headers, keys, atThatTime).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(TypeError)
  })

  test('without telling a key or the body', async () => {
    const failure = await verifyWebhook(
      body.replace('create', 'delete'),
      { 'service-signature': signed['service-signature'] },
      key,
      atThatTime,
    ).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(WebhookError)
    expect(`${String(failure)}${JSON.stringify(failure)}`).not.toMatch(/whsec|Zoë|sha256/)
  })
})

describe('signTestEvent', () => {
  const event = { code: 'user.user.create.success', data: exampleOf(User) } as const

  test('makes a delivery that a receiver accepts', async () => {
    const delivery = await signTestEvent(event, key)

    await expect(verifyWebhook(delivery.body, delivery.headers, key)).resolves.toMatchObject({
      ...event,
      __type__: 'Event',
      id: delivery.headers['webhook-id'],
    })
  })

  test('makes one of the id and the time it is given, and of a new id otherwise', async () => {
    const given = await signTestEvent({ ...event, id }, key, atThatTime)
    const others = await Promise.all([signTestEvent(event, key), signTestEvent(event, key)])

    expect(given.headers).toMatchObject({ 'webhook-id': id, 'webhook-timestamp': `${timestamp}` })
    expect(JSON.parse(given.body)).toMatchObject({ id, issued_at: '2026-03-14T09:26:53.000000Z' })
    expect(others[0].headers['webhook-id']).not.toBe(others[1].headers['webhook-id'])
  })

  test('makes what has every member of an event', async () => {
    const { body: made } = await signTestEvent(event, key)
    const { Event } = await import('@portico/contract/events')

    expect(Event.safeParse(JSON.parse(made)).error).toBeUndefined()
  })
})
