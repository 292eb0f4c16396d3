import { isIP } from 'node:net'

/**
 * The domain that browsers bind passkeys to: the host of the service, or a parent of it that the operator names (Web Authentication
 * Level 3 section 5.1.3). Undefined where the host is an address, for which they make none.
 */
export function rpIdOf(host: string, named: string | undefined): string | undefined {
  return isAddress(host) ? undefined : (named ?? host)
}

/** What is wrong with the domain that the operator names; undefined without a fault. */
export function faultOfRpId(host: string, named: string | undefined): string | undefined {
  if (named === undefined) return undefined
  return isRpIdOf(host, named)
    ? undefined
    : `PASSKEY_RP_ID must be the host of BASE_URL, ${host}, or a parent of it that has a dot`
}

/** Whether browsers bind passkeys of pages of a host to a domain: the host, or a parent of it that has a dot. */
export function isRpIdOf(host: string, rpId: string): boolean {
  return !isAddress(host) && (rpId === host || (rpId.includes('.') && host.endsWith(`.${rpId}`)))
}

function isAddress(host: string): boolean {
  return isIP(host.replace(/^\[|\]$/g, '')) !== 0
}
