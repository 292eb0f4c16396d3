import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { atFileEnd } from '../file-end.js'
import { freePort } from '../given/free-port.js'

/** A proxy of a service that a test can cut, after which connections are refused like by an ended service. */
export interface Way {
  readonly url: string
  whileCut<T>(work: () => Promise<T>): Promise<T>
}

/** Puts a proxy in front of a service; it ends with the test file. */
export async function startProxy(baseUrl: string): Promise<Way> {
  const { port: target } = new URL(baseUrl)
  const port = await freePort()
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target), '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
      // A cut connection ends in an error on either side, as intended.
      socket.on('error', () => socket.destroy())
    }
    client.pipe(upstream).pipe(client)
  })
  const open = () => once(server.listen(port, 'localhost'), 'listening')
  async function close(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  await open()
  atFileEnd(close)
  return {
    url: `http://localhost:${port}`,
    async whileCut(work) {
      await close()
      try {
        return await work()
      } finally {
        await open()
      }
    },
  }
}
