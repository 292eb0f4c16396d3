import { connect, createServer, type Server, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { Transform } from 'node:stream'
import { atFileEnd } from './file-end.js'

/** A way to the database that a test can cut. */
export interface DatabaseProxy {
  readonly url: string
  /** Breaks every connection and refuses new ones until the work is done. */
  whileCut<T>(work: () => Promise<T>): Promise<T>
  /** Drops what is sent, in both directions, and keeps every connection open until the work is done. */
  whileSilent<T>(work: () => Promise<T>): Promise<T>
  /** How often something was dropped on its way to the database. */
  dropped(): number
}

/** Puts a proxy in front of a database; it ends with the test file. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isCut = false
  let isSilent = false
  let dropped = 0
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      // A cut connection ends in an error on either side, which is what it is for.
      socket.on('error', () => socket.destroy())
    }
    const unlessSilent = (onDrop?: () => void) =>
      new Transform({
        transform(chunk, _encoding, done) {
          if (!isSilent) {
            done(null, chunk)
            return
          }
          onDrop?.()
          done()
        },
      })
    const toDatabase = unlessSilent(() => (dropped += 1))
    client.pipe(toDatabase).pipe(upstream).pipe(unlessSilent()).pipe(client)
  })
  await listen(server)
  atFileEnd(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const url = new URL(databaseUrl)
  // A TCP server that listens has an address with a port.
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    async whileCut(work) {
      isCut = true
      for (const socket of sockets) socket.destroy()
      try {
        return await work()
      } finally {
        isCut = false
      }
    },
    async whileSilent(work) {
      isSilent = true
      try {
        return await work()
      } finally {
        isSilent = false
      }
    },
    dropped: () => dropped,
  }
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
}
