import { errorCodes } from '@portico/contract/errors'
import { bodyOf, routes, type Route } from '@portico/contract/walk'
import { describe, expect, test } from 'vitest'
import { anyEmail, anything } from '../given/given.js'
import { startService } from '../given/harness.js'
import { bodyFor, pathOf, send } from '../given/request-of.js'
import { createWorld } from '../given/world.js'

const service = await startService()
const token = await service.token()
const world = await createWorld(service)
const users = `/api/v2/org/${world['org_domain'] ?? ''}/users`

interface Refusal {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly fields: readonly { path: string; code: string; message: string }[]
}

async function refusalOf(answer: Response): Promise<Refusal> {
  const { error } = (await answer.json()) as { error: Omit<Refusal, 'status'> }
  return { status: answer.status, code: error.code, message: error.message, fields: error.fields ?? [] }
}

async function get(path: string, headers: Record<string, string> = bearer()): Promise<Refusal> {
  return refusalOf(await fetch(service.baseUrl + path, { headers }))
}

function bearer(): Record<string, string> {
  return { authorization: `Bearer ${token}` }
}

async function post(body: string | object, type = 'application/json', path = users): Promise<Refusal> {
  const headers = { ...bearer(), 'content-type': type }
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return refusalOf(await fetch(service.baseUrl + path, { method: 'POST', headers, body: text }))
}

const form = 'application/x-www-form-urlencoded'

describe('a field’s fault', () => {
  const keyed = routes().filter((route) => route.access.auth === 'api_key' && bodyOf(route) !== undefined)
  const wrongValues = [
    undefined,
    null,
    true,
    7,
    -1.5,
    1e300,
    '',
    'x',
    'x'.repeat(5000),
    [],
    [7],
    {},
    { x: 1 },
  ]

  test.each(keyed.map((route) => [route.name, route] as const))(
    'of %s is told in words of its own, once, whatever is sent',
    async (_name, route) => {
      for (const fields of await faultsOf(route)) {
        for (const { message } of fields)
          expect(message).toMatch(/^(?:is|must|has|cannot|looks) (?!.*(?:expected|received|undefined))/)
        const paths = fields.map(({ path }) => path)
        expect(paths).toEqual([...new Set(paths)])
      }
    },
  )

  /** The reported fields for each invalid value of each member in turn. */
  async function faultsOf(route: Route): Promise<Refusal['fields'][]> {
    const body = bodyFor(route, world) ?? {}
    const bodies = Object.keys(body).flatMap((name) =>
      wrongValues.map((value) => ({ ...body, [name]: value })),
    )
    const answers = await Promise.all(
      bodies.map((wrong) => send(route, { baseUrl: service.baseUrl, token, references: world, body: wrong })),
    )
    const refused = answers.filter(({ status }) => status === 422)
    return refused.map(({ body: answer }) => (answer as { error: Partial<Refusal> }).error.fields ?? [])
  }

  test('is what the value must be', async () => {
    const { fields } = await post({
      given_name: 7,
      family_name: 'x'.repeat(101),
      gender: 'unknown',
      locale: null,
      phone_numbers: {},
      profile: 7,
      active: 'perhaps',
    })

    expect(Object.fromEntries(fields.map(({ path, message }) => [path, message]))).toEqual({
      email: 'is required',
      given_name: 'must be text',
      family_name: 'must have at most 100 characters',
      gender: 'must be one of female, male, other',
      phone_numbers: 'must be a list',
      profile: 'must be an object or text',
      active: 'must be true or false',
    })
  })

  test.each(['tomorrow', '1815-02-30', 'x'.repeat(5000)])(
    'is told once of a birthdate that is none: %.10s',
    async (birthdate) => {
      expect((await post({ email: anyEmail(), birthdate })).fields).toHaveLength(1)
    },
  )
})

describe('a request that cannot be read', () => {
  test('400: says that it is the path', async () => {
    expect(await get(`${users}/%zz`)).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^The path /),
    })
  })

  test('400: says that it is the body', async () => {
    expect(await post('{')).toMatchObject({ status: 400, message: expect.stringMatching(/^The body /) })
  })

  test('400: JSON that is called a form, as curl does, is told to say so, and not repeated', async () => {
    const json = JSON.stringify({ email: 'ada@people.example', given_name: 'A&B=C' })

    const { fields, ...refusal } = await post(json, form)

    const message = 'The body looks like JSON: send Content-Type: application/json.'
    expect(refusal).toEqual({ status: 400, code: 'malformed_request', message })
    expect(fields).toEqual([])
  })

  test.each(['/api/v2/oauth/token', '/oauth/token', '/t/acme/oauth/token'])(
    '400: JSON that is called a form is told so at %s too',
    async (path) => {
      const answer = await fetch(service.baseUrl + path, {
        method: 'POST',
        headers: { 'content-type': form },
        body: JSON.stringify({ grant_type: 'client_credentials', client_secret: 'keysandbox_x' }),
      })

      expect([answer.status, await answer.json()]).toEqual([
        400,
        {
          error: 'invalid_request',
          error_description: 'The body looks like JSON: send Content-Type: application/json.',
        },
      ])
    },
  )

  test('415: says what is read', async () => {
    const { status, message } = await post('<a/>', 'text/xml')

    expect([status, message]).toEqual([415, expect.stringMatching(/application\/json.*urlencoded/)])
  })
})

test('404: a path without an operation says where the API is', async () => {
  expect(await get('/organizations')).toMatchObject({
    status: 404,
    message: 'No operation has this path; API paths begin with /api/v2.',
  })
})

describe('401', () => {
  test('says how to send a token to one who sends none', async () => {
    expect(await get(users, {})).toMatchObject({
      status: 401,
      code: 'invalid_token',
      message: 'Send Authorization: Bearer <token>.',
    })
  })

  test('is one text for every token that is not good, whatever is wrong with it', async () => {
    const unsigned = token.replace(/^[^.]+/, Buffer.from('{"alg":"none"}').toString('base64url'))
    const forged = `${token.slice(0, -4)}AAAA`
    const sent = [
      '',
      'Bearer',
      'Bearer ',
      'Bearer x',
      `Basic ${token}`,
      `Bearer ${unsigned}`,
      `Bearer ${forged}`,
    ]

    const refusals = await Promise.all(sent.map((authorization) => get(users, { authorization })))

    const { status, message } = errorCodes.invalid_token
    for (const refusal of refusals)
      expect(refusal).toEqual({ status, code: 'invalid_token', message, fields: [] })
  })
})

describe('an organization that is not found', () => {
  const challenges = '/api/v2/magic-link-challenge'

  test('404: a challenge without org_domain is told to send it', async () => {
    expect(await post({ user_email: anyEmail() }, undefined, challenges)).toMatchObject({
      status: 404,
      code: 'organization_not_found',
      message: 'Not exactly one organization allows the domain of this address: send org_domain.',
    })
  })

  test('404: a challenge with one is not', async () => {
    const body = { user_email: anyEmail(), org_domain: `missing-${anything()}` }

    expect((await post(body, undefined, challenges)).message).toBe(errorCodes.organization_not_found.message)
  })

  test.each(['jwks.json', 'openid-configuration'])(
    '404: the public %s speaks of no key',
    async (document) => {
      expect(await get(`/t/missing-${anything()}/.well-known/${document}`, {})).toMatchObject({
        status: 404,
        message: 'No organization has this domain.',
      })
    },
  )
})

describe('a grant type', () => {
  async function grant(path: string, parameters: Record<string, string>): Promise<unknown> {
    const body = new URLSearchParams(parameters)
    const answer = await fetch(service.baseUrl + path, { method: 'POST', body })
    return [answer.status, await answer.json()]
  }

  test.each(['/api/v2/oauth/token', '/oauth/token', '/t/acme/oauth/token'])(
    '400: that is missing or empty is an invalid_request at %s (RFC 6749 section 5.2)',
    async (path) => {
      const missing = [400, { error: 'invalid_request', error_description: 'grant_type is required.' }]

      expect(await grant(path, { code: 'x' })).toEqual(missing)
      expect(await grant(path, { code: 'x', grant_type: '' })).toEqual(missing)
    },
  )

  test('400: that belongs to another address says which', async () => {
    expect(await grant('/api/v2/oauth/token', { grant_type: 'authorization_code', code: 'x' })).toEqual([
      400,
      {
        error: 'unsupported_grant_type',
        error_description: 'grant_type must be client_credentials; codes are exchanged at /oauth/token.',
      },
    ])
  })
})

test('every route that takes a body declares what JSON in a form is answered', () => {
  const withBody = routes().filter((route) => route.access.auth === 'api_key' && bodyOf(route) !== undefined)
  const silent = withBody.filter((route) => !route.errorCodes.includes('malformed_request'))

  expect(silent.map((route) => pathOf(route, world))).toEqual([])
})
