import type { Environment } from '@portico/contract/fields'
import { organizationColors } from '@portico/contract/organizations'
import type { Deps } from '../../delivery/deps.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { magicLinkMail } from '../../delivery/mail/messages.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { listEntries } from './entries.js'

/** The key of what waits for its link. */
interface ChallengeKey {
  readonly accountId: string
  readonly environment: Environment
  readonly challengeId: string
}

/** A mailbox to prove, with the look of its account and the name of the application. */
interface ProvingMail {
  /** Of the account. */
  readonly domain: string
  readonly product_name: string | null
  readonly color: string | null
  readonly locale: string | null
  readonly application_id: string
  readonly name: string
  readonly email: string
  readonly email_normalized: string
  readonly expires_at: Date
}

interface LinkToMail {
  readonly linkOf: (token: string) => string
  /** Stores the digest of the token. @returns Whether the challenge is still open. */
  readonly keep: (tokenHash: Buffer) => Promise<boolean>
}

/**
 * Mails a link that proves a mailbox, where its address can enter an organization; else nothing, as nobody who asked learns.
 * The token is made here, so that only the kept mail of a sandbox contains it.
 *
 * @throws Error when the mail server does not accept the mail.
 */
export async function mailProvingLink(
  deps: Deps,
  { accountId, environment, challengeId }: ChallengeKey,
  open: ProvingMail,
  { linkOf, keep }: LinkToMail,
): Promise<void> {
  const { domain, application_id: applicationId, email, email_normalized: emailNormalized } = open
  const { product_name: fromName } = open
  const mailbox = { accountId, environment, applicationId, emailNormalized, onlyDomain: null }
  const entries = await listEntries(deps, mailbox)
  if (entries.length === 0) {
    await logEvent(deps, deps.db, {
      accountId,
      environment,
      domain,
      code: 'ACCOUNT_SIGN_IN_NOT_OFFERED',
      clientId: applicationId,
      email,
      requestId: challengeId,
    })
    return
  }
  const token = randomSecret()
  if (!(await keep(hashSecret(token)))) return
  const message = magicLinkMail({
    purpose: 'sign_in',
    organizationName: open.name,
    locale: open.locale,
    productName: fromName ?? deps.config.productName,
    link: linkOf(token),
    minutes: Math.max(1, Math.round((open.expires_at.getTime() - deps.now().getTime()) / 60_000)),
    environment,
    color: open.color ?? organizationColors[0],
  })
  const scope = { accountId, environment, organizationId: null, domain }
  await deliverMail(deps, scope, {
    ...message,
    name: 'sign_in_link',
    to: email,
    fromName,
    messageId: challengeId,
  })
}
