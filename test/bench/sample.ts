import pg from 'pg'

export interface SampleSize {
  readonly organizations: number
  readonly users: number
  /**
   * `even`: all organizations have as many users. `skewed`: one has 3 users of 10, another 1 of 10, and the others share the
   * rest. `one-large`: the first has 10 of 11.
   */
  readonly shape: 'even' | 'skewed' | 'one-large'
  readonly events?: number
}

/** Where links of the sample's applications lead. */
export const redirectUri = 'https://store.example/callback'
/** Of the pages on which passkeys are used. */
export const passkeyOrigin = 'https://store.example'

/**
 * Fills an account with organizations `org-1`, `org-2` and so on and their users, as fast as Postgres takes rows; one
 * user in four has a metadata value. Users of one organization are spread over the table, as in life; the large organizations
 * have theirs in production alone, the others half in each environment.
 */
export async function insertSample(url: string, accountId: string, size: SampleSize): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(insertSlugs, [size.organizations, start])
    await client.query(insertOrganizations, [accountId, size.organizations, start])
    await client.query(insertConnections, [accountId, start])
    await client.query(insertTotpConnections, [accountId, start])
    await client.query(insertApplications, [accountId, start, redirectUri])
    await client.query(usersStatement(size), [accountId, size.users, start])
    await client.query(insertMetaKeys, [accountId, start])
    await client.query(insertMetadata, [accountId])
    if (size.events !== undefined) await insertEvents(client, accountId, size.events)
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
}

/** Organizations are made a second apart from here on, users ten seconds. */
const start = '2024-01-01T00:00:00Z'

const insertSlugs = `
  insert into slugs (slug, inserted_at)
  select 'org-' || n, $2 from generate_series(1, $1::integer) n`

const insertOrganizations = `
  insert into organizations (account_id, id, domain, name, color, inserted_at, updated_at)
  select $1, md5('organization' || n)::uuid, 'org-' || n, 'Organization ' || n, '#6d28d9', at, at
  from generate_series(1, $2::integer) n, lateral (select $3::timestamptz + n * interval '1 second' as at) moment`

const insertConnections = `
  insert into magic_link_connections (
    account_id, environment, organization_id, id, active, find_or_create_user, inserted_at, updated_at
  )
  select account_id, environment, id, md5(environment || id)::uuid, true, false, $2, $2
  from organizations, unnest(array['sandbox', 'production']) environment
  where account_id = $1`

const insertTotpConnections = `
  insert into totp_connections (
    account_id, environment, organization_id, active, method, expiry_in_seconds, inserted_at, updated_at
  )
  select account_id, environment, id, false, 'totp_mobile_app', 30, $2, $2
  from organizations, unnest(array['sandbox', 'production']) environment
  where account_id = $1`

/** Of the account's application in each environment. */
export const applicationName = 'Storefront'

const insertApplications = `
  insert into applications (
    account_id, environment, id, name, application_type, allowed_redirect_urls, allowed_origins_cors,
    allowed_logout_urls, allowed_web_origins, default_redirect_uri_after_login, access_token_lifetime_in_seconds,
    token_signing_alg, code_exchange, inserted_at, updated_at
  )
  select $1::uuid, environment, md5($1::uuid::text || environment)::uuid, '${applicationName}', 'regular_web', array[$3::text], '{}', '{}', '{}', $3,
    3600, 'ES256', 'open', $2, $2
  from unnest(array['sandbox', 'production']) environment`

/** Every organization declares one key. */
const insertMetaKeys = `
  insert into meta_keys (account_id, organization_id, id, name, type, required, inserted_at)
  select account_id, id, md5('key' || id)::uuid, 'employee_number', 'integer', false, $2
  from organizations where account_id = $1`

/** One user in four has a value for it. */
const insertMetadata = `
  insert into user_metadata (account_id, environment, organization_id, user_id, meta_key_id, id, value)
  select account_id, environment, organization_id, id, md5('key' || organization_id)::uuid, md5('value' || id)::uuid, '1815'
  from users where account_id = $1 and hashtext(id::text) % 4 = 0`

/** The organization of the user `i`, and whose environment's turn it is there. */
function placeAndTurn({ organizations, shape }: SampleSize): readonly [place: string, turn: string] {
  if (shape === 'even') return [`1 + i % ${organizations}`, `i / ${organizations}`]
  if (shape === 'one-large') {
    const others = Math.max(organizations - 1, 1)
    return [
      `case when i % 11 < 10 then 1 else 2 + i / 11 % ${others} end`,
      `case when i % 11 < 10 then 1 else i / 11 / ${others} end`,
    ]
  }
  const others = Math.max(organizations - 2, 1)
  return [
    `case when i % 10 < 3 then 1 when i % 10 = 3 then 2 else 3 + nth % ${others} end`,
    `case when i % 10 < 4 then 1 else nth / ${others} end`,
  ]
}

/** Of the user `i`; moments are ten seconds apart. */
const userId = `(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(md5(i::text), 1, 3)
        || '8' || substr(md5(i::text), 4, 15))::uuid`

/** One statement, so that the counting triggers add one row per organization and environment. */
function usersStatement(size: SampleSize): string {
  const [place, turn] = placeAndTurn(size)
  return `
    insert into users (
      account_id, environment, organization_id, id, active, email, email_normalized, email_verified, phone_numbers, profile,
      address, avatar_hexa_color, inserted_at, updated_at
    )
    select $1, case when turn % 2 = 0 then 'sandbox' else 'production' end, md5('organization' || place)::uuid,
      ${userId},
      true, email, email, true,
      jsonb_build_array(jsonb_build_object('default', true, 'phone_country_code', 33, 'phone_national_number',
        '6' || lpad((i % 100000000)::text, 8, '0'), 'primary', true, 'type', 'mobile', 'value',
        '+336' || lpad((i % 100000000)::text, 8, '0'))),
      jsonb_build_object('given_name', 'Ada', 'family_name', 'Lovelace ' || i, 'locale', 'en-GB'),
      jsonb_build_object('locality', 'Lyon', 'country', 'France'),
      '#' || substr(md5(i::text), 1, 6), at, at
    from generate_series(0, $2::integer - 1) i,
      lateral (select i / 10 * 6 + i % 10 - 4 as nth) rest,
      lateral (select ${place} as place, ${turn} as turn,
        'user' || i || '@people.example' as email, $3::timestamptz + i * interval '10 seconds' as at) chosen`
}

/**
 * Nine or ten for each user, told in production. They have their positions from the start, and little data: what grows with
 * their number is the depth of the indexes.
 */
async function insertEvents(client: pg.Client, accountId: string, count: number): Promise<void> {
  const { rows } = await client.query<{ users: number }>(
    'select count(*)::integer as users from users where account_id = $1',
    [accountId],
  )
  const perUser = Math.ceil(count / (rows[0]?.users ?? 1))
  await client.query(insertEventRows, [accountId, count, perUser, start])
  await client.query(insertPositions, [accountId])
  await client.query(insertSequencer, [accountId])
}

/** Of the event `nth`. */
const eventId = `(lpad(to_hex((extract(epoch from issued_at) * 1000)::bigint), 12, '0') || '7'
    || substr(md5(nth::text), 1, 3) || '8' || substr(md5(nth::text), 4, 15))::uuid`

// In the order of every index, so that millions take minutes. In the order of every index but that of organizations, so that millions take minutes.
const insertEventRows = `
  insert into events (
    account_id, environment, id, domain, code, data, params, actor_type, actor_id, request_id, subject_id, issued_at, position
  )
  select $1, 'production', ${eventId}, 'org-1', 'user.user.update.success', '{}', '{}', 'api_key', 'bench', 'bench', subject,
    issued_at, nth
  from generate_series(1, $2::integer) nth,
    lateral (select (nth - 1) / $3::integer as i) of_user,
    lateral (select $4::timestamptz + i * interval '10 seconds' as at) made,
    lateral (select ${userId} as subject, at + nth % $3 * interval '1 second' as issued_at) event`

const insertPositions = `
  insert into event_positions (account_id, environment, position, event_id)
  select account_id, environment, position, id from events where account_id = $1`

const insertSequencer = `
  insert into event_sequencers (account_id, environment, last_position)
  select account_id, environment, max(position) from events where account_id = $1 group by 1, 2
  on conflict (account_id, environment) do update set last_position = excluded.last_position`
