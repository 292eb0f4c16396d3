import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../config.js'
import { createLog } from '../log.js'
import { openMailer } from './mailer.js'

test('what a mail server answers is told with its code and words, without whom a mail is for and without a stack', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 mail.example\r\n')
    socket.on('data', (chunk) => {
      const isRecipient = chunk.toString().startsWith('RCPT')
      socket.write(isRecipient ? '550 5.7.1 <ada@awesome.example>: not taken\r\n' : '250 mail.example\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A TCP server that listens has an address with a port.
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

  expect(lines.join('')).toContain('the mail server does not take a mail: ')
  expect(lines.join('')).toContain('550 5.7.1 <…>: not taken')
  expect(lines.join('')).not.toMatch(/awesome\.example|"stack"/)
})
