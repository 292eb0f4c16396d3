import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Config } from '../../platform/config/config.js'

export function listenForMetrics(
  server: Server,
  { metricsHost: host, metricsPort: port }: Config,
): Promise<string> {
  return listen(server, { name: 'METRICS_PORT', port }, { name: 'METRICS_HOST', host })
}

/** Where to listen, with the names of the settings. */
interface ListenSettings {
  readonly at: { readonly name: string; readonly port: number }
  readonly on: { readonly name: string; readonly host: string }
}

/** Has a server listen. @returns Its address. @throws Error with a sentence for the operator when it cannot. */
export async function listen(
  server: Server,
  at: ListenSettings['at'],
  on: ListenSettings['on'],
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(toListenFault(error, { at, on })))
    server.listen(at.port, on.host, resolve)
  })
  // The address of a TCP server is never a string; that is for pipes.
  const bound = server.address() as AddressInfo
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
}

function toListenFault(error: Error, { at: { name, port }, on }: ListenSettings): Error {
  const code = 'code' in error ? error.code : undefined
  const another = name === 'METRICS_PORT' ? 'another one, or to 0 for any that is free' : 'another one'
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} is in use: stop the process that has it, or set ${name} to ${another}.`,
    EACCES: `Port ${port} is not open to this user: set ${name} to one above 1023.`,
    EADDRNOTAVAIL: `${on.host} is no address of this machine: set ${on.name} to one that is, or to 0.0.0.0 for all.`,
    ENOTFOUND: `${on.host} is no address: set ${on.name} to one of this machine.`,
  }
  return new Error(sentences[String(code)] ?? error.message, { cause: error })
}
