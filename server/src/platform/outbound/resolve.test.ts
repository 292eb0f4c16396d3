import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { LookupAddress } from 'node:dns'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { resolvingLookup } from './resolve.js'

const nameServer = createSocket('udp4')
let servers: string[]

/**
 * Starts a name server that resolves quick.example, answers that absent.example and localhost do not exist, and ignores
 * other queries.
 */
beforeAll(async () => {
  nameServer.on('message', (question, from) => {
    const name = nameIn(question)
    if (name === 'quick.example') nameServer.send(answerTo(question), from.port, from.address)
    if (['absent.example', 'localhost'].includes(name))
      nameServer.send(refusalOf(question), from.port, from.address)
  })
  nameServer.bind(0, '127.0.0.1')
  await once(nameServer, 'listening')
  servers = [`127.0.0.1:${nameServer.address().port}`]
})
afterAll(() => {
  nameServer.close()
})

/** The question's name (RFC 1035 section 4.1.2). */
function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = 12; question[at] !== 0; at += (question[at] ?? 0) + 1)
    labels.push(question.subarray(at + 1, at + 1 + (question[at] ?? 0)).toString())
  return labels.join('.')
}

function headed(question: Buffer, { code, answers }: { code: number; answers: number }): Buffer {
  const reply = Buffer.from(question)
  reply.writeUInt16BE(0x8180 | code, 2)
  reply.writeUInt16BE(answers, 6)
  reply.writeUInt16BE(0, 10)
  return reply.subarray(0, nameEnd(question) + 4)
}

function nameEnd(question: Buffer): number {
  return question.indexOf(0, 12) + 1
}

function answerTo(question: Buffer): Buffer {
  const isAddress4 = question.readUInt16BE(nameEnd(question)) === 1
  if (!isAddress4) return headed(question, { code: 0, answers: 0 })
  // A pointer to the name of the question, type A, class IN, a time to live of 0, and four bytes of address.
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 203, 0, 113, 7])
  return Buffer.concat([headed(question, { code: 0, answers: 1 }), record])
}

function refusalOf(question: Buffer): Buffer {
  return headed(question, { code: 3, answers: 0 })
}

function lookUp(name: string, fallback = false): Promise<string[]> {
  const lookup = resolvingLookup({ fallback, timeoutMs: 200, servers })
  return new Promise((resolve, reject) => {
    lookup(name, { all: true }, (error, found) => {
      if (error !== null) reject(error)
      else resolve((found as LookupAddress[]).map(({ address }) => address))
    })
  })
}

describe('a name', () => {
  test('is asked of the name servers', async () => {
    expect(await lookUp('quick.example')).toEqual(['203.0.113.7'])
  })

  test('does not wait for others whose name servers are silent', async () => {
    let isAnyEnded = false
    const silent = Array.from({ length: 12 }, (_, index) =>
      lookUp(`silent-${index}.example`, true)
        .catch(() => [])
        .finally(() => (isAnyEnded = true)),
    )

    const found = await lookUp('quick.example')

    expect([found, isAnyEnded]).toEqual([['203.0.113.7'], false])
    // None falls back to the system's lookup, whose threads they would block.
    expect((await Promise.all(silent)).flat()).toEqual([])
  })

  test('that no name server knows has no address, or that of the system where it is asked', async () => {
    await expect(lookUp('absent.example')).rejects.toMatchObject({ code: 'ENOTFOUND' })
    await expect(lookUp('absent.example', true)).rejects.toMatchObject({ syscall: 'getaddrinfo' })
    expect(await lookUp('localhost', true)).toContain('127.0.0.1')
  })
})
