import type { Config } from '../config/config.js'
import { MailServerError } from './mail-server-error.js'
import { openSmtp } from './smtp.js'

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same over retries, so that a receiver can recognize a repetition. */
  readonly messageId: string
}

export interface Mailer {
  /** @throws MailServerError when the mail server refuses the mail; the job tries again. */
  send(mail: Mail): Promise<void>
  close(): void
}

/** A server that is silent this long fails the attempt, so that the next ones still come within the link's lifetime. */
const answerTimeoutMs = 10_000
/** Longer, because a server may scan a mail before it accepts it. */
const silenceTimeoutMs = 60_000

/** Sends by SMTP. Without SMTP_URL every mail fails, which the configuration excludes in production. */
export function openMailer(config: Config): Mailer {
  const { smtpUrl, from } = config.mail
  if (smtpUrl === undefined) {
    return {
      send: () => Promise.reject(new Error('SMTP_URL is not set')),
      close: () => undefined,
    }
  }
  const transport = openSmtp(smtpUrl, { connectMs: answerTimeoutMs, silenceMs: silenceTimeoutMs })
  return {
    async send({ to, subject, text, html, messageId }) {
      const sending = transport.sendMail({
        from,
        // As an object: a string could name several recipients.
        to: { name: '', address: to },
        subject,
        text,
        html,
        messageId: `<${messageId}@${new URL(config.baseUrl).hostname}>`,
        headers: { 'Auto-Submitted': 'auto-generated' },
      })
      await sending.catch((error: unknown) => {
        throw new MailServerError(error)
      })
    },
    close: () => transport.close(),
  }
}
