import type { Deps } from '../deps.js'
import { keepMessage, type MessageScope } from './keep-message.js'
import type { Mail } from '../../platform/mail/mailer.js'

/**
 * Sends a mail, or keeps it in the outbox: sandbox mail, so that a test never reaches a stranger, and any mail of a
 * service that is reachable only from this machine and has no mail server.
 *
 * @param mail Its messageId is a UUID; a kept mail replaces that of an earlier attempt.
 * @throws Error when the mail server refuses the mail.
 */
export async function deliverMail(
  deps: Pick<Deps, 'config' | 'db' | 'mail' | 'now'>,
  scope: MessageScope,
  mail: Mail,
): Promise<void> {
  const { isProduction, mail: settings } = deps.config
  const isKeptForTests = scope.environment === 'sandbox' && settings.isSandboxKept
  const isKeptForWant = settings.smtpUrl === undefined && !isProduction
  if (isKeptForTests || isKeptForWant) {
    const { messageId: id, to: recipient, subject, text, html } = mail
    await keepMessage(deps, scope, { id, channel: 'mail', recipient, email: recipient, subject, text, html })
  } else await deps.mail.send(mail)
}
