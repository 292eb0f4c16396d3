import type { RefusalReason } from '@portico/contract/log-events'
import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { logEventOf } from '../../delivery/log-events/log-event.js'
import { change } from '../../delivery/events/change.js'
import { issuerOf } from '../../tokens/claims.js'
import { givePasswordCode } from '../password/open-request.js'
import { setPasswordUrl } from '../password/own-page.js'
import { toRedirectUrl } from '../../directory/sessions/complete-sign-in.js'
import { completeFirstFactor, type RefusedFactor } from '../flows/pending-sign-in.js'
import { ofUser, type Cause, type Tenant } from '../../platform/tenant.js'
import { isRequiredMetadataMissing } from '../../directory/users/signing-in-user.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { lockLinksOfToken } from './lock.js'
import { arriveInFlow, type ShownLinkCode, type WithoutSeat } from './flow-arrival.js'
import { purposeOf, type LinkPurpose } from '../../platform/link-purpose.js'
import {
  emitConsumed,
  findOrCreateUser,
  consumeLinkToken,
  voidSiblings,
  whyRefused,
  type LinkKey,
  type ConsumedLink,
  type UsedLink,
} from './consumed-link.js'
import { endUriOfFlow } from '../flows/idp-initiated.js'
import { isOrganizationOf, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A link as it arrives: the organization of its path, and its token. */
interface ArrivedLink {
  readonly organizationDomain: string
  readonly token: string
  readonly requestId: string
  /** Of the flow cookie; undefined where the browser has none. */
  readonly browserSecret: string | undefined
}

/** An open link, as its page shows it. */
export interface OpenLink {
  readonly email: string
  readonly environment: Environment
  /** Where the browser leaves the service. */
  readonly endUri: string
  /** The API has returned the link, so that no mail carries it. */
  readonly isLinkReturned: boolean
  readonly purpose: LinkPurpose
  /** The link completes its sign-in only in the browser that asked for it, and this is another one. */
  readonly isOtherBrowser: boolean
}

const selectOpenLink = statement((db, key: LinkKey & { readonly browserHash: Buffer | null }) =>
  db
    .selectFrom('magic_link_challenges as challenge')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'challenge')))
    .leftJoin('sign_in_flows as flow', (join) =>
      join
        .on(sameTenant('flow', 'challenge'))
        .onRef('flow.id', '=', 'challenge.flow_id')
        // A link to a password works in every browser, and after its flow.
        .on('challenge.password_request_id', 'is', null),
    )
    .leftJoin('applications', (join) =>
      join.on(sameEnvironment('applications', 'flow')).onRef('applications.id', '=', 'flow.application_id'),
    )
    .where('challenge.token_hash', '=', key.tokenHash)
    .where('challenge.used_at', 'is', null)
    .where('challenge.voided_at', 'is', null)
    .where('challenge.expires_at', '>', key.at)
    .where('organizations.domain', '=', key.organizationDomain)
    .where('organizations.deleted_at', 'is', null)
    .where(
      sql<boolean>`(
        flow.id is null
        or (
          flow.step = 'link_sent'
          and flow.email_normalized = challenge.email_normalized
          and flow.used_at is null
          and flow.expires_at > ${key.at}
        )
      )`,
    )
    .select([
      'challenge.email',
      sql<Environment>`challenge.environment`.as('environment'),
      endUriOfFlow('challenge.redirect_uri').as('end_uri'),
      'challenge.is_link_returned',
      'challenge.password_request_id',
      sql<boolean>`(flow.id is not null and flow.browser_hash is distinct from ${key.browserHash}::bytea)`.as(
        'is_other_browser',
      ),
    ]),
)

/** A link that is open and stays so; undefined when it would not sign anybody in. */
export async function findOpenLink(
  deps: Pick<Deps, 'config' | 'db' | 'now'>,
  link: Omit<ArrivedLink, 'requestId'>,
): Promise<OpenLink | undefined> {
  const browserHash = link.browserSecret === undefined ? null : hashSecret(link.browserSecret)
  const [row] = await selectOpenLink(deps.db, { ...linkKeyOf(deps, link), browserHash })
  if (row === undefined) return undefined
  return {
    email: row.email,
    environment: row.environment,
    endUri: row.end_uri,
    isLinkReturned: row.is_link_returned,
    purpose: purposeOf(row.password_request_id),
    isOtherBrowser: row.is_other_browser,
  }
}

function linkKeyOf(
  { config, now }: Pick<Deps, 'config' | 'now'>,
  { organizationDomain, token }: Pick<ArrivedLink, 'organizationDomain' | 'token'>,
): LinkKey {
  const ownPage = setPasswordUrl(config.baseUrl, organizationDomain)
  return { organizationDomain, tokenHash: hashSecret(token), ownPage, at: now() }
}

/** A redirect; outside the browser of the link's flow a code to type in that browser; or a newcomer for whom there is no seat. */
export type LinkOutcome = { readonly redirectUrl: string } | ShownLinkCode | WithoutSeat

/**
 * Consumes a link, once: one statement decides between concurrent requests. Used, voided, expired and unknown links,
 * and links of users who may not sign in, have one outcome; the log event distinguishes them.
 *
 * @returns The redirect: with a code, with the parameters of the second factor, with the code that sets a password, or
 *   to the link's flow. Undefined when the link is refused.
 */
export async function consumeMagicLink(deps: Deps, link: ArrivedLink): Promise<LinkOutcome | undefined> {
  const { record } = await change<{ record: LinkOutcome | undefined }>(deps, causeOf(link), async (trx) => {
    await lockLinksOfToken(trx, link.organizationDomain, hashSecret(link.token))
    const [consumedLink] = await consumeLinkToken(trx, linkKeyOf(deps, link))
    if (consumedLink === undefined) {
      await logDeadLink(deps, trx, link)
      return { record: undefined }
    }
    const tenant = tenantOf(consumedLink, link)
    const { flow_id: flowId } = consumedLink
    if (flowId !== null && consumedLink.password_request_id === null)
      return { record: await arriveInFlow(deps, trx, { tenant, link, consumedLink, flowId }) }
    const found = whyRefused(consumedLink) ?? (await findOrCreateUser(deps, trx, tenant, consumedLink))
    const user = typeof found === 'string' ? undefined : found
    if (user?.active !== true) {
      const reason: RefusalReason = typeof found === 'string' ? found : 'user_inactive'
      const known = { userId: user?.id, requestId: link.requestId }
      await logEventOf(deps, trx, consumedLink, { code: 'END_USER_MAGIC_LINK_FAILED', ...known, reason })
      return { record: found === 'seats_exhausted' ? { refusal: found } : undefined }
    }
    return {
      record: await completeLink(deps, trx, { tenant: ofUser(tenant, user.id), link, consumedLink, user }),
    }
  })
  return record
}

function causeOf({ requestId }: ArrivedLink): Cause {
  return { requestId, actor: { type: 'system', id: 'magic_link' }, params: () => ({}) }
}

function tenantOf(consumedLink: ConsumedLink, link: ArrivedLink): Tenant {
  return {
    accountId: consumedLink.account_id,
    accountDomain: consumedLink.account_domain,
    environment: consumedLink.environment,
    domain: consumedLink.domain,
    organizationIds: null,
    cause: causeOf(link),
  }
}

/** A link opened by its user. */
interface Arrival extends UsedLink {
  readonly link: ArrivedLink
}

/** The parameters of a redirect, and the reason when they contain no authorization code. */
interface Lead {
  readonly parameters: Readonly<Record<string, string>>
  readonly reason?: 'totp_required' | 'passkey_required' | RefusedFactor | 'password_code'
}

async function completeLink(
  deps: Deps,
  trx: Transaction<DB>,
  arrival: Arrival,
): Promise<LinkOutcome | undefined> {
  const { tenant, link, consumedLink, user } = arrival
  const known = { userId: user.id, requestId: link.requestId }
  const lead =
    consumedLink.password_request_id === null
      ? await signIn(deps, trx, arrival)
      : await leadToPassword(deps, trx, arrival, consumedLink.password_request_id)
  if (lead === undefined) {
    const reason: RefusalReason = 'password_request_closed'
    await logEventOf(deps, trx, consumedLink, { code: 'END_USER_MAGIC_LINK_FAILED', ...known, reason })
    return undefined
  }
  await voidSiblings(deps, trx, consumedLink)
  const { parameters, reason } = lead
  await logEventOf(deps, trx, consumedLink, { code: 'END_USER_MAGIC_LINK_SUCCESS', ...known, reason })
  // A missing required value does not block the sign-in.
  if (reason === undefined && (await isRequiredMetadataMissing(trx, tenant, user.id)))
    await logEventOf(deps, trx, consumedLink, { code: 'REQUIRED_METADATA_MISSING', ...known })
  if (
    reason === 'password_code' &&
    consumedLink.redirect_uri === setPasswordUrl(deps.config.baseUrl, consumedLink.domain)
  )
    return { redirectUrl: `${consumedLink.redirect_uri}?${new URLSearchParams(parameters).toString()}` }
  const issuer = issuerOf(deps.config.baseUrl, consumedLink.domain)
  return {
    redirectUrl: toRedirectUrl(consumedLink.redirect_uri, { parameters, state: consumedLink.state, issuer }),
  }
}

async function signIn(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, consumedLink, user }: Arrival,
): Promise<Lead> {
  await markEmailProved(deps, trx, tenant, user, { isLinkReturned: consumedLink.is_link_returned })
  await emitConsumed(deps, trx, { tenant, consumedLink, user })
  const outcome = await completeFirstFactor(deps, trx, {
    tenant,
    organizationId: consumedLink.organization_id,
    userId: user.id,
    applicationId: consumedLink.application_id,
    redirectUri: consumedLink.redirect_uri,
    amr: ['email'],
    authenticatedAt: deps.now(),
    nonce: consumedLink.nonce,
    codeChallenge: consumedLink.code_challenge,
    scope: consumedLink.scope ?? '',
    state: consumedLink.state,
    via: 'page',
  })
  if ('code' in outcome) return { parameters: { code: outcome.code } }
  // As errors of RFC 6749 section 4.1.2.1, so that no client takes one for a code.
  if ('refused' in outcome)
    return { parameters: { error: outcome.refused, user_id: user.id }, reason: outcome.refused }
  const { error: reason } = outcome
  return { parameters: { error: reason, request_id: outcome.pendingSignInId, user_id: user.id }, reason }
}

/** Signs nobody in: the redirect carries a code that sets a password. */
async function leadToPassword(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, consumedLink, user }: Arrival,
  requestId: string,
): Promise<Lead | undefined> {
  const request = { requestId, email: consumedLink.email_normalized, userId: user.id }
  const code = await givePasswordCode(deps, trx, tenant, request)
  if (code === undefined) return undefined
  await emitConsumed(deps, trx, { tenant, consumedLink, user })
  return { parameters: { password_code: code }, reason: 'password_code' }
}

/** An unknown token is not logged: strangers must not fill an account's log. */
async function logDeadLink(deps: Deps, trx: Transaction<DB>, link: ArrivedLink): Promise<void> {
  const dead = await trx
    .selectFrom('magic_link_challenges as challenge')
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'challenge')))
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
  const reason: RefusalReason =
    dead.used_at !== null ? 'link_used' : dead.voided_at !== null ? 'link_voided' : 'link_expired'
  await logEventOf(deps, trx, dead, { code: 'END_USER_MAGIC_LINK_FAILED', reason, requestId: link.requestId })
}
