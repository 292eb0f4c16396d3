import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>
type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Global unicast (RFC 4291 section 2.4, RFC 3513 section 4): most other IPv6 ranges embed IPv4. */
const globalUnicast = ipaddr.parseCIDR('2000::/3')

/** Whether a text is an address or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  return networkOf(text) !== undefined
}

/**
 * Whether an address is on the public internet, where access does not depend on the client's network. An IPv6 address
 * that carries an IPv4 one (mapped, translated, 6to4, Teredo) is not: its destination depends on the network.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast)
}

/**
 * The network of one customer of an internet provider: the first 64 bits of an IPv6 address (RFC 6177 section 2), and an
 * IPv4 address as it is, also where it is written as IPv6.
 */
export function networkOfClient(address: string): string {
  if (isIP(address) === 0) return address
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()
}

/** Whether an address is in one of these networks; an embedded IPv4 address is ignored. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (isIP(address) === 0) return false
  const parsed = ipaddr.parse(address)
  return networks.some((text) => {
    const network = networkOf(text)
    return network !== undefined && isIn(parsed, network)
  })
}

function isIn(address: Address, network: Network): boolean {
  return address.kind() === network[0].kind() && address.match(network)
}

function networkOf(text: string): Network | undefined {
  const [address = ''] = text.split('/')
  const version = isIP(address)
  // Without this the library would read 10 as 0.0.0.10.
  if (version === 0) return undefined
  const network = text.includes('/') ? text : `${text}/${version === 4 ? 32 : 128}`
  return ipaddr.isValidCIDR(network) ? ipaddr.parseCIDR(network) : undefined
}
