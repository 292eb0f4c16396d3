import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'
import type { JobPayloads } from '../../delivery/jobs/job-names.js'
import { deliverMail } from '../../delivery/mail/deliver.js'
import { invitationMail } from '../../delivery/mail/messages.js'
import { invitationUrl } from './create-invitation.js'

const dayMs = 24 * 60 * 60 * 1000

/**
 * Mails an invitation that is pending still. Its token is made here, so that only the kept mail of a sandbox contains it; another
 * attempt makes another token, and ends the one before.
 *
 * @throws Error when the mail server does not accept the mail.
 */
export async function sendInvitation(
  deps: Deps,
  { invitationId, messageId, ...owner }: JobPayloads['send_invitation'],
): Promise<void> {
  const token = randomSecret()
  const at = deps.now()
  const invitation = await deps.db
    .updateTable('invitations')
    .set({ token_hash: hashSecret(token) })
    .from('organizations')
    .where(ofOwner(owner, 'invitations'))
    .where('invitations.id', '=', invitationId)
    .where('invitations.is_url_returned', '=', false)
    .where('invitations.state', '=', 'pending')
    .where('invitations.expires_at', '>', at)
    .where(isOrganizationOf('organizations', 'invitations'))
    .where('organizations.deleted_at', 'is', null)
    .returning([
      'invitations.email',
      'invitations.locale as invited_locale',
      'invitations.message',
      'invitations.expires_at',
      'organizations.domain',
      'organizations.name',
      'organizations.locale',
      'organizations.color',
      productNameOf('organizations').as('product_name'),
    ])
    .executeTakeFirst()
  // Accepted, revoked or expired before the job ran.
  if (invitation === undefined) return

  const { email, domain, name, color, product_name: fromName } = invitation
  const message = invitationMail({
    organizationName: name,
    locale: invitation.invited_locale ?? invitation.locale,
    productName: fromName ?? deps.config.productName,
    link: invitationUrl(deps.config.baseUrl, domain, token),
    days: Math.max(1, Math.round((invitation.expires_at.getTime() - at.getTime()) / dayMs)),
    message: invitation.message,
    environment: owner.environment,
    color,
  })
  await deliverMail(
    deps,
    { ...owner, domain },
    { ...message, name: 'invitation', to: email, fromName, messageId },
  )
}
