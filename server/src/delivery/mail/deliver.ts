import type { MailName } from '@portico/contract/log-events'
import type { Deps } from '../deps.js'
import { logEvent } from '../log-events/log-event.js'
import { replyOf } from '../../platform/mail/mail-server-error.js'
import type { Mail } from '../../platform/mail/mailer.js'
import { keepMessage, type MessageScope } from './keep-message.js'

/** A mail, and which one it is, as the account's log names it. */
export interface NamedMail extends Mail {
  readonly name: MailName
}

/**
 * Sends a mail, or keeps it in the outbox: sandbox mail, so that a test never reaches a stranger, and any mail of a
 * service that is reachable only from this machine and has no mail server. The account's log has each attempt at the mail
 * server: support looks there for a mail that did not come.
 *
 * @param mail Its messageId is a UUID; a kept mail replaces that of an earlier attempt.
 * @throws Error when the mail server refuses the mail.
 */
export async function deliverMail(
  deps: Pick<Deps, 'config' | 'db' | 'mail' | 'metrics' | 'now'>,
  scope: MessageScope,
  { name, ...mail }: NamedMail,
): Promise<void> {
  const { isProduction, mail: settings } = deps.config
  const isKeptForTests = scope.environment === 'sandbox' && settings.isSandboxKept
  const isKeptForWant = settings.smtpUrl === undefined && !isProduction
  if (isKeptForTests || isKeptForWant) {
    const { messageId: id, to: recipient, subject, text, html } = mail
    await keepMessage(deps, scope, { id, channel: 'mail', recipient, email: recipient, subject, text, html })
    return
  }
  const { accountId, environment, organizationId, domain } = scope
  const place = { accountId, environment, organizationId, domain }
  const entry = { ...place, email: mail.to, requestId: mail.messageId }
  try {
    await deps.mail.send(mail)
  } catch (error) {
    await logEvent(deps, deps.db, { ...entry, code: 'MAIL_FAILED', reason: `${name}: ${replyOf(error)}` })
    throw error
  }
  await logEvent(deps, deps.db, { ...entry, code: 'MAIL_SENT', reason: name })
}
