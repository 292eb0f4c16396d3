import { connect, createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { atFileEnd } from '../file-end.js'

/**
 * Network faults of connections: `reset` breaks all, and each new one; `refuse` breaks all and accepts no new one; `silent`
 * drops data in both directions and keeps them open; `deaf` drops only the answers of the database; `late` delivers
 * after 200 ms; `slow` delivers 20 kB a second of each direction.
 */
export const networkFaults = ['reset', 'refuse', 'silent', 'deaf', 'late', 'slow'] as const
export type NetworkFault = (typeof networkFaults)[number]

const lateMs = 200
const slowBytes = 1_000
const slowEveryMs = 50

/** A proxy of the database connections, with injectable faults. */
export interface DatabaseProxy {
  readonly url: string
  /** Applies the fault to every connection until the work is done. */
  during<T>(fault: NetworkFault, work: () => Promise<T>): Promise<T>
  /** The number of drops of data sent to the database. */
  dropped(): number
}

/** Puts a proxy in front of a database, at an address of this machine; it ends with the test file. */
export async function startDatabaseProxy(databaseUrl: string, host = '127.0.0.1'): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let fault: NetworkFault | undefined
  let dropped = 0

  /** One direction of a connection. */
  const direction = (drops: readonly NetworkFault[], onDrop = () => undefined as void) =>
    new Transform({
      transform(chunk: Buffer, _encoding, done) {
        if (fault !== undefined && drops.includes(fault)) {
          onDrop()
          done()
        } else if (fault === 'late') void pause(lateMs).then(() => done(null, chunk))
        else if (fault === 'slow') void deliverSlowly(this, chunk).then(() => done())
        else done(null, chunk)
      },
    })
  const deliverSlowly = async (to: Transform, chunk: Buffer) => {
    let sent = 0
    while (sent < chunk.length) {
      const end = fault === 'slow' ? sent + slowBytes : chunk.length
      if (fault === 'slow') await pause(slowEveryMs)
      to.push(chunk.subarray(sent, end))
      sent = end
    }
  }

  const server = createServer((client) => {
    if (fault === 'reset') {
      client.resetAndDestroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
    // A broken connection ends in an error on one side, as intended; the other side is closed with it.
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      socket.on('error', () => socket.destroy())
      socket.on('close', () => other.destroy())
    }
    client
      .pipe(direction(['silent'], () => void (dropped += 1)))
      .pipe(upstream)
      .pipe(direction(['silent', 'deaf']))
      .pipe(client)
  })
  await listen(server, 0, host)
  atFileEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(databaseUrl)
  // A listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo
  url.host = `${host}:${port}`
  return {
    url: url.href,
    async during(what, work) {
      fault = what
      if (what === 'refuse') server.close()
      if (what === 'reset' || what === 'refuse') for (const socket of sockets) socket.resetAndDestroy()
      try {
        return await work()
      } finally {
        fault = undefined
        if (what === 'refuse') await listen(server, port, host)
      }
    },
    dropped: () => dropped,
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve) => server.listen(port, host, resolve))
}
