import { createHash, randomBytes } from 'node:crypto'
import pg from 'pg'
import { uuidv7 } from './bare-parts.js'
import type { PreparedData, Target } from './data.js'
import { redirectUri } from './sample.js'

/** The code verifier of every code, and its S256 challenge (RFC 7636). */
export const codeVerifier = 'a-code-verifier-of-the-bench-43-characters-long'
export const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')

/** What the sign-ins of the bench are for. */
export interface SignInSample {
  readonly databaseUrl: string
  readonly data: PreparedData
  readonly application: string
}

/** A sign-in as its rows were inserted. */
export interface Held {
  readonly target: Target
  readonly organizationId: string
  /** Of the session's cookie, or the code, or of the refresh token with its handle. */
  readonly secret: string
  readonly handle: string
}

/** The name of the cookie, as in server/src/pages/frame/session-cookie.ts. */
export function sessionCookieName(organizationId: string, environment: string): string {
  const hash = createHash('sha256').update(`${organizationId}${environment}`).digest('hex')
  return `portico-session-${hash.slice(0, 12)}`
}

/** The cookie of a session that was inserted. */
export function sessionCookieOf({ organizationId, target, secret }: Held): string {
  return `${sessionCookieName(organizationId, target.environment)}=${secret}`
}

/** Inserts a session for each user, and with it what is held of it: a cookie, a code or a refresh token. */
export async function insertSignIns(
  { databaseUrl, data, application }: SignInSample,
  targets: readonly Target[],
  holding: keyof typeof statements,
): Promise<Held[]> {
  const at = new Date()
  const rows = targets.map((target) => ({
    target,
    ids: { session: uuidv7(at), other: uuidv7(at) },
    secret: randomBytes(32).toString('base64url'),
    handle: randomBytes(16).toString('base64url'),
  }))
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const { rows: inserted } = await client.query<{ session_id: string; organization_id: string }>(
      statements[holding],
      [
        ...[data.account.id, application, at],
        ...[rows.map(({ target }) => target.domain), rows.map(({ target }) => target.id)],
        ...[rows.map(({ ids }) => ids.session), rows.map(({ ids }) => ids.other)],
        ...[rows.map(({ secret }) => secret), rows.map(({ handle }) => handle), codeChallenge, redirectUri],
      ],
    )
    const organizations = new Map(inserted.map((row) => [row.session_id, row.organization_id]))
    return rows.map(({ target, ids, secret, handle }) => {
      const organizationId = organizations.get(ids.session)
      if (organizationId === undefined) throw new Error(`the sample has no user ${target.id}`)
      return { target, organizationId, secret, handle }
    })
  } finally {
    await client.end()
  }
}

const sessions = `
  with wanted as materialized (
    select wanted.*, users.account_id, users.environment, users.organization_id, $10::text as code_challenge,
      $11::text as redirect_uri
    from unnest($4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::text[])
      wanted (domain, user_id, session_id, other_id, secret, handle)
    join organizations on organizations.account_id = $1 and organizations.domain = wanted.domain
    join users on users.account_id = $1 and users.environment = 'sandbox'
      and users.organization_id = organizations.id and users.id = wanted.user_id
  ), session as (
    insert into sessions (
      account_id, environment, organization_id, id, user_id, application_id, amr, authenticated_at, expires_at,
      last_used_at, browser_used_at, secret_hash
    )
    select account_id, environment, organization_id, session_id, user_id, $2::uuid, array['pwd'], $3::timestamptz,
      $3::timestamptz + interval '8 hours', $3::timestamptz, $3::timestamptz, sha256(convert_to(secret, 'UTF8'))
    from wanted
  )`

const codes = `${sessions}
  insert into authorization_codes (
    account_id, environment, organization_id, id, session_id, user_id, application_id, redirect_uri, code_hash,
    code_challenge, scope, amr, authenticated_at, expires_at
  )
  select account_id, environment, organization_id, other_id, session_id, user_id, $2::uuid, redirect_uri,
    sha256(convert_to(secret, 'UTF8')), code_challenge, 'openid profile email', array['pwd'], $3::timestamptz,
    $3::timestamptz + interval '10 minutes'
  from wanted
  returning session_id, organization_id`

const families = `${sessions}
  insert into refresh_token_families (
    account_id, environment, organization_id, id, session_id, user_id, application_id, code_id, scope, amr,
    authenticated_at, family_hash, token_hash, expires_at, inserted_at
  )
  select account_id, environment, organization_id, other_id, session_id, user_id, $2::uuid, gen_random_uuid(),
    'openid profile email offline_access', array['pwd'], $3::timestamptz, sha256(convert_to(handle, 'UTF8')),
    sha256(convert_to(secret, 'UTF8')), $3::timestamptz + interval '30 days', $3::timestamptz
  from wanted
  returning session_id, organization_id`

const statements = {
  cookie: `${sessions} select session_id, organization_id from wanted`,
  code: codes,
  refreshToken: families,
}
