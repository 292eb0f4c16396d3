import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from '../../platform/observability/log.js'
import { createMetrics } from '../../platform/observability/metrics.js'
import { watchLoop } from './watch-loop.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a loop that has not looked for 15 s is logged and counted once, and its next look ends that', async () => {
  const metrics = createMetrics()
  const messages: string[] = []
  const log = createLog(
    { logLevel: 'info' },
    { write: (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg) },
  )
  const stalls = async () => (await metrics.loopStalls.get()).values.map(({ value }) => value)
  const lastLook = async () => (await metrics.loopLastLook.get()).values.map(({ value }) => value)
  const now = () => vi.getMockedSystemTime() ?? new Date(0)
  const begunAt = now().getTime() / 1000
  const watch = watchLoop('jobs', { log, metrics, now })

  vi.advanceTimersByTime(14_000)
  expect([watch.isStalled(), await stalls(), await lastLook()]).toEqual([false, [0], [begunAt]])
  vi.advanceTimersByTime(60_000)
  expect([watch.isStalled(), await stalls(), messages]).toEqual([
    true,
    [1],
    ['the loop has not looked for work for long'],
  ])
  watch.looked()
  expect([watch.isStalled(), await lastLook()]).toEqual([false, [begunAt + 74]])
  expect(messages.at(-1)).toBe('the loop looks for work again')
  vi.advanceTimersByTime(60_000)
  expect(await stalls()).toEqual([2])

  watch.stop()
  vi.advanceTimersByTime(60_000)
  expect(messages).toHaveLength(3)
})
