import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { atFileEnd } from '../file-end.js'

/**
 * What the server does with questions for a name: texts are its TXT records; `forged` answers with the id of another
 * question, `truncated` asks to come again by TCP, where nobody listens.
 */
export type Behavior =
  | readonly string[]
  | 'no_name'
  | 'no_data'
  | 'failing'
  | 'refusing'
  | 'silent'
  | 'forged'
  | 'truncated'
  | 'garbled'

export interface NameServer {
  /** Host and port, as DNS_SERVERS has it. */
  readonly address: string
  /** Names without one are not there. */
  readonly behaviors: Map<string, Behavior>
  /** The names that were asked for, in order. */
  readonly asked: string[]
}

/** Starts a name server on loopback; it ends with the test file. */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4')
  const behaviors = new Map<string, Behavior>()
  const asked: string[] = []
  socket.on('message', (question, from) => {
    const name = nameIn(question)
    asked.push(name)
    const reply = replyTo(question, behaviors.get(name) ?? 'no_name')
    if (reply !== undefined) socket.send(reply, from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  atFileEnd(() => Promise.resolve(void socket.close()))
  return { address: `127.0.0.1:${socket.address().port}`, behaviors, asked }
}

const codes = { no_data: 0, failing: 2, no_name: 3, refusing: 5 } as const

function replyTo(question: Buffer, behavior: Behavior): Buffer | undefined {
  if (behavior === 'silent') return undefined
  if (behavior === 'garbled') return question.subarray(0, 7)
  if (behavior === 'truncated') return headed(question, 0x8380, 0)
  if (behavior === 'forged') {
    const reply = answer(question, ['token=forged'])
    reply.writeUInt16BE((question.readUInt16BE(0) + 1) % 65_536, 0)
    return reply
  }
  return typeof behavior === 'string'
    ? headed(question, 0x8180 | codes[behavior], 0)
    : answer(question, behavior)
}

function answer(question: Buffer, texts: readonly string[]): Buffer {
  const records = texts.map((text) => {
    const parts = text.match(/.{1,255}/gs) ?? ['']
    const data = Buffer.concat(parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part)]))
    // A pointer to the name of the question, type TXT, class IN, a time to live of 0.
    const head = Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0])
    head.writeUInt16BE(data.length, 10)
    return Buffer.concat([head, data])
  })
  return Buffer.concat([headed(question, 0x8180, records.length), ...records])
}

function headed(question: Buffer, flags: number, answers: number): Buffer {
  const reply = Buffer.from(question.subarray(0, question.indexOf(0, 12) + 5))
  reply.writeUInt16BE(flags, 2)
  reply.writeUInt16BE(answers, 6)
  reply.writeUInt16BE(0, 10)
  return reply
}

/** The question's name (RFC 1035 section 4.1.2). */
function nameIn(question: Buffer): string {
  const labels: string[] = []
  for (let at = 12; question[at] !== 0; at += (question[at] ?? 0) + 1)
    labels.push(question.subarray(at + 1, at + 1 + (question[at] ?? 0)).toString())
  return labels.join('.').toLowerCase()
}
