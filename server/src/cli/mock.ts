import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createMock, type Mock } from '@portico/sdk/mock'
import { InvalidArgumentError, type Command } from 'commander'
import { getResponse } from 'msw'
import { isLocalRequest } from '../platform/http/from-this-machine.js'
import { print, type OutputOptions } from './output.js'
import { closeOnSignal } from './until-signal.js'

/** The path of the recorded calls, beside those of the API. */
const callsPath = '/_mock/calls'

/** portico mock */
export function define(command: Command): void {
  command
    .option('--port <port>', 'where it listens on this machine; 0: any free port', toNumber(65_535), 3000)
    .option('--latency <ms>', 'how long every answer takes', toNumber(60_000), 0)
    .option('--json', 'tell the address as one line of JSON on stdout')
    .addHelpText(
      'after',
      `\nGET ${callsPath} tells the calls, the oldest first, and with ?operation=<name> those of one operation; DELETE forgets them.`,
    )
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
  const served = createMock({ baseUrl, latencyMs: options.latency })
  server.on('request', (req: IncomingMessage, res: ServerResponse) => {
    answer(req, res).catch((error: unknown) => {
      if (!res.headersSent) res.writeHead(500, { 'content-type': 'text/plain' })
      res.end(error instanceof Error ? error.message : String(error))
    })
  })
  // Before the output: a signal may follow it at once.
  const closed = closeOnSignal(async () => {
    server.close()
    server.closeAllConnections()
  }, options.terminal.tell)
  print(options, { base_url: baseUrl, calls_url: baseUrl + callsPath }, () => [
    `Mock      ${baseUrl}`,
    `Calls     ${baseUrl}${callsPath} (GET tells them, DELETE forgets them)`,
    'It answers examples and keeps nothing. Prefer: code=user_not_found asks for an error of an operation.',
    'portico emulate runs the service itself, which does keep what it is told.',
  ])
  await closed

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = req
    const { pathname, searchParams } = new URL(url, baseUrl)
    if (pathname === callsPath) {
      answerCalls(served, req, res, searchParams.get('operation'))
      return
    }
    const body = ['GET', 'HEAD'].includes(method) ? undefined : await buffer(req)
    const request = new Request(new URL(url, baseUrl), {
      method,
      headers: headersOf(req),
      body: body ?? null,
    })
    const found = await getResponse(served.handlers, request)
    if (found === undefined) {
      res.writeHead(404, { 'content-type': 'text/plain' }).end(`No operation is ${method} ${url}.\n`)
      return
    }
    res.statusCode = found.status
    res.setHeaders(found.headers)
    res.end(Buffer.from(await found.arrayBuffer()))
  }
}

/** Answers the recorded calls to programs on this machine, and not to pages of other origins in a browser. */
function answerCalls(
  { allCalls, reset }: Mock,
  req: IncomingMessage,
  res: ServerResponse,
  operation: string | null,
): void {
  if (!isLocalRequest(req) || req.headers.origin !== undefined)
    send(res, 403, {
      error: `${callsPath} is for programs on this machine: ask localhost, without an Origin.`,
    })
  else if (req.method === 'GET')
    send(res, 200, { data: allCalls().filter((call) => (operation ?? call.operation) === call.operation) })
  else if (req.method === 'DELETE') {
    const { length } = allCalls()
    reset()
    send(res, 200, { cleared: length })
  } else {
    res.setHeader('Allow', 'GET, DELETE')
    send(res, 405, { error: `${callsPath} knows GET and DELETE.` })
  }
}

function send(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(body)}\n`)
}

/** In their order, names and values alternating. */
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
