import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createMockHandlers } from '@portico/sdk/mock'
import { InvalidArgumentError, type Command } from 'commander'
import { getResponse } from 'msw'
import { print, type OutputOptions } from './output.js'
import { closeOnSignal } from './until-signal.js'

/** portico mock */
export function define(command: Command): void {
  command
    .option('--port <port>', 'where it listens on this machine; 0: any free port', toNumber(65_535), 3000)
    .option('--latency <ms>', 'how long every answer takes', toNumber(60_000), 0)
    .option('--json', 'tell the address as one line of JSON on stdout')
    .action(mock)
}

async function mock(options: OutputOptions & { port: number; latency: number }): Promise<void> {
  const server = createServer()
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening').catch((error: unknown) => {
    throw new Error(`Port ${options.port} cannot be listened on: give --port another one, or 0 for any.`, {
      cause: error,
    })
  })
  // The address of a TCP server is never a string; that is for pipes.
  const { port } = server.address() as AddressInfo
  const baseUrl = `http://localhost:${port}`
  const handlers = createMockHandlers({ baseUrl, latencyMs: options.latency })
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    answer(req, res).catch((error: unknown) => {
      if (!res.headersSent) res.writeHead(500, { 'content-type': 'text/plain' })
      res.end(error instanceof Error ? error.message : String(error))
    })
  })
  print(options, { base_url: baseUrl }, () => [
    `Mock      ${baseUrl}`,
    'It answers examples and keeps nothing. Prefer: status=404 asks for an error of an operation.',
    'portico emulate runs the service itself, which does keep what it is told.',
  ])
  await closeOnSignal(
    async () => {
      server.close()
      server.closeAllConnections()
    },
    (line) => process.stderr.write(`${line}\n`),
  )

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = req
    const body = ['GET', 'HEAD'].includes(method) ? undefined : await buffer(req)
    const request = new Request(new URL(url, baseUrl), {
      method,
      headers: headersOf(req),
      body: body ?? null,
    })
    const found = await getResponse(handlers, request)
    if (found === undefined) {
      res.writeHead(404, { 'content-type': 'text/plain' }).end(`No operation is ${method} ${url}.\n`)
      return
    }
    res.statusCode = found.status
    res.setHeaders(found.headers)
    res.end(Buffer.from(await found.arrayBuffer()))
  }
}

/** As they came, names and values in turns. */
function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  return headers
}

function toNumber(max: number): (text: string) => number {
  return (text) => {
    if (!/^\d{1,5}$/.test(text) || Number(text) > max) throw new InvalidArgumentError(`It is 0 to ${max}.`)
    return Number(text)
  }
}
