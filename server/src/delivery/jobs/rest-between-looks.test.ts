import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { restBetweenLooks } from './rest-between-looks.js'

test('after its end no pause begins, so that a stop between two looks is not waited for until the next poll', async () => {
  const rest = restBetweenLooks(60_000)
  rest.end()
  let isOver = false
  void rest.pause().then(() => (isOver = true))
  await setImmediate()

  expect(isOver).toBe(true)
})
