import { organizationColors } from '@portico/contract/organizations'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { magicLinkMail } from '../../delivery/mail/messages.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'
import { emailLinkUrl } from './account-flow-url.js'
import { listEntries } from './entries.js'

/**
 * Mails the link of a challenge that is still open, where its address can enter an organization; else nothing, as nobody at the
 * page learns. The token is made here, so that only the kept mail of a sandbox contains it.
 *
 * @throws Error when the mail server does not accept the mail.
 */
export async function sendEmailLink(deps: Deps, payload: JobPayloads['send_email_link']): Promise<void> {
  const { accountId, environment, challengeId } = payload
  const at = deps.now()
  const open = await openChallenges(deps, payload, at)
    .innerJoin('accounts', 'accounts.id', 'challenge.account_id')
    .innerJoin('applications', (join) =>
      join
        .on(sameEnvironment('applications', 'challenge'))
        .onRef('applications.id', '=', 'challenge.application_id'),
    )
    .innerJoin('account_flows as flow', (join) =>
      join.on(sameEnvironment('flow', 'challenge')).onRef('flow.id', '=', 'challenge.flow_id'),
    )
    .select([
      'accounts.domain',
      'accounts.product_name',
      sql<string | null>`accounts.brand->>'color'`.as('color'),
      sql<string | null>`nullif(split_part(flow.request->>'ui_locales', ' ', 1), '')`.as('locale'),
      'applications.id as application_id',
      'applications.name',
      'challenge.email',
      'challenge.email_normalized',
      'challenge.expires_at',
    ])
    .executeTakeFirst()
  // Voided or expired: there is nothing to send.
  if (open === undefined) return
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
  const { numUpdatedRows } = await deps.db
    .updateTable('email_challenges')
    .set({ token_hash: hashSecret(token) })
    .where(ofEnvironment({ accountId, environment }))
    .where('id', '=', challengeId)
    .where('used_at', 'is', null)
    .where('voided_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return
  const message = magicLinkMail({
    purpose: 'sign_in',
    organizationName: open.name,
    locale: open.locale,
    productName: fromName ?? deps.config.productName,
    link: emailLinkUrl(deps.config.baseUrl, domain, token),
    minutes: Math.max(1, Math.round((open.expires_at.getTime() - at.getTime()) / 60_000)),
    environment,
    color: open.color ?? organizationColors[0],
  })
  const scope = { accountId, environment, organizationId: null, domain }
  await deliverMail(deps, scope, { ...message, to: email, fromName, messageId: challengeId })
}

function openChallenges(
  { db }: Pick<Deps, 'db'>,
  { accountId, environment, challengeId }: JobPayloads['send_email_link'],
  at: Date,
) {
  return db
    .selectFrom('email_challenges as challenge')
    .where(ofEnvironment({ accountId, environment }, 'challenge'))
    .where('challenge.id', '=', challengeId)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', at)
}
