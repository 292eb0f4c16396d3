import type { Environment } from '@portico/contract/fields'
import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { statement } from '../../platform/db/statement.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent, type LogEntry } from '../../delivery/log-events/log-event.js'
import { issuerOf } from '../../tokens/claims.js'
import { grantedScope } from '../../tokens/scopes.js'
import { authoritativeDomains, isCoveredBy } from '../../directory/domains/authority.js'
import { completeSignIn, toRedirectUrl } from '../../directory/sessions/complete-sign-in.js'
import { isUnexpired } from '../../directory/sessions/lifetime.js'
import { ofUser, type Cause, type Tenant } from '../../platform/tenant.js'
import { admit, refusalOf } from '../../directory/users/admit.js'
import { lockIdentity, type AssertedIdentity } from '../../directory/users/identities.js'
import {
  findUserByIdentity,
  isRequiredMetadataMissing,
  renewIdentity,
  type SigningInUser,
} from '../../directory/users/signing-in-user.js'
import { destinationOf, isPartnerOpen, receivingApplication } from './partner.js'
import { toRelayRequestData } from './record.js'
import { isOrganizationOf, sameEnvironment, sameTenant } from '../../platform/db/tenant-predicate.js'

/** A relay's address that a browser has opened. */
interface ArrivedRelay {
  readonly token: string
  readonly requestId: string
}

/**
 * Where the browser goes with the code, or why it is refused. `dead`: the address is unknown, used or expired, or what
 * it was made for is no longer allowed.
 */
export type RelayOutcome =
  | { readonly redirectUrl: string }
  | { readonly refusal: 'dead' | 'email_taken' | 'user_inactive' | 'not_admitted' }

/**
 * Signs the carried user in to the partner. Single use: one statement consumes the address. The partner finds the user
 * by the asserted identity, never by e-mail address.
 */
export async function consumeRelay(deps: Deps, arrived: ArrivedRelay): Promise<RelayOutcome> {
  const { record } = await change(deps, causeOf(arrived), async (trx) => {
    const [consumedRelay] = await consumeLinkToken(trx, {
      tokenHash: hashSecret(arrived.token),
      at: deps.now(),
    })
    if (consumedRelay === undefined) {
      await logDeadRelay(deps, trx, arrived)
      return { record: { refusal: 'dead' as const } }
    }
    return { record: await arrive(deps, trx, arrived, consumedRelay) }
  })
  return record
}

function causeOf({ requestId }: ArrivedRelay): Cause {
  return { requestId, actor: { type: 'system', id: 'relay' }, params: () => ({}) }
}

/** Consumes the token; the same statement reads the present state of both organizations. */
const consumeLinkToken = statement((db, { tokenHash, at }: { tokenHash: Buffer; at: Date }) =>
  db
    .updateTable('relay_requests as request')
    .set({ used_at: at })
    .from(['relays as relay', 'organizations as partner', 'organizations as origin', 'accounts'])
    .from(['sessions as session', 'users as carried'])
    .where('request.token_hash', '=', tokenHash)
    .where('request.used_at', 'is', null)
    .where('request.expires_at', '>', at)
    .where(sameEnvironment('relay', 'request'))
    .whereRef('relay.id', '=', 'request.relay_id')
    .where(isOrganizationOf('partner', 'relay'))
    .where(isOrganizationOf('origin', 'request'))
    .whereRef('accounts.id', '=', 'request.account_id')
    .where(sameTenant('session', 'request'))
    .whereRef('session.id', '=', 'request.session_id')
    .where(sameTenant('carried', 'request'))
    .whereRef('carried.id', '=', 'request.user_id')
    .returning([
      'request.account_id',
      sql<Environment>`request.environment`.as('environment'),
      'request.organization_id as origin_id',
      'request.id',
      'request.relay_id',
      'request.user_id',
      'request.scope',
      'request.expires_at',
      'origin.domain as origin_domain',
      'carried.email',
      isAddressProved().as('is_address_proved'),
      'session.authenticated_at',
      'relay.organization_id as partner_id',
      'relay.partner_redirect_uri',
      'partner.domain as partner_domain',
      'accounts.domain as account_domain',
      'relay.active as is_relay_active',
      isPartnerOpen(destinationOf('relay')).as('is_partner_open'),
      receivingApplication(destinationOf('relay')).as('application_id'),
      sql<boolean>`(session.ended_at is null and ${isUnexpired(at, 'session')})`.as('is_session_open'),
      sql<boolean>`(carried.active and carried.deleted_at is null and origin.deleted_at is null)`.as(
        'is_carried_user_active',
      ),
    ]),
)

type ConsumedRelay = Awaited<ReturnType<typeof consumeLinkToken>>[number]

/**
 * Whether the carried user's address counts as verified at the partner. An organization may let its identity provider bring
 * any address; elsewhere the assertion counts only for domains for which that connection is authoritative. Otherwise it could
 * claim other users' addresses at every partner.
 */
function isAddressProved() {
  return sql<boolean>`(
    carried.email_verified
    and not exists (
      select from user_identities as identity
      left join sso_connections as connection
        on connection.account_id = identity.account_id
        and connection.environment = identity.environment
        and connection.organization_id = identity.organization_id
        and connection.idp_id = identity.idp_id
      where identity.account_id = carried.account_id
        and identity.environment = carried.environment
        and identity.organization_id = carried.organization_id
        and identity.user_id = carried.id
        and identity.kind in ('saml', 'oidc')
        and not coalesce(
          ${isCoveredBy(authoritativeDomains('connection', 'origin'), sql`substring(carried.email_normalized from '[^@]*$')`)},
          false
        )
    )
  )`
}

/** Why the relay refuses every user; undefined when it does not. */
function whyRefused(consumedRelay: ConsumedRelay): string | undefined {
  if (!consumedRelay.is_relay_active) return 'relay_inactive'
  if (!consumedRelay.is_partner_open) return 'partner_not_open'
  if (!consumedRelay.is_session_open) return 'session_ended'
  return consumedRelay.is_carried_user_active ? undefined : 'user_inactive_at_origin'
}

async function arrive(
  deps: Deps,
  trx: Transaction<DB>,
  arrived: ArrivedRelay,
  consumedRelay: ConsumedRelay,
): Promise<RelayOutcome> {
  const { application_id: applicationId } = consumedRelay
  const refusal = whyRefused(consumedRelay)
  if (refusal !== undefined || applicationId === null) {
    const reason = refusal ?? 'redirect_not_allowed'
    await logRelay(deps, trx, arrived, consumedRelay, { code: 'END_USER_RELAY_FAILED', reason })
    return { refusal: 'dead' }
  }
  const identity = identityOf(deps, consumedRelay)
  const tenant = partnerOf(consumedRelay, arrived)
  await lockIdentity(trx, tenant, identity)
  const user = await findOrCreateUser(deps, trx, tenant, { consumedRelay, identity }).catch(refusalOf)
  if (typeof user === 'string') {
    const entry = { code: 'END_USER_RELAY_FAILED', reason: user } as const
    await logRelay(deps, trx, arrived, consumedRelay, { ...entry, clientId: applicationId })
    return { refusal: 'not_admitted' }
  }
  if (user?.active !== true) {
    const refusal = user === undefined ? 'email_taken' : 'user_inactive'
    const entry = { code: 'END_USER_RELAY_FAILED', reason: refusal } as const
    await logRelay(deps, trx, arrived, consumedRelay, { ...entry, clientId: applicationId, userId: user?.id })
    return { refusal }
  }
  const signIn = { tenant: ofUser(tenant, user.id), arrived, consumedRelay, identity, user, applicationId }
  return { redirectUrl: await completeRelay(deps, trx, signIn) }
}

/** The user's identity as asserted by the organization of origin. */
function identityOf({ config }: Pick<Deps, 'config'>, consumedRelay: ConsumedRelay): AssertedIdentity {
  const issuer = issuerOf(config.baseUrl, consumedRelay.origin_domain)
  return {
    kind: 'relay',
    issuer,
    subject: consumedRelay.user_id,
    idpId: null,
    provider: 'relay',
    data: { iss: issuer, sub: consumedRelay.user_id },
    authenticatedAt: consumedRelay.authenticated_at,
  }
}

function partnerOf(consumedRelay: ConsumedRelay, arrived: ArrivedRelay): Tenant {
  return {
    accountId: consumedRelay.account_id,
    accountDomain: consumedRelay.account_domain,
    environment: consumedRelay.environment,
    domain: consumedRelay.partner_domain,
    organizationIds: null,
    cause: causeOf(arrived),
  }
}

/** The partner's user with the identity; undefined when a new user's address belongs to another user. */
async function findOrCreateUser(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { consumedRelay, identity }: { consumedRelay: ConsumedRelay; identity: AssertedIdentity },
): Promise<SigningInUser | undefined> {
  const found = await findUserByIdentity(trx, tenant, identity)
  if (found !== undefined) {
    // The data of this identity is its name, so it never changes.
    if (found.active) await renewIdentity(trx, tenant, { ...identity, userId: found.id })
    return found
  }
  const id = newId()
  const { email, is_address_proved: emailVerified } = consumedRelay
  return admit(deps, trx, ofUser(tenant, id), { via: 'relay', id, email, emailVerified, identity })
}

interface RelaySignIn {
  readonly tenant: Tenant
  readonly arrived: ArrivedRelay
  readonly consumedRelay: ConsumedRelay
  readonly identity: AssertedIdentity
  readonly user: SigningInUser
  readonly applicationId: string
}

async function completeRelay(
  deps: Deps,
  trx: Transaction<DB>,
  { tenant, arrived, consumedRelay, identity, user, applicationId }: RelaySignIn,
): Promise<string> {
  const origin = { ...ofUser(tenant, consumedRelay.user_id), domain: consumedRelay.origin_domain }
  await emit(deps, trx, origin, {
    code: 'relay.request.consume.success',
    record: toRelayRequestData(consumedRelay, origin),
    organizationId: consumedRelay.origin_id,
    subjectId: consumedRelay.user_id,
  })
  const code = await completeSignIn(deps, trx, {
    tenant,
    organizationId: consumedRelay.partner_id,
    userId: user.id,
    applicationId,
    redirectUri: consumedRelay.partner_redirect_uri,
    amr: ['relay'],
    authenticatedAt: identity.authenticatedAt,
    act: { iss: identity.issuer, sub: identity.subject },
    nonce: null,
    codeChallenge: null,
    scope: grantedScope(consumedRelay.scope, 'relay'),
    state: null,
    via: 'page',
  })
  const known = { clientId: applicationId, userId: user.id, email: user.email }
  await logRelay(deps, trx, arrived, consumedRelay, { code: 'END_USER_RELAY_SUCCESS', ...known })
  // A missing required value does not block the sign-in.
  if (await isRequiredMetadataMissing(trx, tenant, user.id))
    await logRelay(deps, trx, arrived, consumedRelay, { code: 'REQUIRED_METADATA_MISSING', ...known })
  const issuer = issuerOf(deps.config.baseUrl, consumedRelay.partner_domain)
  return toRedirectUrl(consumedRelay.partner_redirect_uri, {
    parameters: { code, authorization_code: code },
    state: null,
    issuer,
  })
}

/** An unknown token is not logged: strangers must not fill an account's log. */
async function logDeadRelay(deps: Deps, trx: Transaction<DB>, arrived: ArrivedRelay): Promise<void> {
  const dead = await trx
    .selectFrom('relay_requests as request')
    .innerJoin('relays as relay', (join) =>
      join.on(sameEnvironment('relay', 'request')).onRef('relay.id', '=', 'request.relay_id'),
    )
    .innerJoin('organizations as partner', (join) => join.on(isOrganizationOf('partner', 'relay')))
    .where('request.token_hash', '=', hashSecret(arrived.token))
    .select([
      'request.account_id',
      'request.environment',
      'request.used_at',
      'relay.organization_id as partner_id',
      'partner.domain as partner_domain',
      'partner.deleted_at',
    ])
    .executeTakeFirst()
  if (dead === undefined || dead.deleted_at !== null) return
  const reason = dead.used_at === null ? 'relay_expired' : 'relay_used'
  await logRelay(deps, trx, arrived, dead, { code: 'END_USER_RELAY_FAILED', reason })
}

type KnownRelay = Pick<ConsumedRelay, 'account_id' | 'partner_id' | 'partner_domain'> & {
  readonly environment: string
}

/** Logged for the partner, which the sign-in was for, without addresses of the other directory. */
function logRelay(
  deps: Pick<Deps, 'now' | 'metrics'>,
  trx: Transaction<DB>,
  { requestId }: ArrivedRelay,
  known: KnownRelay,
  entry: Pick<LogEntry, 'code' | 'reason' | 'clientId' | 'email'> & { readonly userId?: string | undefined },
): Promise<void> {
  return logEvent(deps, trx, {
    accountId: known.account_id,
    environment: known.environment,
    organizationId: known.partner_id,
    domain: known.partner_domain,
    code: entry.code,
    clientId: entry.clientId ?? null,
    email: entry.email ?? null,
    userId: entry.userId ?? null,
    reason: entry.reason ?? null,
    requestId,
  })
}
