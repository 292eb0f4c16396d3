import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { atFileEnd } from '../file-end.js'

/**
 * Faults of a mail server: `slow` waits a second before each answer, `defers` refuses temporarily (RFC 5321 section
 * 4.2.1, 4yz), `refuses` refuses permanently (5yz), `down` breaks all connections and accepts no new one.
 */
export const mailFaults = ['down', 'slow', 'defers', 'refuses'] as const
export type MailFault = (typeof mailFaults)[number]

const slowMs = 1_000

/** An accepted mail. */
export interface ReceivedMail {
  readonly to: string
  /** The same in all attempts of a sender. */
  readonly messageId: string
  /** By `performance.now()`. */
  readonly at: number
  /** Whether the acceptance was sent to the sender. */
  isAcknowledged: boolean
}

/** A mail server that accepts every mail. */
export interface SmtpReceiver {
  readonly url: string
  /** In the order of arrival. */
  readonly received: readonly ReceivedMail[]
  /** Applies the fault until the work is done. */
  during(fault: MailFault, work: () => Promise<void>): Promise<void>
}

/** Starts it; it ends with the test file. */
export async function startSmtpReceiver(): Promise<SmtpReceiver> {
  const received: ReceivedMail[] = []
  const sockets = new Set<Socket>()
  let fault: MailFault | undefined

  async function converse(socket: Socket): Promise<void> {
    const answer = async (line: string) => {
      if (fault === 'slow') await pause(slowMs)
      return new Promise<boolean>((resolve) =>
        socket.write(`${line}\r\n`, (error) => resolve(error === undefined || error === null)),
      )
    }
    let to = ''
    let content: string[] | undefined
    await answer('220 mail.example')
    for await (const line of createInterface(socket)) {
      if (content === undefined) {
        const [verb = ''] = line.toUpperCase().split(' ')
        if (verb === 'RCPT') to = line.slice(line.indexOf('<') + 1, line.indexOf('>'))
        if (verb === 'DATA') content = []
        await answer(answerTo(verb, line))
      } else if (line === '.') {
        const [, messageId = ''] = /^message-id: <([^@>]*)@/im.exec(content.join('\n')) ?? []
        const mail = { to, messageId, at: performance.now(), isAcknowledged: false }
        content = undefined
        received.push(mail)
        mail.isAcknowledged = await answer('250 taken')
      } else content.push(line)
    }
  }

  function answerTo(verb: string, line: string): string {
    if (verb === 'RCPT' && fault === 'defers') return `451 4.3.2 ${line} cannot be taken now`
    if (verb === 'RCPT' && fault === 'refuses') return `550 5.7.1 ${line} is not taken`
    return { DATA: '354 go on', QUIT: '221 goodbye' }[verb] ?? '250 mail.example'
  }

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // Broken connections are the purpose of the fault.
    socket.on('error', () => socket.destroy())
    converse(socket).catch(() => socket.destroy())
  })
  const listen = (port: number) => once(server.listen(port, '127.0.0.1'), 'listening')
  const breakAll = () => {
    server.close()
    for (const socket of sockets) socket.resetAndDestroy()
  }
  await listen(0)
  atFileEnd(breakAll)
  // Only the address of a pipe is a string.
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    async during(what, work) {
      fault = what
      if (what === 'down') breakAll()
      await work()
      fault = undefined
      if (what === 'down') await listen(port)
    },
  }
}
