import { sql } from 'kysely'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { productNameOf } from '../../platform/db/product-name.js'
import { isOrganizationOf, ofOwner, sameTenant } from '../../platform/db/tenant-predicate.js'
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
      accountOfStaff().as('account_of_staff'),
      inviterOfStaff().as('inviter'),
    ])
    .executeTakeFirst()
  // Accepted, revoked or expired before the job ran.
  if (invitation === undefined) return

  const { email, domain, name, color, product_name: fromName, account_of_staff: account } = invitation
  const message = invitationMail({
    organizationName: account ?? name,
    inviterToConsole: account === null ? undefined : invitation.inviter,
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

/** The name of the account whose staff are the users of the organization; null of an organization of customers. */
function accountOfStaff() {
  return sql<string | null>`(
    select accounts.domain from staff_organizations as staff
    join accounts on accounts.id = staff.account_id
    where staff.staff_account_id = organizations.account_id and staff.staff_organization_id = organizations.id
  )`
}

/** The name of the colleague who has invited a member of staff, or their address; null where it was an operator. */
function inviterOfStaff() {
  return sql<string | null>`(
    select coalesce(
      nullif(btrim(coalesce(inviter.profile->>'given_name', '') || ' ' || coalesce(inviter.profile->>'family_name', '')), ''), inviter.email
    )
    from users as inviter
    where ${sameTenant('inviter', 'invitations')}
      and inviter.id = case when invitations.inviter_type = 'staff' then invitations.inviter_id::uuid end
  )`
}
