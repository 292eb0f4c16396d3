import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atFileEnd } from '../file-end.js'

/** Has a server listen on this machine until the test file ends. @returns Its port. */
export async function listenUntilFileEnd(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atFileEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  // Only the address of a pipe is a string.
  return (server.address() as AddressInfo).port
}
