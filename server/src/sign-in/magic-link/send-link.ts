import { sql } from 'kysely'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { magicLinkMail } from '../../delivery/mail/messages.js'
import { magicLinkUrl } from './insert-link.js'
import { isInvited } from '../../directory/pending-invitations/pending.js'
import { mayJoin } from '../../directory/organization-policy/joining.js'
import { purposeOf } from '../../platform/link-purpose.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'

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
    .where(isOfSomebody(at))
    .returning([
      'challenge.id',
      'challenge.email',
      'challenge.expires_at',
      'challenge.password_request_id',
      'organizations.domain',
      'organizations.name',
      localeOfLink().as('locale'),
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  if (challenge === undefined) return logUnsent(deps, payload, at)

  const { id, email, domain, name, locale, color, product_name: fromName } = challenge
  const purpose = purposeOf(challenge.password_request_id)
  const message = magicLinkMail({
    purpose,
    organizationName: name,
    locale,
    productName: fromName ?? deps.config.productName,
    link: magicLinkUrl(deps.config.baseUrl, domain, token),
    minutes: Math.max(1, Math.round((challenge.expires_at.getTime() - at.getTime()) / 60_000)),
    environment: payload.environment,
    color,
  })
  const mail = { ...message, name: purpose === 'password' ? 'password_link' : 'sign_in_link' } as const
  await deliverMail(deps, { ...payload, domain }, { ...mail, to: email, fromName, messageId: id })
}

/** The language of the pages that have asked for the link, where their application has named one; else that of the organization. */
function localeOfLink() {
  return sql<string | null>`coalesce(
    (
      select nullif(split_part(flow.locale, ' ', 1), '') from sign_in_flows as flow
      where ${sameTenant('flow', 'challenge')} and flow.id = challenge.flow_id
    ),
    organizations.locale
  )`
}

/**
 * Tells operators that the mail came too late, for example because the mail server was away, and developers that the link of the
 * address would lead nowhere, which no page tells. Nothing is told of a link that was voided or used.
 */
async function logUnsent(deps: Deps, payload: JobPayloads['send_magic_link'], at: Date): Promise<void> {
  const unsent = await deps.db
    .selectFrom('magic_link_challenges as challenge')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'challenge')))
    .where(ofOwner(payload, 'challenge'))
    .where('challenge.id', '=', payload.challengeId)
    .where('challenge.is_link_returned', '=', false)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'challenge.account_id',
      'challenge.environment',
      'challenge.organization_id',
      'organizations.domain',
      'challenge.application_id',
      'challenge.email',
      'challenge.expires_at',
      isUserActive.as('is_user_active'),
      isOfSomebody(at).as('is_of_somebody'),
    ])
    .executeTakeFirst()
  if (unsent === undefined) return
  if (unsent.expires_at <= at) {
    deps.log.warn({ challenge_id: payload.challengeId }, 'a link expired before its mail was sent')
    return
  }
  // The user was created since, and asks again.
  if (unsent.is_of_somebody) return
  await logEventOf(deps, deps.db, unsent, {
    code: 'END_USER_MAGIC_LINK_NOT_SENT',
    reason: unsent.is_user_active === null ? 'user_not_found' : 'user_inactive',
    requestId: payload.challengeId,
  })
}

/** Whether the user of the address is active; null without one. */
const isUserActive = sql<boolean | null>`(
  select users.active from users
  where users.account_id = challenge.account_id
    and users.environment = challenge.environment
    and users.organization_id = challenge.organization_id
    and users.email_normalized = challenge.email_normalized
    and users.deleted_at is null
)`

/** Whether the address has an active user, or may get one: links create users, one is invited, or joins by its domain. */
function isOfSomebody(at: Date) {
  const address = {
    accountId: sql.ref<string>('challenge.account_id'),
    environment: sql.ref<string>('challenge.environment'),
    organizationId: sql.ref<string>('challenge.organization_id'),
    emailNormalized: sql.ref<string>('challenge.email_normalized'),
  }
  // Only the pages of a flow ask to join; whoever joins at once needs none.
  const isPage = sql<boolean>`challenge.flow_id is not null and challenge.password_request_id is null`
  return sql<boolean>`coalesce(
    ${isUserActive},
    challenge.find_or_create_user or ${isInvited(address, at)} or ${mayJoin(address, isPage)}
  )`
}
