import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openSmsSender } from './sender.js'

const sms = {
  to: '+33612345678',
  body: '123456 est votre code pour Éclair & Cie',
  idempotencyKey: '0190c8c4-5d7e-7f90-81c2-4d5e6f708192',
}

interface Heard {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly type: string | undefined
  readonly form: Record<string, string>
}

/** A server like Twilio's Messages resource, and its received requests. */
async function startProvider(answer: (res: ServerResponse) => void) {
  const heard: Heard[] = []
  const server = createServer((req: IncomingMessage, res) => {
    let body = ''
    req.on('data', (chunk: Buffer) => (body += chunk.toString()))
    req.on('end', () => {
      const { method, url, headers } = req
      const form = Object.fromEntries(new URLSearchParams(body))
      heard.push({ method, url, authorization: headers.authorization, type: headers['content-type'], form })
      answer(res)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  const sender = openSmsSender({
    accountSid: 'AC00000000000000000000000000000000',
    authToken: 'a:token',
    from: '+15005550006',
    origin: `http://127.0.0.1:${port}`,
  })
  onTestFinished(() => {
    sender.close()
    server.close()
  })
  return { sender, heard }
}

test('a message is one form to the Messages resource of the account, with its credentials', async () => {
  const { sender, heard } = await startProvider((res) => res.writeHead(201).end('{"sid": "SM1"}'))

  await sender.send(sms)

  expect(heard).toEqual([
    {
      method: 'POST',
      url: '/2010-04-01/Accounts/AC00000000000000000000000000000000/Messages.json',
      authorization: `Basic ${btoa('AC00000000000000000000000000000000:a:token')}`,
      type: 'application/x-www-form-urlencoded',
      form: { To: sms.to, From: '+15005550006', Body: sms.body },
    },
  ])
})

test('a refusal is told by the provider’s number for it, without the telephone number', async () => {
  const refusal = { code: 21211, message: `The 'To' number ${sms.to} is not valid.`, status: 400 }
  const { sender } = await startProvider((res) => res.writeHead(400).end(JSON.stringify(refusal)))

  await expect(sender.send(sms)).rejects.toThrow('the provider of text messages answered 400, error 21211')
})

test.each([
  ['a redirect', (res: ServerResponse) => res.writeHead(307, { location: '/elsewhere' }).end()],
  ['a failure', (res: ServerResponse) => res.writeHead(503).end('<html>')],
])('%s is no delivery, and nothing is followed', async (_name, answer) => {
  const { sender, heard } = await startProvider(answer)

  await expect(sender.send(sms)).rejects.toThrow(/answered (307|503)$/)
  expect(heard).toHaveLength(1)
})

test('a provider who hangs up is no delivery', async () => {
  const { sender } = await startProvider((res) => res.destroy())

  await expect(sender.send(sms)).rejects.toThrow('disconnected')
})

test('without a provider nothing is sent', async () => {
  await expect(openSmsSender(undefined).send(sms)).rejects.toThrow('SMS_URL is not set')
})
