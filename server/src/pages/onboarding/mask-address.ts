import { displayAddress } from '../frame/person.js'

/** A masked address that its owner recognizes, and that discloses nothing to others with the link. */
export function maskAddress(email: string): string {
  const address = displayAddress(email)
  const at = address.lastIndexOf('@')
  const [first = ''] = address
  return at < 1 ? `${first}***` : `${first}***${address.slice(at)}`
}
