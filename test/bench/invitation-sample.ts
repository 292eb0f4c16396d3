import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { uuidv7 } from './bare-parts.js'
import type { Target } from './data.js'
import type { SignInSample } from './sign-in-sample.js'

/** Where the invitations of the bench are. */
type InvitationSample = Pick<SignInSample, 'databaseUrl' | 'data'>

/** Inserts the roles that every invitation of the bench gives. */
export async function insertInvitedRoles({ databaseUrl, data }: InvitationSample): Promise<void> {
  await withClient(databaseUrl, (client) => client.query(roles, [data.account.id, new Date()]))
}

/**
 * Inserts an invitation of a new address for each target, at its organization in the sandbox, as if it had been mailed.
 *
 * @returns The path of the page of each.
 */
export async function insertInvitations(
  { databaseUrl, data }: InvitationSample,
  targets: readonly Pick<Target, 'domain'>[],
): Promise<string[]> {
  const at = new Date()
  const rows = targets.map(({ domain }) => ({
    ...{ domain, id: uuidv7(at) },
    token: randomBytes(32).toString('base64url'),
  }))
  await withClient(databaseUrl, (client) =>
    client.query(invitations, [
      ...[data.account.id, at, rows.map(({ domain }) => domain)],
      ...[rows.map(({ id }) => id), rows.map(({ token }) => token)],
    ]),
  )
  return rows.map(({ domain, token }) => `/t/${domain}/invitations/${token}`)
}

async function withClient(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

const roleId = "md5('invited' || name || $1::text)::uuid"

const roles = `
  insert into roles (account_id, environment, id, name, display_name, is_default, inserted_at, updated_at)
  select $1::uuid, 'sandbox', ${roleId}, name, name, false, $2, $2
  from unnest(array['billing_admin', 'viewer']) name`

const invitations = `
  insert into invitations (
    account_id, environment, organization_id, id, email, email_normalized, state, token_hash, is_url_returned, role_ids,
    profile, metadata, inviter_type, inviter_id, expires_at, last_sent_at, sends, version, inserted_at, updated_at
  )
  select $1::uuid, 'sandbox', organizations.id, wanted.id, email, email, 'pending', sha256(convert_to(token, 'UTF8')), false,
    array(select ${roleId} from unnest(array['billing_admin', 'viewer']) name),
    jsonb_build_object('given_name', 'Ada', 'family_name', 'Lovelace'), '[]', 'api_key', 'bench',
    $2::timestamptz + interval '7 days', $2::timestamptz, 1, 1, $2::timestamptz, $2::timestamptz
  from unnest($3::text[], $4::uuid[], $5::text[]) wanted (domain, id, token)
  join organizations on organizations.account_id = $1 and organizations.domain = wanted.domain
  cross join lateral (select 'invited-' || wanted.id || '@people.example' as email) address`
