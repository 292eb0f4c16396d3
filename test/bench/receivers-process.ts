import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Arrival, Behaviour, ReceiversMessage } from './receivers.js'

// Receivers of events, each a port of its own, in one process that runs beside what is measured. See receivers.ts.

const [count = '1', keyFile = '', certificateFile = ''] = process.argv.slice(2)
const tls = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) }
const slowMs = 10_000

const behaviours: Behaviour[] = Array.from({ length: Number(count) }, () => 'prompt')
const silent = new Set<ServerResponse>()
let arrivals: Arrival[] = []
/** How many arrivals are waited for. */
let toldAt = Infinity

function receive(receiver: number, eventId: string, res: ServerResponse): void {
  arrivals.push({ receiver, eventId, atMs: performance.timeOrigin + performance.now() })
  const behaviour = behaviours[receiver]
  if (behaviour === 'dead') silent.add(res)
  else if (behaviour === 'slow') setTimeout(() => res.writeHead(204).end(), slowMs)
  else res.writeHead(204).end()
  tellIfEnough()
}

function tellIfEnough(): void {
  if (arrivals.length < toldAt) return
  toldAt = Infinity
  process.send?.(arrivals)
}

process.on('message', (message: ReceiversMessage) => {
  if (message.kind === 'forget') arrivals = []
  else if (message.kind === 'tell') {
    toldAt = message.count
    tellIfEnough()
  } else {
    for (const receiver of message.receivers) behaviours[receiver] = message.behaviour
    if (message.behaviour !== 'prompt') return
    for (const res of silent) res.destroy()
    silent.clear()
  }
})

async function listen(receiver: number): Promise<number> {
  const server: Server = createServer(tls, (req, res) => {
    res.on('error', () => undefined)
    req.resume().once('end', () => receive(receiver, String(req.headers['webhook-id']), res))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // A TCP server's address is never a string; that is for pipes.
  return (server.address() as AddressInfo).port
}

process.send?.(await Promise.all(behaviours.map((_, receiver) => listen(receiver))))
process.once('disconnect', () => process.exit(0))
