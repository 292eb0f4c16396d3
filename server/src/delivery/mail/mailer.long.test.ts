import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '../../platform/config/config.js'
import { openMailer } from '../../platform/mail/mailer.js'

const mail = {
  to: 'ada@awesome.example',
  fromName: null,
  subject: 'Sign in',
  text: 'a link',
  html: '<p>a link</p>',
  messageId: '01890a5d-ac96-774b-bcce-b302099a8057',
}

describe.concurrent('an attempt to send fails, and the next one can come, when the mail server', () => {
  test('takes the connection and says nothing for 10 seconds', async () => {
    const mailer = await openMailerTo(() => undefined)

    await expect(mailer.send(mail)).rejects.toThrow('Greeting never received')
  }, 20_000)

  test('takes the mail and says nothing for a minute', async () => {
    const mailer = await openMailerTo((socket) => {
      socket.write('220 mail.example\r\n')
      socket.on('data', (chunk) => {
        const text = chunk.toString('utf8')
        if (/^DATA/.test(text)) socket.write('354 go on\r\n')
        else if (/^(EHLO|MAIL|RCPT)/.test(text)) socket.write('250 mail.example\r\n')
      })
    })

    await expect(mailer.send(mail)).rejects.toThrow('Timeout')
  }, 90_000)
})

/** A mailer with a scripted mail server. */
async function openMailerTo(onConnection: (socket: Socket) => void) {
  const server = createServer(onConnection).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  const mailer = openMailer(readConfig({ SMTP_URL: `smtp://127.0.0.1:${port}` }))
  onTestFinished(() => {
    mailer.close()
    server.close()
  })
  return mailer
}
