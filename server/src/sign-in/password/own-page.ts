import { issuerOf } from '../../tokens/claims.js'

/** The address of our own page that takes the code of a link to a password. */
export function setPasswordUrl(baseUrl: string, domain: string): string {
  return `${issuerOf(baseUrl, domain)}/set-password`
}
