import { sql } from 'kysely'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { magicLinkMail } from '../../delivery/mail/messages.js'
import { magicLinkUrl } from './insert-link.js'
import { purposeOf } from '../../platform/link-purpose.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'

/**
 * Mails the link of a challenge that is still open. The token is made here, so that only the kept mail of a sandbox
 * contains it; a retry makes another token and invalidates the earlier one. An address whose link would lead nowhere
 * gets no mail.
 *
 * @throws Error when the mail server does not accept the mail.
 */
export async function sendMagicLink(deps: Deps, payload: JobPayloads['send_magic_link']): Promise<void> {
  const token = randomSecret()
  const at = deps.now()
  const challenge = await deps.db
    .updateTable('magic_link_challenges as challenge')
    .set({ token_hash: hashSecret(token) })
    .from('organizations')
    .where(ofOwner(payload, 'challenge'))
    .where('challenge.id', '=', payload.challengeId)
    .where('challenge.is_link_returned', '=', false)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', at)
    .where(isOrganizationOf('organizations', 'challenge'))
    .where('organizations.deleted_at', 'is', null)
    .where(isOfSomebody)
    .returning([
      'challenge.id',
      'challenge.email',
      'challenge.expires_at',
      'challenge.password_request_id',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  // Voided, expired or without a user: there is nothing to send.
  if (challenge === undefined) return logExpired(deps, payload, at)

  const { id, email, domain, name, locale, color, product_name: fromName } = challenge
  const message = magicLinkMail({
    purpose: purposeOf(challenge.password_request_id),
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    link: magicLinkUrl(deps.config.baseUrl, domain, token),
    minutes: Math.max(1, Math.round((challenge.expires_at.getTime() - at.getTime()) / 60_000)),
    environment: payload.environment,
    color,
  })
  await deliverMail(deps, { ...payload, domain }, { ...message, to: email, fromName, messageId: id })
}

/** Logs that the mail came too late, for example because the mail server was away: its user waits for it. */
async function logExpired(
  { db, log }: Pick<Deps, 'db' | 'log'>,
  payload: JobPayloads['send_magic_link'],
  at: Date,
): Promise<void> {
  const expired = await db
    .selectFrom('magic_link_challenges as challenge')
    .where(ofOwner(payload, 'challenge'))
    .where('challenge.id', '=', payload.challengeId)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '<=', at)
    .select('challenge.id')
    .executeTakeFirst()
  if (expired) log.warn({ challenge_id: expired.id }, 'a link expired before its mail was sent')
}

/** Whether the address has an active user, or may get one. */
const isOfSomebody = sql<boolean>`coalesce(
  (
    select users.active from users
    where users.account_id = challenge.account_id
      and users.environment = challenge.environment
      and users.organization_id = challenge.organization_id
      and users.email_normalized = challenge.email_normalized
      and users.deleted_at is null
  ),
  challenge.find_or_create_user
)`
