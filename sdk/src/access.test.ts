import { describe, expect, expectTypeOf, test, vi } from 'vitest'
import { AccessError, hasPermission, requirePermission } from './access.js'
import { createAccessEvaluator, type AccessEvaluatorOptions } from './access-evaluator.js'

const thrown = (work: () => void): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

describe('a permission of verified claims', () => {
  const claims = { permissions: ['invoices:read'] }

  test('is one that they name', () => {
    expect(hasPermission(claims, 'invoices:read')).toBe(true)
    expect(hasPermission(claims, 'invoices')).toBe(false)
    expect(hasPermission({}, 'invoices:read')).toBe(false)
    expect(thrown(() => requirePermission(claims, 'invoices:read'))).toBeUndefined()
  })

  test('is missing, or not known, in an error that says how to answer', () => {
    const missing = thrown(() => requirePermission(claims, 'invoices:write'))
    expect(missing).toBeInstanceOf(AccessError)
    expect(missing).toMatchObject({
      ...{ code: 'permission_missing', permission: 'invoices:write', status: 403 },
      challenge: 'Bearer error="insufficient_scope"',
    })
    const unknown = thrown(() => requirePermission({ permissions_omitted: true }, 'invoices:read'))
    expect(unknown).toMatchObject({ code: 'permissions_unavailable' })
    expect(hasPermission({ permissions_omitted: true }, 'invoices:read')).toBe(false)
  })

  test('is one of those that the types of the claims know', () => {
    const typed: { permissions?: ('invoices:read' | 'invoices:write')[] } = claims as object
    expectTypeOf(hasPermission<typeof typed>)
      .parameter(1)
      .toEqualTypeOf<'invoices:read' | 'invoices:write'>()
    // @ts-expect-error it was renamed
    expect(hasPermission(typed, 'invoices:edit')).toBe(false)
  })
})

describe('an evaluator', () => {
  const permission = 'invoices:read'
  const answering = (body: unknown, status = 200) => vi.fn(async () => Response.json(body, { status }))

  function given(fetch: typeof globalThis.fetch, options: Partial<AccessEvaluatorOptions> = {}) {
    let nowMs = 0
    const onFailure = vi.fn()
    const url = 'https://engine.example/access/v1/evaluation'
    const clock = { now: () => nowMs }
    const access = createAccessEvaluator({ url, token: 'secret', fetch, clock, onFailure, ...options })
    const pass = (seconds: number) => void (nowMs += seconds * 1000)
    return { access, onFailure, pass }
  }

  test('asks an engine that speaks AuthZEN', async () => {
    const fetch = answering({ decision: true, context: { any: 'thing' } })
    const { access } = given(fetch)

    expect(await access.hasPermission('ada', permission)).toBe(true)
    const [url, init] = fetch.mock.lastCall as unknown as [string, RequestInit]
    expect(url).toBe('https://engine.example/access/v1/evaluation')
    expect(new Headers(init.headers).get('authorization')).toBe('Bearer secret')
    expect(JSON.parse(String(init.body))).toEqual({
      subject: { type: 'user', id: 'ada' },
      action: { name: permission },
    })
    const resource = { type: 'invoice', id: '1' }
    await access.requirePermission('ada', permission, resource)
    const [, about] = fetch.mock.lastCall as unknown as [string, RequestInit]
    expect(JSON.parse(String(about.body))).toMatchObject({ resource })
  })

  test('asks the service by a client, for users of an organization', async () => {
    const evaluate = vi.fn(async () => ({ decision: true, context: { reason: 'granted', granted_by: [] } }))
    const client = { accessEvaluation: { evaluate } } as never
    const access = createAccessEvaluator({ client, org: 'awesome-company' })

    expect(await access.hasPermission('ada', permission)).toBe(true)
    expect(evaluate).toHaveBeenCalledWith(
      { org_domain: 'awesome-company', subject: { type: 'user', id: 'ada' }, action: { name: permission } },
      { timeoutMs: 5_000 },
    )
  })

  test('believes an answer for as long as it is told, of this user, permission and resource', async () => {
    const fetch = answering({ decision: true })
    const { access, pass } = given(fetch, { cacheSeconds: 60 })
    for (const user of ['ada', 'ada', 'grace']) await access.hasPermission(user, permission)
    await access.hasPermission('ada', 'invoices:write')
    expect(fetch).toHaveBeenCalledTimes(3)
    pass(59)
    await access.hasPermission('ada', permission)
    expect(fetch).toHaveBeenCalledTimes(3)
    pass(1)
    await access.hasPermission('ada', permission)
    expect(fetch).toHaveBeenCalledTimes(4)
    for (const id of ['1', '2', '1']) await access.hasPermission('ada', permission, { type: 'invoice', id })
    expect(fetch).toHaveBeenCalledTimes(6)
    expect(() => given(fetch, { cacheSeconds: 61 })).toThrow(TypeError)
  })

  test.each([
    ['answers with an error', answering({ decision: true }, 500)],
    ['answers something else', answering({ decision: 'true' })],
    ['does not answer', vi.fn(() => Promise.reject(new Error('unreachable')))],
  ])('says no where the engine %s, tells of it, and asks again', async (_, fetch) => {
    const { access, onFailure } = given(fetch)
    expect(await access.hasPermission('ada', permission)).toBe(false)
    expect(onFailure).toHaveBeenCalledOnce()
    await expect(access.requirePermission('ada', permission)).rejects.toMatchObject({
      code: 'permissions_unavailable',
    })
    expect(fetch).toHaveBeenCalledTimes(2)
  })

  test('says that a user lacks a permission', async () => {
    const { access } = given(answering({ decision: false }))
    await expect(access.requirePermission('ada', permission)).rejects.toMatchObject({
      code: 'permission_missing',
    })
  })
})
