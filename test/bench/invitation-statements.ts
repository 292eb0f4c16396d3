/** The statements of an invitation for the bare server, one for each thing that is read or written. */

const ofOrganization = (alias: string) =>
  `${alias}.account_id = $1 and ${alias}.environment = $2 and ${alias}.organization_id = $3`

/** The organization as its page calls it: that of staff as the account is called. */
export const findInviter = `
  select organizations.domain, coalesce(accounts.domain, organizations.name) as name, organizations.locale,
    organizations.color
  from organizations
  left join staff_organizations staff on staff.staff_account_id = organizations.account_id
    and staff.staff_organization_id = organizations.id
  left join accounts on accounts.id = staff.account_id
  where organizations.domain = $1 and organizations.deleted_at is null`

const openInvitation = `
  from invitations
  join organizations on organizations.account_id = invitations.account_id
    and organizations.id = invitations.organization_id
  where invitations.token_hash = $1 and invitations.state = 'pending' and invitations.expires_at > $2
    and organizations.domain = $3 and organizations.deleted_at is null`

export const findInvitation = `
  select invitations.account_id, invitations.environment, invitations.organization_id, invitations.email
  ${openInvitation}`

export const lockInvitation = `
  select invitations.account_id, invitations.environment, invitations.organization_id, organizations.domain,
    invitations.id, invitations.email, invitations.email_normalized, invitations.role_ids, invitations.profile,
    invitations.is_url_returned, invitations.inviter_type, invitations.inviter_id, invitations.expires_at,
    invitations.last_sent_at, invitations.sends, invitations.inserted_at, array(
      select roles.name from roles
      where roles.account_id = invitations.account_id and roles.environment = invitations.environment
        and roles.id = any(invitations.role_ids)
      order by roles.name
    ) as roles
  ${openInvitation}
  for no key update of invitations`

export const findWays = `
  select exists (select from magic_link_connections way where ${ofOrganization('way')} and way.active) as has_link,
    exists (select from password_connections way where ${ofOrganization('way')} and way.active) as has_password,
    exists (select from sso_connections way where ${ofOrganization('way')} and way.active) as has_sso,
    exists (select from social_connections way where ${ofOrganization('way')}) as has_social`

export const findKnownUser = `
  select id from users
  where ${ofOrganization('users')} and email_normalized = $4 and deleted_at is null
  for no key update`

/** What the organization asks of a new member. */
export const findRules = `
  select organizations.allowed_email_domains, policy.seats_limit, exists (
    select from domains
    where ${ofOrganization('domains')} and domains.sso_required
      and domains.domain = substring($4 from '[^@]*$')
  ) as is_sso_required
  from organizations
  left join organization_policies policy on ${ofOrganization('policy')}
  where organizations.account_id = $1 and organizations.id = $3`

export const insertInvited = `
  insert into users (
    account_id, environment, organization_id, id, active, email, email_normalized, email_verified, email_proved_at,
    phone_numbers, profile, address, avatar_hexa_color, inserted_at, updated_at
  )
  values ($1, $2, $3, $4, true, $5, $6, true, $7, '[]', $8, '{}', $9, $7, $7)`

export const acceptInvitation = `
  update invitations
  set state = 'accepted', user_id = $5, accepted_at = $6, ended_at = $6, updated_at = $6, version = version + 1
  where ${ofOrganization('invitations')} and id = $4 and state = 'pending'`

export const giveRoles = `
  insert into role_assignments (
    account_id, environment, organization_id, user_id, role_id, source, source_id, inserted_at
  )
  select account_id, environment, $3::uuid, $4::uuid, id, 'invitation', $5::uuid, $6::timestamptz
  from roles
  where account_id = $1 and environment = $2 and id = any($7::uuid[])
    and (organization_id is null or organization_id = $3)`

/** Whether a second factor is asked of a user. */
export const findDemand = `
  select exists (
    select from totp_connections totp
    join totp_enrollments enrollment on ${ofOrganization('enrollment')} and enrollment.user_id = $4
      and enrollment.validated_at is not null
    where ${ofOrganization('totp')} and totp.active
  ) or exists (
    select from organization_policies policy where ${ofOrganization('policy')} and policy.second_factor = 'required'
  ) or exists (
    select from passkey_connections demand
    where ${ofOrganization('demand')} and demand.active and demand.requirement = 'required'
  ) as is_asked`

/** At its last step, since the mailbox is the only factor. */
export const insertFlow = `
  insert into sign_in_flows (
    account_id, environment, organization_id, id, application_id, browser_hash, redirect_uri, scope, is_mfa_required,
    step, email, email_normalized, user_id, amr, authenticated_at, is_idp_initiated, invitation_id,
    is_invitation_mailed, is_passkey_capable, expires_at, inserted_at
  )
  values ($1, $2, $3, $4, $5, $6, $7, 'openid', false, 'ready', $8, $9, $10, array['email'], $11, true, $12, true, $13,
    $14, $11)`

export const findFlow = `
  select flow.account_id, flow.environment, flow.organization_id, flow.step, flow.is_passkey_capable
  from sign_in_flows flow
  join organizations on organizations.account_id = flow.account_id and organizations.id = flow.organization_id
  where flow.id = $1 and flow.browser_hash = $2 and flow.used_at is null and flow.expires_at > $3
    and organizations.domain = $4 and organizations.deleted_at is null`

export const isPasskeyOffered = `
  select exists (
    select from passkey_connections connection
    where ${ofOrganization('connection')} and connection.active and connection.first_factor
      and connection.prompt in ('after_sign_in', 'after_account_change')
  ) as is_offered`

export const consumeFlow = `
  update sign_in_flows flow set used_at = $3
  from organizations, applications
  where flow.id = $1 and flow.browser_hash = $2 and flow.step = 'ready' and flow.used_at is null
    and flow.expires_at > $3 and organizations.account_id = flow.account_id
    and organizations.id = flow.organization_id and organizations.domain = $4 and organizations.deleted_at is null
    and applications.account_id = flow.account_id and applications.environment = flow.environment
    and applications.id = flow.application_id and applications.deleted_at is null
    and flow.redirect_uri = any(applications.allowed_redirect_urls)
  returning flow.account_id, flow.environment, flow.organization_id, flow.application_id, flow.redirect_uri,
    flow.scope, flow.user_id, flow.amr, flow.authenticated_at, organizations.domain`

export const lockSigningIn = `
  select email from users where ${ofOrganization('users')} and id = $4 and active and deleted_at is null
  for no key update`
