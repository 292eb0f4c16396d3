import { limit } from '../limits/limits.js'

/** Mails to an address of an organization. */
export const mails = limit('mail', { windowSeconds: 15 * 60, most: (settings) => settings.mailsPerAddress })

/** Mails that browsers have sent from the pages, by network, whatever their address. */
export const mailsOfNetwork = limit('ip-mail', {
  windowSeconds: 60 * 60,
  most: (settings) => settings.mailsPerIp,
})
