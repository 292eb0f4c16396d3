import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { exchange } from './exchange.js'

const limits = { timeoutMs: 5_000, maxBytes: 1_000 }

/** The address of a server that runs for the duration of the test. */
async function given(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return `http://127.0.0.1:${port}`
}

test('an answer is read to its end', async () => {
  const url = await given((request, response) =>
    response.writeHead(404, { 'x-seen': request.method }).end('né'),
  )

  const { status, headers, text } = await exchange(url, { method: 'PUT' }, limits)

  expect([status, headers.get('x-seen'), text]).toEqual([404, 'PUT', 'né'])
})

test('a service that does not answer in time is a timeout', async () => {
  const url = await given(() => undefined)

  const attempt = exchange(url, {}, { ...limits, timeoutMs: 50 })

  await expect(attempt).rejects.toMatchObject({ name: 'ConnectionError', reason: 'timeout' })
})

test('an answer that does not end in time is a timeout', async () => {
  const url = await given((_, response) => response.writeHead(200).write('{'))

  const attempt = exchange(url, {}, { ...limits, timeoutMs: 50 })

  await expect(attempt).rejects.toMatchObject({ name: 'ConnectionError', reason: 'timeout' })
})

test('an answer of too many bytes is not read to its end', async () => {
  const url = await given((_, response) => {
    const chunk = 'x'.repeat(600)
    const timer = setInterval(() => response.write(chunk), 1)
    response.on('close', () => clearInterval(timer))
  })

  await expect(exchange(url, {}, limits)).rejects.toMatchObject({ reason: 'too_large' })
})

test('the caller’s signal ends the request with its own reason', async () => {
  const controller = new AbortController()
  const url = await given(() => controller.abort(new Error('the user went away')))

  const attempt = exchange(url, {}, { ...limits, signal: controller.signal })

  await expect(attempt).rejects.toThrow('the user went away')
})

test('a closed port is a network failure that keeps its cause', async () => {
  const attempt = exchange('http://127.0.0.1:1', {}, limits)

  await expect(attempt).rejects.toMatchObject({ reason: 'network', cause: expect.any(Error) as Error })
})

test('a redirect is not followed', async () => {
  const seen: (string | undefined)[] = []
  const url = await given((request, response) => {
    seen.push(request.url)
    response.writeHead(307, { location: '/elsewhere' }).end()
  })

  const { status } = await exchange(`${url}/token`, { method: 'POST', body: 'client_secret=s' }, limits)

  expect(status).toBe(307)
  expect(seen).toEqual(['/token'])
})

test('the global fetch is looked up for each request', async () => {
  const original = globalThis.fetch
  onTestFinished(() => {
    globalThis.fetch = original
  })
  globalThis.fetch = () => Promise.resolve(new Response('replaced'))

  const { text } = await exchange('https://auth.example', {}, limits)

  expect(text).toBe('replaced')
})
