import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'

/** Serves an application at its origin on this machine, and returns what stops it. */
export async function listen(app: RequestListener, origin: string): Promise<() => void> {
  const server = createServer(app)
  await once(server.listen(Number(new URL(origin).port), '127.0.0.1'), 'listening')
  return () => {
    server.close()
    server.closeAllConnections()
  }
}
