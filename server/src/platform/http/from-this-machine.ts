import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '../loopback.js'

/**
 * Whether a client is on this machine and knows the service by a loopback name: another name that resolves to
 * loopback is how a foreign page reads local ones (DNS rebinding), and forwarding headers are the mark of a tunnel.
 */
export function isLocalRequest(req: Pick<IncomingMessage, 'headers' | 'socket'>): boolean {
  const isForwarded = forwardingHeaders.some((name) => name in req.headers)
  return isLoopbackAddress(req.socket.remoteAddress) && isAskedByLoopbackName(req) && !isForwarded
}

/**
 * Whether a client knows the service by a loopback name. Reads the Host header as text, because a URL parser takes
 * 0x7f.1 for 127.0.0.1.
 */
export function isAskedByLoopbackName({ headers: { host } }: Pick<IncomingMessage, 'headers'>): boolean {
  return host !== undefined && isLoopbackHost(host.replace(/:\d{1,5}$/, '').toLowerCase())
}

/** What proxies and tunnels add: any one of them is enough. */
const forwardingHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-forwarded-server',
  'x-real-ip',
  'cf-connecting-ip',
]

function isLoopbackAddress(address: string | undefined): boolean {
  return address !== undefined && /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/.test(address)
}
