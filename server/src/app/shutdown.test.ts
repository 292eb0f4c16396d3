import { pino } from 'pino'
import { expect, test } from 'vitest'
import { closeInOrder } from './shutdown.js'

test('one thing is closed after the other, and what hangs or fails keeps no other from it and is named at the end', async () => {
  const lines: Record<string, unknown>[] = []
  const log = pino(
    { level: 'error' },
    { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  )
  const closed: string[] = []
  const never = new Promise<never>(() => undefined)

  await closeInOrder(
    [
      { name: 'requests', close: async () => void closed.push('requests') },
      { name: 'the last use', close: () => never, atMost: 10 },
      { name: 'metrics', close: () => Promise.reject(new Error('in use')) },
      { name: 'more metrics', close: async () => void closed.push('more metrics') },
      { name: 'the database', close: () => never },
    ],
    { within: 60, log },
  )

  expect(closed).toEqual(['requests', 'more metrics'])
  expect(lines).toMatchObject([
    { step: 'metrics', msg: 'an error while closing' },
    {
      open: ['the last use', 'metrics', 'the database'],
      msg: 'the process ends with something still open',
    },
  ])
})
