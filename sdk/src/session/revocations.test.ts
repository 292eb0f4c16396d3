import { expect, test } from 'vitest'
import { createRevocations } from './revocations.js'

function given() {
  const time = { ms: 1_000_000 }
  return { time, revocations: createRevocations(() => time.ms) }
}

test('what has ended is known by its latest time, of any of the entries that are asked for', async () => {
  const { revocations } = given()
  await revocations.add('sid:1', 500, 60)
  await revocations.add('user:1', 700, 60)
  await revocations.add('user:1', 600, 60)

  expect(await revocations.since(['sid:1', 'user:1', 'org:1'])).toBe(700)
  expect(await revocations.since(['sid:1'])).toBe(500)
  expect(await revocations.since(['sid:2', 'user:11', 'org:1'])).toBeUndefined()
})

test('it is remembered as long as was asked for', async () => {
  const { time, revocations } = given()
  await revocations.add('sid:1', time.ms, 60)

  time.ms += 59_999
  expect(await revocations.since(['sid:1'])).toBe(1_000_000)
  time.ms += 1
  expect(await revocations.since(['sid:1'])).toBeUndefined()
})

test('a hundred thousand are remembered, and the oldest goes then', async () => {
  const { revocations } = given()
  for (let index = 0; index < 100_001; index += 1) void revocations.add(`sid:${index}`, 1, 3_600)

  expect(await revocations.since(['sid:0'])).toBeUndefined()
  expect(await revocations.since(['sid:1'])).toBe(1)
  expect(await revocations.since(['sid:100000'])).toBe(1)
})
