import type { Environment } from '@portico/contract/fields'
import type { Deps } from '../deps.js'
import { normalizeEmail } from '../../platform/email.js'
import type { Mail } from '../../platform/mail/mailer.js'

/** The tenant of a mail. */
interface MailScope {
  readonly accountId: string
  readonly environment: Environment
  readonly organizationId: string | null
  /** Domain of the organization, or of the account. */
  readonly domain: string
}

/**
 * Sends a mail, or keeps it in the outbox: sandbox mail, so that a test never reaches a stranger, and any mail of a
 * service that is reachable only from this machine and has no mail server.
 *
 * @param mail Its messageId is a UUID; a kept mail replaces that of an earlier attempt.
 * @throws Error when the mail server refuses the mail.
 */
export async function deliverMail(
  deps: Pick<Deps, 'config' | 'db' | 'mail' | 'now'>,
  scope: MailScope,
  mail: Mail,
): Promise<void> {
  const { isProduction, mail: settings } = deps.config
  const isKeptForTests = scope.environment === 'sandbox' && settings.isSandboxKept
  const isKeptForWant = settings.smtpUrl === undefined && !isProduction
  if (isKeptForTests || isKeptForWant) await keepMail(deps, scope, mail)
  else await deps.mail.send(mail)
}

async function keepMail({ db, now }: Pick<Deps, 'db' | 'now'>, scope: MailScope, mail: Mail): Promise<void> {
  const content = {
    recipient: mail.to,
    email_normalized: normalizeEmail(mail.to),
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    inserted_at: now(),
  }
  await db
    .insertInto('outbox_messages')
    .values({
      account_id: scope.accountId,
      environment: scope.environment,
      id: mail.messageId,
      organization_id: scope.organizationId,
      domain: scope.domain,
      channel: 'mail',
      ...content,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'environment', 'id']).doUpdateSet(content))
    .execute()
}
