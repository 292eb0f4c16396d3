import { displayAddress } from '../frame/person.js'

/** As much of an address as whoever owns it needs to know it by: who has found the link learns no more. */
export function maskAddress(email: string): string {
  const address = displayAddress(email)
  const at = address.lastIndexOf('@')
  const [first = ''] = address
  return at < 1 ? `${first}***` : `${first}***${address.slice(at)}`
}
