import type { Environment } from '@portico/contract/fields'
import { sql, type Kysely, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { lookup, statement } from '../../platform/db/statement.js'
import { isOrganizationOf } from '../../platform/db/tenant-predicate.js'
import type { Deps } from '../../delivery/deps.js'

/** The URL of an invitation, as a browser brings it. */
export interface ArrivedInvitation {
  readonly organizationDomain: string
  readonly token: string
}

/** An invitation that is pending, as its page shows it. */
export interface OpenInvitation {
  readonly accountId: string
  readonly accountDomain: string
  readonly environment: Environment
  readonly organizationId: string
  /** Of the organization. */
  readonly domain: string
  readonly invitationId: string
  readonly email: string
  readonly emailNormalized: string
  readonly applicationId: string | null
  readonly redirectUri: string | null
  readonly locale: string | null
  /** The API has returned the URL: whoever has it has not proved the mailbox. */
  readonly isUrlReturned: boolean
}

interface TokenKey {
  readonly organizationDomain: string
  readonly tokenHash: Buffer
  readonly at: Date
}

const selectOpen = lookup((db, key: TokenKey) => openInvitations(db, key))
const lockOpen = statement((db, key: TokenKey) => openInvitations(db, key).forNoKeyUpdate('invitations'))

function openInvitations(db: Kysely<DB>, key: TokenKey) {
  return db
    .selectFrom('invitations')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'invitations')))
    .innerJoin('accounts', 'accounts.id', 'invitations.account_id')
    .where('invitations.token_hash', '=', key.tokenHash)
    .where('invitations.state', '=', 'pending')
    .where('invitations.expires_at', '>', key.at)
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'invitations.account_id',
      'accounts.domain as account_domain',
      sql<Environment>`invitations.environment`.as('environment'),
      'invitations.organization_id',
      'organizations.domain',
      'invitations.id',
      'invitations.email',
      'invitations.email_normalized',
      'invitations.chosen_application_id',
      'invitations.redirect_uri',
      'invitations.locale',
      'invitations.is_url_returned',
    ])
}

/** The invitation of a URL, which this does not change; undefined when the URL is unknown, or works no more. */
export async function findOpenInvitation(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  arrived: ArrivedInvitation,
): Promise<OpenInvitation | undefined> {
  const [row] = await selectOpen(db, keyOf(arrived, now()))
  return row && toOpenInvitation(row)
}

/** The same, locked: until the transaction ends it is neither revoked nor sent again, and no other browser accepts it. */
export async function lockOpenInvitation(
  trx: Transaction<DB>,
  arrived: ArrivedInvitation,
  at: Date,
): Promise<OpenInvitation | undefined> {
  const [row] = await lockOpen(trx, keyOf(arrived, at))
  return row && toOpenInvitation(row)
}

function keyOf({ organizationDomain, token }: ArrivedInvitation, at: Date): TokenKey {
  return { organizationDomain, tokenHash: hashSecret(token), at }
}

function toOpenInvitation(row: Awaited<ReturnType<typeof selectOpen>>[number]): OpenInvitation {
  return {
    accountId: row.account_id,
    accountDomain: row.account_domain,
    environment: row.environment,
    organizationId: row.organization_id,
    domain: row.domain,
    invitationId: row.id,
    email: row.email,
    emailNormalized: row.email_normalized,
    applicationId: row.chosen_application_id,
    redirectUri: row.redirect_uri,
    locale: row.locale,
    isUrlReturned: row.is_url_returned,
  }
}

/** An invitation that was accepted, of whose user a browser may have the session. */
export interface AcceptedInvitation {
  readonly accountId: string
  readonly environment: Environment
  readonly organizationId: string
  readonly userId: string
}

const selectAccepted = lookup((db, key: Omit<TokenKey, 'at'>) =>
  db
    .selectFrom('invitations')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'invitations')))
    .where('invitations.token_hash', '=', key.tokenHash)
    .where('invitations.state', '=', 'accepted')
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'invitations.account_id',
      sql<Environment>`invitations.environment`.as('environment'),
      'invitations.organization_id',
      sql<string>`invitations.user_id`.as('user_id'),
    ]),
)

/** The invitation of a URL that was accepted; what its page says depends on whose session the browser has. */
export async function findAcceptedInvitation(
  { db }: Pick<Deps, 'db'>,
  { organizationDomain, token }: ArrivedInvitation,
): Promise<AcceptedInvitation | undefined> {
  const [row] = await selectAccepted(db, { organizationDomain, tokenHash: hashSecret(token) })
  if (row === undefined) return undefined
  const { account_id: accountId, environment, organization_id: organizationId, user_id: userId } = row
  return { accountId, environment, organizationId, userId }
}
