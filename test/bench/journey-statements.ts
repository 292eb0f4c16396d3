/** The statements of a sign-in by magic link as the service sends them, for the bare server. */

const organizationId =
  '(select id from organizations where account_id = $1 and domain = $3 and deleted_at is null)'

export const findAddressee = `
  select organizations.domain, allowed_email_domains, connection.active, find_or_create_user, users.id as user_id,
    users.active as is_user_active
  from organizations
  join magic_link_connections connection on connection.account_id = organizations.account_id
    and connection.environment = $2 and connection.organization_id = organizations.id
  left join users on users.account_id = organizations.account_id and users.environment = $2
    and users.organization_id = organizations.id and users.email_normalized = $4 and users.deleted_at is null
  where organizations.account_id = $1 and organizations.deleted_at is null and organizations.domain = $3 limit 2`

/** What findApplication finds. */
export interface ApplicationRow {
  readonly id: string
  readonly default_redirect_uri_after_login: string
}

export const findApplication = `
  select id, allowed_redirect_urls, default_redirect_uri_after_login, code_exchange
  from applications
  where account_id = $1 and environment = $2 and ${organizationId} is not null
    and (organization_id is null or organization_id = ${organizationId}) and deleted_at is null
  order by coalesce($4::text = any(allowed_redirect_urls), false) desc, default_redirect_uri_after_login is null,
    inserted_at, id
  limit 1`

export const lockLinks = `select pg_advisory_xact_lock(hashtextextended(concat_ws(':', $1::text, $2::text, $3::text, $4::text), 0))`

export const insertChallenge = `
  insert into magic_link_challenges (
    account_id, environment, organization_id, id, application_id, email, email_normalized, redirect_uri,
    find_or_create_user, is_link_returned, token_hash, scope, expires_at, inserted_at
  )
  values ($1, $2, ${organizationId}, $4, $5, $6, $6, $7, false, true, $8, 'openid magic_link', $9, $10)
  returning id, organization_id, email, find_or_create_user, expires_at`

export const voidOlder = `
  update magic_link_challenges set voided_at = $7
  where account_id = $1 and environment = $2 and organization_id = ${organizationId} and id = any(array(
    select id from magic_link_challenges
    where account_id = $1 and environment = $2 and organization_id = ${organizationId} and email_normalized = $4
      and application_id = $5 and id <> $6 and used_at is null and voided_at is null
    order by inserted_at desc, id desc offset 2
  ))`

export const insertEvent = `
  insert into events (
    account_id, environment, id, organization_id, domain, code, data, params, actor_type, actor_id, request_id,
    subject_id, issued_at
  )
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

export const findOpenLink = `
  select challenge.email, challenge.environment, challenge.redirect_uri, challenge.is_link_returned
  from magic_link_challenges challenge
  join organizations on organizations.account_id = challenge.account_id
    and organizations.id = challenge.organization_id
  where challenge.token_hash = $1 and challenge.used_at is null and challenge.voided_at is null
    and challenge.expires_at > $2 and organizations.domain = $3 and organizations.deleted_at is null`

export const findPageOrganization =
  'select domain, name, locale, color from organizations where domain = $1 and deleted_at is null'

export const lockLink = `
  select pg_advisory_xact_lock(hashtextextended(concat_ws(':', environment, application_id, email_normalized), 0))
  from magic_link_challenges where token_hash = $1`

export const spendLink = `
  update magic_link_challenges challenge set used_at = $1
  from organizations, accounts, magic_link_connections connection, applications
  where challenge.token_hash = $2 and challenge.used_at is null and challenge.voided_at is null
    and challenge.expires_at > $1 and organizations.domain = $3 and organizations.deleted_at is null
    and organizations.account_id = challenge.account_id and organizations.id = challenge.organization_id
    and accounts.id = challenge.account_id and connection.account_id = challenge.account_id
    and connection.environment = challenge.environment and connection.organization_id = challenge.organization_id
    and applications.account_id = challenge.account_id and applications.environment = challenge.environment
    and applications.id = challenge.application_id
  returning challenge.account_id, challenge.environment, challenge.organization_id, challenge.id,
    challenge.application_id, challenge.email, challenge.email_normalized, challenge.redirect_uri, challenge.scope,
    challenge.expires_at, organizations.domain, organizations.allowed_email_domains, connection.active`

export const findUser = `
  select id, active, email_verified from users
  where account_id = $1 and environment = $2 and organization_id = ${organizationId} and deleted_at is null
    and email_normalized = $4
  for no key update`

export const voidSiblings = `
  update magic_link_challenges set voided_at = $1
  where account_id = $2 and environment = $3 and organization_id = $4 and email_normalized = $5
    and application_id = $6 and used_at is null and voided_at is null`

export const insertSession = `
  insert into sessions (
    account_id, environment, organization_id, id, user_id, application_id, amr, authenticated_at, expires_at,
    last_used_at, user_agent, secret_hash, act
  )
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8, $10, $11, $12)`

export const insertCode = `
  insert into authorization_codes (
    account_id, environment, organization_id, id, session_id, user_id, application_id, redirect_uri, code_hash,
    code_challenge, nonce, state, scope, amr, authenticated_at, expires_at
  )
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`

export const isMetadataMissing = `
  select exists (
    select from meta_keys required_key
    where required_key.account_id = $1 and required_key.organization_id = ${organizationId} and required_key.required
      and not exists (
        select from user_metadata data
        where data.account_id = required_key.account_id and data.environment = $2
          and data.organization_id = required_key.organization_id and data.user_id = $4
          and data.meta_key_id = required_key.id
      )
  ) as is_missing`
