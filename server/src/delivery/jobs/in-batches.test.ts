import { expect, test } from 'vitest'
import { inBatches } from './in-batches.js'

/** Work whose pieces end when the test says so. */
function heldWork() {
  const pieces: { items: number[]; end: (error?: Error) => void }[] = []
  const work = (items: number[]) =>
    new Promise<void>((resolve, reject) => {
      pieces.push({ items, end: (error) => (error === undefined ? resolve() : reject(error)) })
    })
  return { work, pieces, turn: () => new Promise((resolve) => setTimeout(resolve)) }
}

test('what comes in one turn is one piece, and what comes while it runs is the next one', async () => {
  const { work, pieces, turn } = heldWork()
  const add = inBatches(work)

  const first = [add(1), add(2)]
  await turn()
  const second = [add(3)]
  await turn()
  second.push(add(4))
  await turn()
  expect(pieces.map(({ items }) => items)).toEqual([[1, 2]])

  pieces[0]?.end()
  await Promise.all(first)
  await turn()
  pieces[1]?.end()
  await Promise.all(second)
  expect(pieces.map(({ items }) => items)).toEqual([
    [1, 2],
    [3, 4],
  ])
})

test('a piece that fails fails for its items alone, and the next one runs', async () => {
  const { work, pieces, turn } = heldWork()
  const add = inBatches(work)

  const failing = add(1)
  await turn()
  const following = add(2)
  pieces[0]?.end(new Error('refused'))

  await expect(failing).rejects.toThrow('refused')
  await turn()
  pieces[1]?.end()
  await expect(following).resolves.toBeUndefined()
})
