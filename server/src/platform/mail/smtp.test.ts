import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openSmtp } from './smtp.js'

test('sends no password to a mail server that does not offer TLS', async () => {
  const heard = await verifyAgainstPlainServer('')

  expect(heard).toContain('STARTTLS')
  expect(heard).not.toContain('AUTH')
})

test('sends it in the clear where the address asks for that', async () => {
  const heard = await verifyAgainstPlainServer('?requireTLS=false')

  expect(heard).toContain(`AUTH PLAIN ${Buffer.from('\0ada\0hunter2').toString('base64')}`)
})

/** The commands that a mail server without TLS receives from a sender with a password. */
async function verifyAgainstPlainServer(query: string): Promise<string> {
  let heard = ''
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write('220 mail.example\r\n')
    socket.on('data', (chunk) => {
      const text = chunk.toString('utf8')
      heard += text
      if (text.startsWith('EHLO')) socket.write('250-mail.example\r\n250 AUTH PLAIN\r\n')
      else socket.write(text.startsWith('AUTH') ? '235 welcome\r\n' : '502 no\r\n')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  const smtp = openSmtp(`smtp://ada:hunter2@127.0.0.1:${port}${query}`, { connectMs: 2000, silenceMs: 2000 })
  onTestFinished(() => {
    smtp.close()
    server.close()
  })
  await smtp.verify().catch(() => undefined)
  return heard
}
