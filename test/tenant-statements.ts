import pg from 'pg'
import { unboundTables, type RowKey } from './statement-tenants.js'

/** Statements that legitimately span accounts, each with a distinguishing pattern and the reason. */
const exceptions: readonly (readonly [statement: RegExp, reason: string])[] = [
  [/^delete from \w+ where .*\bctid = any\(/, 'A worker deletes what has expired.'],
  [/^with expired as \( ?select .* delete from events using expired\b/, 'A worker deletes old events.'],
  [
    /^select sso_connections\.account_id as accountId, .*\bcertificate_warned_at\b/,
    'A worker watches certificates.',
  ],
  [
    /^select social_providers\.account_id as accountId, .*\bsecret_warned_at\b/,
    'A worker watches the secrets of social providers.',
  ],
  [
    /^update domains set next_check_at = \$1 from organizations /,
    'A worker checks the domains that are due.',
  ],
  [/^select invitations\.account_id, .*\bis_expired from invitations\b/, 'A worker ends invitations.'],
  [
    /^select join_requests\.account_id, accounts\.domain as account_domain, .* from join_requests\b/,
    'A worker ends join requests.',
  ],
  [/^(with recursive earliest|with wanted) as .*\bwebhook_deliveries\b/, 'A worker sends what is due.'],
  [
    /^(update|delete from|select last from|with (?:over)?due as) .*\bjobs\b/,
    'A worker runs the jobs that are due.',
  ],
  [/^(with (scopes|counted) as|select kind, ).*\brecord_counts\b/, 'A worker adds counts up.'],
  [/^insert into log_event_counts .* from log_events\b/, 'A worker counts log events.'],
  [/^select returned_at from jobs where name = 'count_log_events'/, 'When that worker has counted.'],
  [/\bunnumbered_events\b/, 'A worker gives events their positions.'],
  [
    /^select (?:account_id, |\(select count).*\bdeleted_at (< \$\d|is not null)/,
    'A worker erases what was deleted.',
  ],
  [
    /\bfrom signing_keys where state = (\$1|'active') and (kid > \$2|activated_at <= \$1)/,
    'A worker rotates keys, and publishes those that are missing.',
  ],
  [
    /\bfrom password_peppers pepper where exists|\bcross join lateral \( select version, inserted_at from password_peppers\b/,
    'A worker rotates peppers.',
  ],
  [
    /^select staff\.account_id, .* from staff_organizations as staff .* organizations\.domain = \$\d$/,
    'The domain of a staff organization names one account.',
  ],
  [
    /^update invitations set token_hash .*\bfrom staff_organizations as staff join accounts\b/,
    'An invitation to a staff organization names the account, which is one.',
  ],
  [/^update api_keys set last_used_at = used\.at from unnest\(/, 'Each key was proved by a request.'],
  [
    /\bfrom outbox_messages (?:order by|where id = \$1)/,
    'The outbox of a machine has the messages of every account.',
  ],
]

/** What a request names, or proves, before its account is known. */
const keys: readonly RowKey[] = [
  ...[
    { table: 'api_keys', column: 'id', reason: 'A client names itself, and proves its secret.' },
    { table: 'applications', column: 'id', reason: 'A client names itself, and proves its secret or key.' },
    { table: 'signing_keys', column: 'kid', reason: 'The key of a token, which names its account.' },
    { table: 'accounts', column: 'domain', reason: 'An address of the console names one account.' },
    { table: 'organizations', column: 'domain', reason: 'A domain names one organization of the service.' },
    { table: 'sso_connections', column: 'idp_id', reason: 'An address of a protocol names one connection.' },
    { table: 'social_providers', column: 'id', reason: 'The address of a callback names one provider.' },
    { table: 'directories', column: 'id', reason: 'A provider names its directory, and proves its secret.' },
  ].map((key) => ({ ...key, isSecret: false })),
  ...[
    { table: 'magic_link_challenges', column: 'token_hash', reason: 'A link is its own proof.' },
    { table: 'email_changes', column: 'token_hash', reason: 'The link of a mail is its own proof.' },
    { table: 'invitations', column: 'token_hash', reason: 'The URL of an invitation is its own proof.' },
    { table: 'sso_challenges', column: 'token_hash', reason: 'The address of a challenge is its own proof.' },
    { table: 'relay_requests', column: 'token_hash', reason: 'The address of a relay is its own proof.' },
    {
      table: 'impersonations',
      column: 'url_hash',
      reason: 'The address of an impersonation is its own proof.',
    },
    {
      table: 'sso_admin_links',
      column: 'token_hash',
      reason: 'The link of an administrator is its own proof.',
    },
    {
      table: 'sso_admin_sessions',
      column: 'secret_hash',
      reason: 'A browser proves its session by its cookie.',
    },
    { table: 'console_starts', column: 'token_hash', reason: 'The link of a first owner is its own proof.' },
    { table: 'sessions', column: 'secret_hash', reason: 'A browser proves its session by its cookie.' },
    { table: 'password_requests', column: 'code_hash', reason: 'A code is its own proof.' },
    { table: 'authorization_codes', column: 'code_hash', reason: 'A code is its own proof.' },
    { table: 'refresh_token_families', column: 'family_hash', reason: 'A refresh token is its own proof.' },
    { table: 'email_challenges', column: 'token_hash', reason: 'A link is its own proof.' },
    { table: 'discoveries', column: 'secret_hash', reason: 'A link is its own proof.' },
    {
      table: 'account_flows',
      column: 'browser_hash',
      reason: 'A browser proves by its cookie which are its flows.',
    },
    {
      table: 'sign_in_flows',
      column: 'browser_hash',
      reason: 'A browser proves by its cookie which are its flows.',
    },
  ].map((key) => ({ ...key, isSecret: true })),
]

/** What is of an account and not of one environment, by its table or its statement. */
const ofBothEnvironments: readonly (readonly [what: string | RegExp, reason: string])[] = [
  ['sso_admin_links', 'An administrator, with their links, is of the organization.'],
  ['log_events', 'What is logged of an account has no environment.'],
  ['audit_entries', 'What staff do in an account may be in either environment, or in none.'],
  [
    /^with gone as \(delete from meta_keys /,
    'A metadata key is of both, and so are the users who lose its values.',
  ],
  [
    /^select \(select coalesce\( \(select '' \|\| environment from directories /,
    'A metadata key is of both, and so are the mappings that name it.',
  ],
  [
    /^delete from idempotency_keys where account_id = \$1 and organization_id = \$2$/,
    'An organization is erased in both.',
  ],
  [
    /^select account_id, environment, organization_id, id from users where .*\borganization_id = any\(/,
    'The same.',
  ],
]

/** The statements sent by services of this process since the last check. */
const sent = new Set<string>()
const known = new Set<string>()
let count = 0

/** Records each statement that a service sends; these are named, while those of tests are not. */
export function watchStatements(): void {
  const { query } = pg.Client.prototype
  if ('isWatched' in query) return
  const watched = function (this: pg.Client, ...args: unknown[]) {
    const [first] = args
    if (typeof first === 'object' && first !== null && 'query_timeout' in first) count += 1
    if (typeof first === 'object' && first !== null && 'name' in first && 'text' in first)
      if (!known.has(String(first.text))) sent.add(String(first.text))
    return Reflect.apply(query, this, args) as unknown
  }
  // The implementation has only one of the declared overloads.
  pg.Client.prototype.query = Object.assign(watched, { isWatched: true }) as typeof query
}

/** How many statements the services of this process have sent, of transactions the begin and the end as well. */
export function sentStatements(): number {
  return count
}

/** The statements sent since the last call, but for those that an earlier one has returned. */
export function newStatements(): string[] {
  const texts = [...sent]
  for (const text of texts) known.add(text)
  sent.clear()
  return texts
}

/** The tenant tables in a statement whose rows are not limited to an account and environment; none for the listed exceptions. */
export function faultsOf(text: string): string[] {
  const plain = plainText(text)
  if (exceptions.some(([statement]) => statement.test(plain))) return []
  const isOfBoth = (table: string) =>
    ofBothEnvironments.some(([what]) => (typeof what === 'string' ? what === table : what.test(plain)))
  return unboundTables(plain, keys, isOfBoth).map(
    (table) => `${table} of any account or environment, in: ${plain}`,
  )
}

/** A statement on one line, without quotes and what literals say. */
export function plainText(text: string): string {
  return text
    .replace(/'(?:[^']|'')*'/g, (literal) => (/^'\w*'$/.test(literal) ? literal : "''"))
    .replaceAll('"', '')
    .replace(/\s+/g, ' ')
    .trim()
}
