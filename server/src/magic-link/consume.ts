import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { isUsableBy } from '../applications/usable.js'
import { hashSecret } from '../crypto/secret.js'
import type { DB } from '../db/schema.js'
import { statement } from '../db/statement.js'
import type { Deps } from '../deps.js'
import { change } from '../events/change.js'
import { emit } from '../events/emit.js'
import { logEvent, type LogEntry } from '../log-events/log-event.js'
import { issuerOf } from '../oauth/claims.js'
import { givePasswordCode } from '../password/open-request.js'
import { isEmailDomainAllowed, toRedirectUrl } from '../sessions/complete-sign-in.js'
import { passFirstFactor } from '../sessions/pending-sign-in.js'
import { ofUser, type Cause, type Tenant } from '../tenant.js'
import {
  createSigningInUser,
  findUser,
  isRequiredMetadataMissing,
  type SigningInUser,
} from '../users/signing-in-user.js'
import { markEmailVerified } from '../users/users.js'
import { lockLinksOfToken } from './lock.js'
import { purposeOf, type LinkPurpose } from './purpose.js'
import { toMagicLinkChallenge } from './record.js'

/** A link as it arrives: the organization of its path, and its token. */
export interface ArrivedLink {
  readonly organizationDomain: string
  readonly token: string
  readonly requestId: string
}

/** What the page of a link says before anybody uses it. */
export interface OpenLink {
  readonly email: string
  readonly environment: Environment
  readonly redirectUri: string
  /** The API has returned it, so that no mail carries it. */
  readonly isLinkReturned: boolean
  readonly purpose: LinkPurpose
}

/** What a statement looks for of a link that has arrived. */
interface LinkKey {
  readonly organizationDomain: string
  readonly tokenHash: Buffer
  readonly at: Date
}

function linkKeyOf(
  { now }: Pick<Deps, 'now'>,
  { organizationDomain, token }: Pick<ArrivedLink, 'organizationDomain' | 'token'>,
): LinkKey {
  return { organizationDomain, tokenHash: hashSecret(token), at: now() }
}

const selectOpenLink = statement((db, key: LinkKey) =>
  db
    .selectFrom('magic_link_challenges as challenge')
    .innerJoin('organizations', (join) =>
      join
        .onRef('organizations.account_id', '=', 'challenge.account_id')
        .onRef('organizations.id', '=', 'challenge.organization_id'),
    )
    .where('challenge.token_hash', '=', key.tokenHash)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', key.at)
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .select([
      'challenge.email',
      sql<Environment>`challenge.environment`.as('environment'),
      'challenge.redirect_uri',
      'challenge.is_link_returned',
      'challenge.password_request_id',
    ]),
)

/** The link as it stands, untouched; undefined when it would not sign anybody in. */
export async function findOpenLink(
  deps: Pick<Deps, 'db' | 'now'>,
  link: Pick<ArrivedLink, 'organizationDomain' | 'token'>,
): Promise<OpenLink | undefined> {
  const [row] = await selectOpenLink(deps.db, linkKeyOf(deps, link))
  if (row === undefined) return undefined
  return {
    email: row.email,
    environment: row.environment,
    redirectUri: row.redirect_uri,
    isLinkReturned: row.is_link_returned,
    purpose: purposeOf(row.password_request_id),
  }
}

/**
 * Lets the user of a link go on, once: of all who open it, one statement lets one pass. A link that was used, voided or
 * has expired, one that never was, and one whose user may not sign in are one outcome; the log event tells them apart.
 *
 * @returns Where the browser goes: with a code, with what the second factor needs, or with the code that sets a
 *   password. Undefined when the link lets nobody go on.
 */
export async function consumeMagicLink(deps: Deps, link: ArrivedLink): Promise<string | undefined> {
  const { record } = await change(deps, causeOf(link), async (trx) => {
    await lockLinksOfToken(trx, link.organizationDomain, hashSecret(link.token))
    const [spent] = await spendToken(trx, linkKeyOf(deps, link))
    if (spent === undefined) {
      await logDeadLink(deps, trx, link)
      return { record: undefined }
    }
    const tenant = tenantOf(spent, link)
    const refusal = whyRefused(spent)
    const user = refusal === undefined ? await findOrCreateUser(deps, trx, tenant, spent) : undefined
    if (user?.active !== true) {
      const reason = refusal ?? (user === undefined ? 'user_not_found' : 'user_inactive')
      await logLink(deps, trx, link, spent, { code: 'END_USER_MAGIC_LINK_FAILED', userId: user?.id, reason })
      return { record: undefined }
    }
    return { record: await goOn(deps, trx, { tenant: ofUser(tenant, user.id), link, spent, user }) }
  })
  return record
}

function causeOf({ requestId }: ArrivedLink): Cause {
  return { requestId, actor: { type: 'system', id: 'magic_link' }, params: () => ({}) }
}

/** The token's one use. What has to be true of its organization is read with it, as it is at this moment. */
const spendToken = statement((db, link: LinkKey) =>
  db
    .updateTable('magic_link_challenges as challenge')
    .set({ used_at: link.at })
    .from(['organizations', 'accounts', 'magic_link_connections as connection', 'applications'])
    .where('challenge.token_hash', '=', link.tokenHash)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', link.at)
    .where('organizations.domain', '=', link.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .whereRef('organizations.account_id', '=', 'challenge.account_id')
    .whereRef('organizations.id', '=', 'challenge.organization_id')
    .whereRef('accounts.id', '=', 'challenge.account_id')
    .whereRef('connection.account_id', '=', 'challenge.account_id')
    .whereRef('connection.environment', '=', 'challenge.environment')
    .whereRef('connection.organization_id', '=', 'challenge.organization_id')
    .whereRef('applications.account_id', '=', 'challenge.account_id')
    .whereRef('applications.environment', '=', 'challenge.environment')
    .whereRef('applications.id', '=', 'challenge.application_id')
    .returning([
      'challenge.account_id',
      sql<Environment>`challenge.environment`.as('environment'),
      'challenge.organization_id',
      'challenge.id',
      'challenge.application_id',
      'challenge.email',
      'challenge.email_normalized',
      'challenge.redirect_uri',
      'challenge.state',
      'challenge.nonce',
      'challenge.code_challenge',
      'challenge.scope',
      'challenge.expires_at',
      'challenge.find_or_create_user',
      'challenge.password_request_id',
      'connection.find_or_create_user as may_create_user',
      'connection.active as is_connection_active',
      'organizations.domain',
      'organizations.allowed_email_domains',
      'accounts.domain as account_domain',
      sql<boolean>`(
        ${isUsableBy(sql.ref('challenge.organization_id'))}
        and challenge.redirect_uri = any(applications.allowed_redirect_urls)
      )`.as('is_redirect_allowed'),
    ]),
)

type SpentLink = Awaited<ReturnType<typeof spendToken>>[number]

function tenantOf(spent: SpentLink, link: ArrivedLink): Tenant {
  return {
    accountId: spent.account_id,
    accountDomain: spent.account_domain,
    environment: spent.environment,
    domain: spent.domain,
    organizationIds: null,
    cause: causeOf(link),
  }
}

/** What is in the way of everybody, whoever the user is; undefined when nothing is. */
function whyRefused(spent: SpentLink): string | undefined {
  if (!spent.is_connection_active) return 'connection_inactive'
  if (!isEmailDomainAllowed(spent.allowed_email_domains, spent.email_normalized))
    return 'email_domain_not_allowed'
  return spent.is_redirect_allowed ? undefined : 'redirect_not_allowed'
}

/** The user with the link's address. An unknown address becomes a user only now that its owner has shown up. */
async function findOrCreateUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  spent: SpentLink,
): Promise<SigningInUser | undefined> {
  const found = await findUser(trx, tenant, spent.email_normalized)
  const mayCreate = spent.find_or_create_user && spent.may_create_user
  if (found !== undefined || !mayCreate) return found
  const id = uuidv7()
  const user = { id, email: spent.email, emailVerified: true }
  const created = await createSigningInUser(deps, trx, ofUser(tenant, id), user)
  // When another sign-in was faster, its user is there now.
  return created ?? findUser(trx, tenant, spent.email_normalized)
}

/** A user who has opened a link of theirs. */
interface Arrival {
  readonly tenant: Tenant
  readonly link: ArrivedLink
  readonly spent: SpentLink
  readonly user: SigningInUser
}

/** What a link redirects with, and why it is not a code, where it is none. */
interface Lead {
  readonly parameters: Readonly<Record<string, string>>
  readonly reason?: 'totp_required' | 'password_code'
}

async function goOn(deps: Deps, trx: Transaction<DB>, arrival: Arrival): Promise<string | undefined> {
  const { tenant, link, spent, user } = arrival
  const lead =
    spent.password_request_id === null
      ? await signIn(deps, trx, arrival)
      : await leadToPassword(deps, trx, arrival, spent.password_request_id)
  if (lead === undefined) {
    const reason = 'password_request_closed'
    await logLink(deps, trx, link, spent, { code: 'END_USER_MAGIC_LINK_FAILED', userId: user.id, reason })
    return undefined
  }
  await voidSiblings(deps, trx, spent)
  const { parameters, reason } = lead
  await logLink(deps, trx, link, spent, { code: 'END_USER_MAGIC_LINK_SUCCESS', userId: user.id, reason })
  // Nobody is locked out for a value that the organization requires and this user lacks.
  if (reason === undefined && (await isRequiredMetadataMissing(trx, tenant, user.id)))
    await logLink(deps, trx, link, spent, { code: 'REQUIRED_METADATA_MISSING', userId: user.id })
  const issuer = issuerOf(deps.config.baseUrl, spent.domain)
  return toRedirectUrl(spent.redirect_uri, { parameters, state: spent.state, issuer })
}

async function signIn(deps: Deps, trx: Transaction<DB>, { tenant, spent, user }: Arrival): Promise<Lead> {
  if (!user.email_verified) await markEmailVerified(deps, trx, tenant, user.id)
  await emitConsumed(deps, trx, { tenant, spent, user })
  const outcome = await passFirstFactor(deps, trx, {
    tenant,
    organizationId: spent.organization_id,
    userId: user.id,
    applicationId: spent.application_id,
    redirectUri: spent.redirect_uri,
    amr: ['email'],
    authenticatedAt: deps.now(),
    nonce: spent.nonce,
    codeChallenge: spent.code_challenge,
    scope: spent.scope ?? '',
    state: spent.state,
    via: 'page',
  })
  if ('code' in outcome) return { parameters: { code: outcome.code } }
  // As an error of RFC 6749 section 4.1.2.1, so that no client takes it for a code.
  const reason = 'totp_required'
  return { parameters: { error: reason, request_id: outcome.pendingSignInId, user_id: user.id }, reason }
}

/** Signs nobody in: what the redirect carries sets a password. */
async function leadToPassword(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, spent, user }: Arrival,
  requestId: string,
): Promise<Lead | undefined> {
  const request = { requestId, email: spent.email_normalized, userId: user.id }
  const code = await givePasswordCode(deps, trx, tenant, request)
  if (code === undefined) return undefined
  await emitConsumed(deps, trx, { tenant, spent, user })
  return { parameters: { password_code: code }, reason: 'password_code' }
}

async function emitConsumed(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, spent, user }: Pick<Arrival, 'tenant' | 'spent' | 'user'>,
): Promise<void> {
  await emit(deps, trx, tenant, {
    code: 'magic_link.challenge.consume.success',
    record: toMagicLinkChallenge(spent, tenant, null),
    organizationId: spent.organization_id,
    subjectId: user.id,
  })
}

/** One sign-in is enough: the other open links of the address for the application are worth nothing any more. */
async function voidSiblings(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  spent: SpentLink,
): Promise<void> {
  await trx
    .updateTable('magic_link_challenges')
    .set({ voided_at: now() })
    .where('account_id', '=', spent.account_id)
    .where('environment', '=', spent.environment)
    .where('organization_id', '=', spent.organization_id)
    .where('email_normalized', '=', spent.email_normalized)
    .where('application_id', '=', spent.application_id)
    .where('used_at', 'is', null)
    .where('voided_at', 'is', null)
    .execute()
}

/** A token that never was leaves no trace: nobody's log should be a stranger's to fill. */
async function logDeadLink(deps: Deps, trx: Transaction<DB>, link: ArrivedLink): Promise<void> {
  const dead = await trx
    .selectFrom('magic_link_challenges as challenge')
    .innerJoin('organizations', (join) =>
      join
        .onRef('organizations.account_id', '=', 'challenge.account_id')
        .onRef('organizations.id', '=', 'challenge.organization_id'),
    )
    .where('challenge.token_hash', '=', hashSecret(link.token))
    .where('organizations.domain', '=', link.organizationDomain)
    .select([
      'challenge.account_id',
      'challenge.environment',
      'challenge.organization_id',
      'challenge.application_id',
      'challenge.email',
      'challenge.used_at',
      'challenge.voided_at',
      'organizations.domain',
      'organizations.deleted_at',
    ])
    .executeTakeFirst()
  if (dead === undefined || dead.deleted_at !== null) return
  const reason =
    dead.used_at !== null ? 'link_used' : dead.voided_at !== null ? 'link_voided' : 'link_expired'
  await logLink(deps, trx, link, dead, { code: 'END_USER_MAGIC_LINK_FAILED', reason })
}

type KnownLink = Pick<SpentLink, 'account_id' | 'organization_id' | 'application_id' | 'email' | 'domain'> & {
  readonly environment: string
}

function logLink(
  deps: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { requestId }: ArrivedLink,
  known: KnownLink,
  entry: Pick<LogEntry, 'code'> & {
    readonly userId?: string | undefined
    readonly reason?: string | undefined
  },
): Promise<void> {
  return logEvent(deps, trx, {
    accountId: known.account_id,
    environment: known.environment,
    organizationId: known.organization_id,
    domain: known.domain,
    code: entry.code,
    clientId: known.application_id,
    email: known.email,
    userId: entry.userId ?? null,
    reason: entry.reason ?? null,
    requestId,
  })
}
