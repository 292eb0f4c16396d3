import type { Config } from '../config/config.js'
import { displayName } from '../display-name.js'
import { MailServerError } from './mail-server-error.js'
import { openSmtp } from './smtp.js'

export interface Mail {
  readonly to: string
  /** What the account calls its product, for the name of the sender; null: as the operator's settings say. */
  readonly fromName: string | null
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
  const sender = readSender(from)
  const transport = openSmtp(smtpUrl, { connectMs: answerTimeoutMs, silenceMs: silenceTimeoutMs })
  return {
    async send({ to, fromName, subject, text, html, messageId }) {
      const name = displayName(fromName ?? '') || sender.name || displayName(config.productName)
      const sending = transport.sendMail({
        from: { name, address: sender.address },
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

/** The parts of a MAIL_FROM, whose form the settings have checked; an address alone has no name. */
function readSender(from: string): { readonly name: string; readonly address: string } {
  const [, name = '', address = from] = /^(.*)<(.*)>$/.exec(from) ?? []
  return { name: name.trim().replace(/^"(.*)"$/, '$1'), address }
}
