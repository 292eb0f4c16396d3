import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { txtReader } from './txt.js'

const nameServer = createSocket('udp4')
let servers: string[]
/** Questions that wait for release(). */
const held: (() => void)[] = []
let asked = 0

/** A name server that says of names that begin with "none" that they are not there, holds "held", and ignores others. */
beforeAll(async () => {
  nameServer.on('message', (question, { port, address }) => {
    asked += 1
    const [first] = [question.subarray(13, 13 + (question[12] ?? 0)).toString()]
    const reply = Buffer.from(question.subarray(0, question.indexOf(0, 12) + 5))
    reply.writeUInt16BE(0x8183, 2)
    reply.writeUInt16BE(0, 10)
    if (first.startsWith('none')) nameServer.send(reply, port, address)
    if (first.startsWith('held')) held.push(() => nameServer.send(reply, port, address))
  })
  nameServer.bind(0, '127.0.0.1')
  await once(nameServer, 'listening')
  servers = [`127.0.0.1:${nameServer.address().port}`]
})
afterAll(() => void nameServer.close())

test('a name that is not there has no record, and a server that is silent says nothing', async () => {
  const readTxt = txtReader({ servers, timeoutMs: 50 })
  expect(await readTxt('none.example', 'acme')).toEqual({ outcome: 'none' })
  expect(await readTxt('silent.example', 'acme')).toEqual({ outcome: 'no_answer' })
})

test('one account asks four at once, and others beside it', async () => {
  const readTxt = txtReader({ servers, timeoutMs: 10_000 })
  asked = 0
  const answers = Array.from({ length: 9 }, (_, index) => readTxt(`held${index}.example`, 'acme'))
  const other = readTxt('none.example', 'other')
  expect(await other).toEqual({ outcome: 'none' })
  while (held.length < 4) await new Promise((resolve) => setTimeout(resolve, 1))
  expect([held.length, asked]).toEqual([4, 5])
  while (asked < 10 || held.length > 0) {
    held.shift()?.()
    await new Promise((resolve) => setTimeout(resolve, 1))
    expect(held.length).toBeLessThanOrEqual(4)
  }
  expect(await Promise.all(answers)).toEqual(Array.from({ length: 9 }, () => ({ outcome: 'none' })))
})
