import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { parseLoad, type Load, type LoadResult } from './load.js'

/** One connection's work: sends one request, or the requests of one journey, and throws when an answer is a failure. */
type Work = (port: number, agent: Agent) => Promise<void>

/** The answer to a request over a kept connection. */
interface Answer {
  readonly status: number
  readonly location: string | undefined
  readonly body: string
}

interface Sending {
  readonly method: string
  readonly path: string
  readonly token?: string | undefined
  readonly accept?: string
  readonly body?: string | undefined
}

function send(port: number, agent: Agent, sending: Sending): Promise<Answer> {
  const { method, path, token, accept, body } = sending
  return new Promise((resolve, reject) => {
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(accept && { accept }),
      ...(body && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    }
    const sent = request({ host: '127.0.0.1', port, method, path, agent, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          location: res.headers.location,
          body: Buffer.concat(chunks).toString(),
        }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function singleRequests(load: Load): Work {
  const lines = readLines(load)
  let count = 0
  return async (port, agent) => {
    const [method = 'GET', path = '', token, body] = draw(lines)
    count += 1
    const answer = await send(port, agent, {
      method,
      path,
      token,
      body: body?.replaceAll('{unique}', `${load.seed}${count}`),
    })
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.body}`)
  }
}

/** A person signs in: the caller makes a link, the link is opened, and its code is exchanged for tokens. */
function journeys(load: Load): Work {
  const lines = readLines(load)
  let turn = Math.floor(Math.random() * lines.length)
  return async (port, agent) => {
    // In turn, because two sign-ins of one user at a time void each other's links.
    turn += 1
    const [method = 'POST', path = '', token, body] = lines[turn % lines.length] ?? []
    const challenge = await send(port, agent, { method, path, token, body })
    const link = memberOf(challenge.body, 'magic_link')
    const { pathname, search } = new URL(link)
    const opened = await send(port, agent, {
      method: 'GET',
      path: pathname + search,
      accept: 'application/json',
    })
    const code = new URL(opened.location ?? 'about:blank').searchParams.get('code')
    if (code === null) throw new Error(`the link leads to no code: ${opened.status} ${opened.body}`)
    const { application } = load
    const exchange = { grant_type: 'authorization_code', client_id: application, code }
    const exchanged = await send(port, agent, {
      method: 'POST',
      path: '/oauth/token',
      body: JSON.stringify(exchange),
    })
    memberOf(exchanged.body, 'access_token')
  }
}

function readLines(load: Load): string[][] {
  const lines = readFileSync(load.requestsFile, 'utf8').trimEnd().split('\n')
  return lines.map((line) => line.split('\t'))
}

function draw(lines: readonly string[][]): string[] {
  return lines[Math.floor(Math.random() * lines.length)] ?? []
}

function memberOf(body: string, name: string): string {
  const parsed: unknown = JSON.parse(body)
  const value = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
  const found: unknown = value.find(([key]) => key === name)?.[1]
  if (typeof found !== 'string') throw new Error(`no ${name} in ${body}`)
  return found
}

async function run(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections })
  const work = load.kind === 'journey' ? journeys(load) : singleRequests(load)
  const latencies: number[] = []
  let failures = 0
  let firstFailure = ''
  const start = performance.now()
  const isOver = () =>
    load.requests === undefined
      ? performance.now() - start >= load.seconds * 1000
      : latencies.length + failures >= load.requests

  async function caller(): Promise<void> {
    while (!isOver()) {
      const sentAt = performance.now()
      try {
        await work(load.port, agent)
        latencies.push(performance.now() - sentAt)
      } catch (error) {
        failures += 1
        firstFailure ||= String(error)
      }
    }
  }
  await Promise.all(Array.from({ length: load.connections }, caller))
  const seconds = (performance.now() - start) / 1000
  agent.destroy()
  if (failures > 0) process.stderr.write(`${firstFailure}\n`)
  latencies.sort((a, b) => a - b)
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0
  return {
    requests: latencies.length,
    seconds,
    failures,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
  }
}

process.stdout.write(`${JSON.stringify(await run(parseLoad(process.argv[2] ?? '')))}\n`)
