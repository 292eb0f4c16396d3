import { limit } from '../limits/limits.js'

/** Mails to an address of an organization. */
export const mails = limit('mail', { windowSeconds: 15 * 60, most: (settings) => settings.mailsPerAddress })

/** Mails requested by browsers on the pages, by network, for all addresses together. */
export const mailsOfNetwork = limit('ip-mail', {
  windowSeconds: 60 * 60,
  most: (settings) => settings.mailsPerIp,
})
