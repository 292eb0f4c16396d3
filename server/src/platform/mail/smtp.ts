import { createTransport } from 'nodemailer'

/** How long to wait for a mail server. */
interface SmtpTimeouts {
  readonly connectMs: number
  /** Between two of its answers. */
  readonly silenceMs: number
}

/**
 * Connections to the mail server of an SMTP_URL. A password is sent over TLS or not at all, unless the address itself
 * says `?requireTLS=false`.
 */
export function openSmtp(smtpUrl: string, { connectMs, silenceMs }: SmtpTimeouts) {
  const url = new URL(smtpUrl)
  if (url.password !== '' && !url.searchParams.has('requireTLS')) url.searchParams.set('requireTLS', 'true')
  return createTransport({
    url: url.href,
    pool: true,
    maxConnections: 4,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    // A mail is text made here; nothing in it may make the server read files or addresses.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}
