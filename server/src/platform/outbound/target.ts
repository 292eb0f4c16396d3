import { isIP } from 'node:net'
import { isInNetworks, isPublicAddress } from './address.js'

/** Where the service may connect to for its tenants. */
export interface OutboundRules {
  /** Networks in CIDR notation, and addresses, that the operator has opened beside the public internet. */
  readonly allowed: readonly string[]
  /** Whether these may be reached over http, too; the public internet never is. */
  readonly isHttpAllowed: boolean
}

/** The same for every refused target, so that it reveals nothing of a network. */
const publicTarget =
  'must be an https address of a public host, on port 443 or above 1023, without user name, password or fragment'

/**
 * What an address must be, by the rules of the service. Where http is allowed, as it is to developers alone, the setting is named that
 * opens networks; in production callers cannot change it, and do not learn of it.
 */
export function targetRefusal({ isHttpAllowed }: OutboundRules): string {
  return isHttpAllowed
    ? `${publicTarget}; one of your own machine, also by http, when the service is started with OUTBOUND_ALLOW=127.0.0.0/8,::1`
    : publicTarget
}

/**
 * Whether a URL may be connected to, judged by its text. Names are looked up when a connection is made, and the
 * addresses are checked then.
 */
export function isTargetAllowed(url: string, rules: OutboundRules): boolean {
  // URL parsers repair these, and two might do so in different ways.
  if (!/^https?:\/\/[^/?]/i.test(url) || /[\s\p{Cc}\\#]/u.test(url) || !URL.canParse(url)) return false
  const { protocol, username, password, port, hostname } = new URL(url)
  if (username !== '' || password !== '') return false
  if (port !== '' && Number(port) <= 1023) return false
  const reach = reachOf(bareHost(hostname), rules)
  return protocol === 'https:' ? reach !== 'refused' : rules.isHttpAllowed && isMaybeOpened(reach, rules)
}

/** Whether an address may be connected to with this protocol, once its name is resolved. */
export function isAddressAllowed(
  address: string,
  protocol: 'http:' | 'https:',
  { allowed, isHttpAllowed }: OutboundRules,
): boolean {
  if (protocol === 'http:' && !isHttpAllowed) return false
  return isInNetworks(address, allowed) || (protocol === 'https:' && isPublicAddress(address))
}

/** The host without what only a URL has: brackets, and the dot that ends a full name. */
function bareHost(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

type Reach = 'opened' | 'public' | 'by_lookup' | 'refused'

function reachOf(host: string, { allowed }: OutboundRules): Reach {
  if (isIP(host) !== 0) {
    if (isInNetworks(host, allowed)) return 'opened'
    return isPublicAddress(host) ? 'public' : 'refused'
  }
  const labels = host.split('.')
  if (labels.includes('')) return 'refused'
  if (labels.at(-1) === 'localhost') {
    const isLoopbackOpened = ['127.0.0.1', '::1'].some((address) => isInNetworks(address, allowed))
    return isLoopbackOpened ? 'opened' : 'refused'
  }
  if (isInternalName(host)) return allowed.length > 0 ? 'by_lookup' : 'refused'
  return 'by_lookup'
}

/** Names that only have a meaning inside a network (RFC 6762, RFC 8375, ICANN's reservation of .internal). */
function isInternalName(host: string): boolean {
  return !host.includes('.') || /\.(local|internal|home\.arpa)$/.test(host)
}

function isMaybeOpened(reach: Reach, { allowed }: OutboundRules): boolean {
  return reach === 'opened' || (reach === 'by_lookup' && allowed.length > 0)
}
