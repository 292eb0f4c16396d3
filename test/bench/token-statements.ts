/** The statements of the token and authorization endpoints for the bare server, one for each thing that is read or written. */

const isApplicationUsable = (organizationId: string) =>
  `(applications.deleted_at is null and (applications.organization_id is null or applications.organization_id = ${organizationId}))`

/** What a code or a family belongs to, by its alias. */
const isWhole = (alias: string) => `
    sessions.account_id = ${alias}.account_id and sessions.environment = ${alias}.environment
    and sessions.organization_id = ${alias}.organization_id and sessions.id = ${alias}.session_id
    and sessions.user_id = ${alias}.user_id
    and users.account_id = ${alias}.account_id and users.environment = ${alias}.environment
    and users.organization_id = ${alias}.organization_id and users.id = ${alias}.user_id
    and applications.account_id = ${alias}.account_id and applications.environment = ${alias}.environment
    and applications.id = ${alias}.application_id
    and organizations.account_id = ${alias}.account_id and organizations.id = ${alias}.organization_id
    and accounts.id = ${alias}.account_id`

export const spendCode = `
  update authorization_codes code set used_at = $1
  from sessions, users, applications, organizations, accounts
  where code.code_hash = $2 and code.used_at is null and code.expires_at > $1
    and sessions.ended_at is null and sessions.expires_at > $1 and ${isWhole('code')}
  returning code.account_id, code.environment, code.organization_id, code.session_id, code.user_id,
    code.application_id, code.redirect_uri, code.code_challenge, code.nonce, code.state, code.scope, code.amr,
    sessions.act, code.authenticated_at, users.email_normalized,
    (users.active and users.deleted_at is null) as is_user_active, applications.name as application_name,
    applications.application_type, applications.code_exchange, applications.allowed_origins_cors,
    applications.access_token_lifetime_in_seconds, applications.token_signing_alg,
    ${isApplicationUsable('code.organization_id')} as is_application_usable, organizations.domain,
    organizations.allowed_email_domains, (organizations.deleted_at is null) as is_organization_there,
    accounts.domain as account_domain`

/** The application of a code is told when its session ends. */
export const recordSessionClient = `
  insert into session_clients (
    account_id, environment, organization_id, session_id, application_id, issuer, first_used_at, last_used_at
  )
  values ($1, $2, $3, $4, $5, $6, $7, $7)
  on conflict (account_id, organization_id, environment, session_id, application_id)
  do update set issuer = excluded.issuer, last_used_at = excluded.last_used_at`

/** Of a public client that asks for no fewer scopes, from outside of a browser. */
export const rotateFamily = `
  with spent as (
    update refresh_token_families family set
      token_hash = case when family.token_hash = $2 then $3 else family.token_hash end,
      previous_token_hash = $2,
      rotated_at = case when family.token_hash = $2 then $5 else family.rotated_at end
    from sessions, users, applications, organizations, accounts
    where family.family_hash = $1
      and (family.token_hash = $2 or (family.previous_token_hash = $2 and family.rotated_at > $4))
      and family.ended_at is null and family.expires_at > $5 and ${isWhole('family')}
      and sessions.ended_at is null and users.active and users.deleted_at is null
      and organizations.deleted_at is null and ${isApplicationUsable('family.organization_id')}
      and (
        coalesce(cardinality(organizations.allowed_email_domains), 0) = 0
        or substring(users.email_normalized from '[^@]*$') = any(organizations.allowed_email_domains)
      )
      and organizations.domain = $6 and family.application_id::text = $7
      and applications.code_exchange <> 'api_key'
    returning family.account_id, accounts.domain as account_domain, family.environment, family.organization_id,
      organizations.domain, family.session_id, family.user_id, family.application_id,
      applications.name as application_name, applications.application_type,
      applications.access_token_lifetime_in_seconds, applications.token_signing_alg,
      family.scope, family.amr, sessions.act, family.authenticated_at, family.token_hash
  ), used as (
    update sessions set last_used_at = $5
    from spent
    where sessions.account_id = spent.account_id and sessions.environment = spent.environment
      and sessions.organization_id = spent.organization_id and sessions.id = spent.session_id
  )
  select * from spent`

export const insertLog = `
  insert into log_events (
    account_id, environment, organization_id, domain, event_code, client_id, email, email_normalized,
    resource_owner_id, request_id, inserted_at
  )
  values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $9, $10)`

export const findSigningKey = `
  select kid, private_key_sealed from signing_keys
  where account_id = $1 and environment = $2 and organization_id = $3 and algorithm = 'ES256' and state = 'active'`

export const findClient = `
  select organizations.account_id, accounts.domain as account_domain, applications.environment,
    organizations.id as organization_id, organizations.domain, organizations.allowed_email_domains, applications.id,
    applications.allowed_redirect_urls, applications.allowed_web_origins, totp_connections.active as is_totp_active
  from organizations
  join accounts on accounts.id = organizations.account_id
  join applications on applications.account_id = organizations.account_id
    and applications.environment in ('sandbox', 'production') and applications.id = $2
  join totp_connections on totp_connections.account_id = organizations.account_id
    and totp_connections.environment = applications.environment
    and totp_connections.organization_id = organizations.id
  where organizations.domain = $1 and organizations.deleted_at is null
    and ${isApplicationUsable('organizations.id')}`

export const findSession = `
  select sessions.id, sessions.user_id, users.email, sessions.amr, sessions.authenticated_at
  from sessions
  join users on users.account_id = sessions.account_id and users.environment = sessions.environment
    and users.organization_id = sessions.organization_id and users.id = sessions.user_id
  where sessions.account_id = $1 and sessions.environment = $2 and sessions.organization_id = $3
    and sessions.secret_hash = $4 and sessions.ended_at is null and sessions.expires_at > $5
    and sessions.last_used_at > $6 and users.active = true and users.deleted_at is null`

export const insertSessionCode = `
  with used as (
    update sessions set last_used_at = $7
    where account_id = $1 and environment = $2 and organization_id = $3 and id = $5 and secret_hash = $6
      and ended_at is null and expires_at > $7 and last_used_at > $8
    returning id, user_id, amr, authenticated_at
  ), code as (
    insert into authorization_codes (
      account_id, environment, organization_id, id, session_id, user_id, application_id, redirect_uri, code_hash,
      code_challenge, nonce, state, scope, amr, authenticated_at, expires_at
    )
    select $1::uuid, $2::text, $3::uuid, $9::uuid, used.id, used.user_id, $10::uuid, $11::text, $12::bytea,
      $13::text, $14::text, $15::text, $16::text, used.amr, used.authenticated_at, $17::timestamptz
    from used
  ), logged as (
    insert into log_events (
      account_id, environment, organization_id, domain, event_code, client_id, email, email_normalized,
      resource_owner_id, request_id, inserted_at
    )
    select $1::uuid, $2::text, $3::uuid, $4::text, 'END_USER_SIGN_IN_SUCCESS', $10::uuid, $18::text, $18::text,
      used.user_id, $19::text, $7::timestamptz
    from used
  )
  select used.id from used`
