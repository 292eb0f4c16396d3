import { createSessions } from '@portico/sdk/session'
import { signTestEvent } from '@portico/sdk/webhooks'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { account, ada, lifetime } from '../../given/account-provider.js'
import {
  applicationOf,
  browserOf,
  codeOf,
  script,
  signedIn,
  startProduct,
  webhookKey,
} from './session-given.js'

const clientSecret = 'appsandbox_a-secret-of-another-application'
const refused = `the token endpoint answers 401 invalid_client to the application ${account.clientId}: compare PORTICO_CLIENT_ID, PORTICO_CLIENT_SECRET and PORTICO_ENVIRONMENT`
const linesOf = (lines: { readonly mock: { readonly calls: readonly unknown[][] } }) =>
  lines.mock.calls.flat()

afterEach(() => vi.restoreAllMocks())

describe('an application that the service refuses', () => {
  test.each([
    ['a wrong secret', clientSecret],
    ['no secret', undefined],
  ])('by %s is told so, and its user that it is not set up', async (_, wrong) => {
    const { provider, begin, open, faults, cookie } = await startProduct({ clientSecret: wrong })

    const answered = await open(provider.signIn(await begin()))
    const told = await open(provider.signIn(await begin()), { ...script, accept: 'application/json' })

    expect([answered.status, codeOf(answered), cookie()]).toEqual([502, 'client_refused', undefined])
    expect(answered.html).toContain('This application is not set up correctly.')
    expect(answered.headers.get('retry-after')).toBeNull()
    expect(told.status).toBe(502)
    expect(faults).toEqual([
      expect.objectContaining({ code: 'client_refused', message: refused }),
      expect.objectContaining({ code: 'client_refused', message: refused }),
    ])
  })

  test('by 400 unauthorized_client is told so, too', async () => {
    const { provider, begin, open, options } = await startProduct()
    const sessions = createSessions({
      ...options,
      fetch: async () => Response.json({ error: 'unauthorized_client' }, { status: 400 }),
    })
    const other = browserOf(provider, applicationOf(sessions))

    expect(codeOf(await other.open(provider.signIn(await other.begin())))).toBe('client_refused')
    expect((await open(provider.signIn(await begin()))).status).toBe(303)
  })

  test('keeps its sessions for five minutes, and their cookies for longer', async () => {
    const { provider, visitor, options, faults } = await signedIn()
    const other = browserOf(provider, applicationOf(createSessions({ ...options, clientSecret })))
    for (const [name, value] of visitor.cookies) other.visitor.cookies.set(name, value)
    const before = other.cookie()
    provider.state.seconds += lifetime

    expect((await other.open('/invoices')).status).toBe(200)
    provider.state.seconds += 300
    const late = await other.open('/invoices')
    expect([late.status, codeOf(late), other.cookie()]).toEqual([502, 'client_refused', before])
    expect(faults).toEqual([
      expect.objectContaining({ code: 'client_refused' }),
      expect.objectContaining({ code: 'client_refused' }),
    ])
    expect((await browserOf(provider, applicationOf(createSessions(options))).open('/')).status).toBe(200)
  })
})

describe('without onError', () => {
  test('the console has one line for each fault, with its cause, and no secret', async () => {
    const lines = vi.spyOn(console, 'error').mockReturnValue()
    const { provider, begin, open } = await startProduct({ clientSecret, onError: undefined })
    const answer = provider.signIn(await begin())

    await open(answer)
    provider.state.isDown = true
    await open(provider.signIn(await begin()))

    expect(linesOf(lines)).toEqual([
      `Portico: client_refused: ${refused}`,
      'Portico: service_unavailable: the service does not answer: the service cannot be reached',
    ])
  })

  test('the text of a cause adds no line to the console', async () => {
    const lines = vi.spyOn(console, 'error').mockReturnValue()
    const { provider, visitor, options } = await signedIn()
    const fetch: typeof globalThis.fetch = async () => {
      throw new Error('first\r\nsecond')
    }
    const other = browserOf(
      provider,
      applicationOf(createSessions({ ...options, fetch, onError: undefined })),
    )
    for (const [name, value] of visitor.cookies) other.visitor.cookies.set(name, value)
    provider.state.seconds += lifetime

    expect((await other.open('/invoices')).status).toBe(200)
    expect(linesOf(lines)).toEqual(['Portico: the service cannot be reached: first second'])
  })
})

test('a webhook that is refused is told to onError', async () => {
  const { visitor, faults } = await startProduct({ webhookKey })
  const event = { code: 'user.user.delete.success', data: { id: ada.id, truncated: true } } as const
  const { headers } = await signTestEvent(event, webhookKey)

  await visitor.request('/auth/events', { method: 'POST', headers, body: '{}' })

  expect(faults).toEqual([expect.objectContaining({ code: 'signature_mismatch' })])
})

describe('options', () => {
  const fault = (options: Parameters<typeof createSessions>[0]) => {
    try {
      return String(createSessions(options))
    } catch (error) {
      return String(error)
    }
  }

  test('that are not set are told from those that are wrong, and http is allowed on loopback', () => {
    const said = fault({ baseUrl: 'http://auth.example', account: 'Acme', clientId: account.clientId })

    expect(said).toContain(
      '- baseUrl (PORTICO_URL) must be the https address of the service, or http on localhost, 127.0.0.1 or [::1]',
    )
    expect(said).toContain('- account (PORTICO_ACCOUNT) must be')
    expect(said).toContain('- secret (SESSION_SECRET) is not set: it must have 32 characters or more')
    expect(said).toContain(
      '- appUrl (APP_URL) is not set: it must be the https origin of the application, such as https://app.example, or http on localhost, 127.0.0.1 or [::1]',
    )
    expect(said).not.toContain('--env-file')
  })

  test('of which none is set may be in a file', () => {
    expect(fault({})).toMatch(/\nNo variable is set: node --env-file=\.env reads them from a file\.$/)
  })
})
