import type { Mail, Mailer } from './mailer.js'

/** A mailer for tests that records mails and sends nothing. */
export function createRecordingMailer(): Mailer & { readonly sent: Mail[] } {
  const sent: Mail[] = []
  return {
    sent,
    send(mail) {
      sent.push(mail)
      return Promise.resolve()
    },
    close: () => undefined,
  }
}
