import type { Environment } from '@portico/contract/fields'
import type { Config } from '../../platform/config/config.js'
import { limit, networkKey, type LimitKey } from '../limits/limits.js'

/** Mails to an address of an organization. */
export const mails = limit('mail', {
  windowSeconds: 15 * 60,
  most: (settings, environment) => settings.mailsPerAddress * factorOf(settings, environment),
})

/** Mails requested by browsers on the pages, by network, for all addresses together. */
export const mailsOfNetwork = limit('ip-mail', {
  windowSeconds: 60 * 60,
  most: (settings, environment) => settings.mailsPerIp * factorOf(settings, environment),
})

/** A network that requests mails; those that the sandbox keeps are counted apart from those that are sent. */
export function mailNetworkKey({ mail }: Config, ip: string, environment: Environment): LimitKey {
  const isKept = environment === 'sandbox' && mail.isSandboxKept
  return isKept ? { ...networkKey(ip), environment } : networkKey(ip)
}

/** Developers who try a sign-in over and over ask for many mails, and kept ones reach nobody. */
function factorOf({ sandboxMailFactor }: Config['limits'], environment: string): number {
  return environment === 'sandbox' ? sandboxMailFactor : 1
}
