import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../config/config.js'
import { createLog } from '../observability/log.js'
import { openMailer } from './mailer.js'

const secret = 'eyJhbGciOiJFUzI1NiJ9'.repeat(2)

test.each([
  ['an address', '550 5.7.1 <ada@awesome.example>: not taken', '550 5.7.1 … not taken'],
  ['a quoted address', '550 5.1.1 "ada lovelace"@awesome.example is unknown', '550 5.1.1 … is unknown'],
  [
    'a link',
    `554 5.7.0 https://awesome.example/sign-in?token=${secret} is on a list`,
    '554 5.7.0 … is on a list',
  ],
  ['a code', '554 5.7.0 your code is 271828, says the mail', '554 5.7.0 your code is … says the mail'],
  ['a token', `554 5.7.0 ${secret} looks like nothing`, '554 5.7.0 … looks like nothing'],
  ['without end', `554 5.7.0 ${'a "'.repeat(300)}`, '554 5.7.0 a'],
])(
  'what a mail server answers is told with its code and words, without what it repeats of a mail and without a stack: %s',
  async (_what, answer, told) => {
    const line = await loggedOf(answer)

    expect(line).toContain('the mail server does not take a mail: ')
    expect(line).toContain(told)
    expect(line).not.toMatch(/awesome\.example|lovelace|271828|eyJhb|"stack"/)
    expect(line.length).toBeLessThan(1000)
  },
)

/** The log line of a mail whose recipient gets this SMTP answer. */
async function loggedOf(answer: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 mail.example\r\n')
    socket.on('data', (chunk) => {
      const isRecipient = chunk.toString().startsWith('RCPT')
      socket.write(isRecipient ? `${answer}\r\n` : '250 mail.example\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  const mailer = openMailer(readConfig({ SMTP_URL: `smtp://127.0.0.1:${port}` }))
  onTestFinished(() => {
    mailer.close()
    server.close()
  })

  const failure = await mailer
    .send({ to: 'ada@awesome.example', subject: 'Sign in', text: '', html: '', messageId: 'one' })
    .catch((error: unknown) => error)
  const lines: string[] = []
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString())
      done()
    },
  })
  createLog({ logLevel: 'warn' }, destination).warn({ err: failure }, 'a job failed')
  return lines.join('')
}
