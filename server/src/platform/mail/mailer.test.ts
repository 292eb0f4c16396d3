import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../config/config.js'
import { createLog } from '../observability/log.js'
import { openMailer } from './mailer.js'

const mail = { to: 'ada@awesome.example', fromName: null, subject: 'Sign in', text: '', html: '' }

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

describe('the name of the sender', () => {
  const named = { MAIL_FROM: 'Example <no-reply@example.com>' }

  test.each([
    ['is what the account calls its product', 'Acme Suite', named, 'Acme Suite <no-reply@example.com>'],
    ['is that of MAIL_FROM without it', null, named, 'Example <no-reply@example.com>'],
    [
      'may be quoted in MAIL_FROM',
      null,
      { MAIL_FROM: '"Example, Inc." <no-reply@example.com>' },
      '"Example, Inc." <no-reply@example.com>',
    ],
    [
      'is that of PRODUCT_NAME where MAIL_FROM has none',
      null,
      { MAIL_FROM: 'no-reply@example.com', PRODUCT_NAME: 'Example Suite' },
      'Example Suite <no-reply@example.com>',
    ],
    [
      'is one line, and no address of it is another sender',
      'Acme\r\nBcc: eve@evil.example <eve@evil.example>,',
      named,
      '"Acme Bcc: eve@evil.example <eve@evil.example>," <no-reply@example.com>',
    ],
  ])('%s', async (_title, fromName, variables, from) => {
    const received = await receivedFrom(fromName, variables)

    // A long line continues in one that begins with a space.
    const headers = received.replaceAll(/\r\n[ \t]+/g, ' ')
    expect(/^From: (.*)$/m.exec(headers)?.[1]?.trim()).toBe(from)
    expect(received).not.toMatch(/^Bcc:/m)
    expect(received).toContain('MAIL FROM:<no-reply@example.com>')
  })

  /** What a mail server receives of a mail. */
  async function receivedFrom(fromName: string | null, variables: Record<string, string>): Promise<string> {
    let received = ''
    const port = await serve((text, answer) => {
      received += text
      if (text.startsWith('DATA')) answer('354 go on')
      else if (/^(EHLO|MAIL|RCPT)|\r\n\.\r\n$/.test(text)) answer('250 mail.example')
    })
    const mailer = openMailer(readConfig({ SMTP_URL: `smtp://127.0.0.1:${port}`, ...variables }))
    onTestFinished(() => mailer.close())
    await mailer.send({ ...mail, fromName, messageId: 'one' })
    return received
  }
})

/** The log line of a mail whose recipient gets this SMTP answer. */
async function loggedOf(answer: string): Promise<string> {
  const port = await serve((text, say) => say(text.startsWith('RCPT') ? answer : '250 mail.example'))
  const mailer = openMailer(readConfig({ SMTP_URL: `smtp://127.0.0.1:${port}` }))
  onTestFinished(() => mailer.close())

  const failure = await mailer.send({ ...mail, messageId: 'one' }).catch((error: unknown) => error)
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

/** A mail server that answers what it receives; the port it listens on. */
async function serve(take: (text: string, answer: (line: string) => void) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 mail.example\r\n')
    socket.on('data', (chunk) => take(chunk.toString(), (line) => void socket.write(`${line}\r\n`)))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  // A listening TCP server has an address with a port.
  return (server.address() as AddressInfo).port
}
