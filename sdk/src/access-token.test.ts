import { expect, test } from 'vitest'
import { createAccessTokens } from './access-token.js'

function given(lifetimeSeconds: number) {
  const time = { ms: 0 }
  const issued: string[] = []
  const faults: Error[] = []
  const tokens = createAccessTokens(
    () => {
      const fault = faults.pop()
      if (fault) return Promise.reject(fault)
      issued.push(`t${issued.length + 1}`)
      return Promise.resolve({ value: `t${issued.length}`, lifetimeSeconds })
    },
    () => time.ms,
  )
  return { tokens, time, issued, faults }
}

test('a short-lived token is renewed in the last tenth of its life', async () => {
  const { tokens, time, issued } = given(100)
  await tokens.get()

  time.ms = 89_999
  await tokens.get()
  expect(issued).toHaveLength(1)

  time.ms = 90_000
  await expect(tokens.get()).resolves.toBe('t2')
})

test('a failure is told to all who wait for it, and not remembered', async () => {
  const { tokens, faults } = given(3600)
  faults.push(new Error('no'))

  const attempts = await Promise.allSettled([tokens.get(), tokens.get()])

  expect(attempts.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await expect(tokens.get()).resolves.toBe('t1')
})

test('discarding a token that has been replaced keeps its successor', async () => {
  const { tokens, issued } = given(3600)
  const first = await tokens.get()
  tokens.discard(first)
  await tokens.get()

  tokens.discard(first)

  await expect(tokens.get()).resolves.toBe('t2')
  expect(issued).toHaveLength(2)
})

test('one caller’s signal does not end the request that others wait for', async () => {
  const { tokens } = given(3600)
  const controller = new AbortController()

  const impatient = tokens.get(controller.signal)
  const patient = tokens.get()
  controller.abort(new Error('enough'))

  await expect(impatient).rejects.toThrow('enough')
  await expect(patient).resolves.toBe('t1')
})
