import type { AuthorizationRequest } from '@portico/contract/authorize'
import type { DiscoveryEntrance, NewDiscoveryEntrance } from '@portico/contract/discovery'
import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change, type Changed } from '../../delivery/events/change.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { checkCodeChallenge } from '../../directory/sessions/code-destination.js'
import { codeLifetimesMs, completeSignIn } from '../../directory/sessions/complete-sign-in.js'
import { markEmailProved } from '../../directory/users/proved-email.js'
import { isRequiredMetadataMissing } from '../../directory/users/signing-in-user.js'
import { hashSecret } from '../../platform/crypto/secret.js'
import type { DB } from '../../platform/db/schema.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'
import { ApiError } from '../../platform/errors.js'
import { ofUser, type Caller, type Tenant } from '../../platform/tenant.js'
import { findOrJoin } from '../../sign-in/account-flows/enter.js'
import type { Entry } from '../../sign-in/account-flows/entries.js'
import { isFactorMissing, nextFactorOf } from '../../sign-in/flows/pending-sign-in.js'
import { accountIssuerOf } from '../../tokens/issuer.js'
import { grantedScope, scopesOf } from '../../tokens/scopes.js'
import type { AuthorizingClient } from '../oauth/authorizing-client.js'
import { findWay } from '../oauth/organization-entrance.js'
import { findClientAt } from '../oauth/requested-organization.js'
import { checkRedirect, getDiscoveringApplication } from './application.js'
import { findDiscovery, makeSecret, overAt, takeDiscovery, toProof, type DiscoveryRow } from './discovery.js'
import { listOffered } from './organizations.js'
import { toDiscoveryEntrance } from './record.js'

/**
 * Enters an organization of a discovery, once: with a code, where the proof of the mailbox is all that the organization demands
 * of the user; else with the address of our page for what is missing.
 *
 * @throws ApiError `discovery_not_found`, `organization_not_found` when the organization is none that the address can enter,
 *   whether or not it exists, and `invalid_parameters` when the application does not list the redirect URI, or demands PKCE.
 */
export async function enterDiscovery(
  deps: Deps,
  caller: Caller,
  input: NewDiscoveryEntrance,
): Promise<Changed<DiscoveryEntrance>> {
  const { accountId, environment, accountDomain } = caller
  const at = deps.now()
  const secretHash = hashSecret(input.discovery_token)
  const key = { accountId, environment, step: 'token' as const, secretHash, at }
  const [found] = await findDiscovery(deps.db, key)
  if (found === undefined) throw new ApiError('discovery_not_found')
  const [entry] = await listOffered(deps, caller, found, input.org_domain)
  if (entry === undefined) throw notOffered(deps)
  const { application_id: applicationId } = found
  const application = await getDiscoveringApplication(deps, caller, applicationId)
  checkRedirect(application, input.redirect_uri)
  checkCodeChallenge(input, application)
  const place = { accountId, accountDomain, environment, applicationId, redirectUri: input.redirect_uri }
  const client = await findClientAt(deps, place, { domain: entry.domain })
  if (client === undefined) throw notOffered(deps)
  const way = await findWay(deps, client, found.email)
  // A person who may only ask to join does so on a page.
  const isLinkEnough = way.connectionId === undefined && way.methods.hasLink && entry.kind !== 'may_ask'

  const { record } = await change(deps, caller.cause, async (trx) => {
    const [taken] = await takeDiscovery(trx, { ...key, ...overAt(at) })
    if (taken === undefined) throw new ApiError('discovery_not_found')
    const chosen = { caller, client, found, entry, input }
    const code = isLinkEnough ? await signIn(deps, trx, chosen) : undefined
    return { record: code ?? (await continueOnPage(deps, trx, chosen)) }
  })
  deps.metrics.countEntrance(record.code === null ? 'page' : 'code')
  return { record }
}

/** One answer, so that nobody learns which organizations there are. */
function notOffered({ metrics }: Pick<Deps, 'metrics'>): ApiError {
  metrics.countEntrance('not_offered')
  return new ApiError('organization_not_found')
}

interface Chosen {
  readonly caller: Caller
  readonly client: AuthorizingClient
  readonly found: DiscoveryRow
  readonly entry: Entry
  readonly input: NewDiscoveryEntrance
}

/** Signs the user in as a link of the organization would; undefined where a second factor is asked for, or has to be enrolled. */
async function signIn(
  deps: Deps,
  trx: Transaction<DB>,
  { caller, client, found, entry, input }: Chosen,
): Promise<DiscoveryEntrance | undefined> {
  const tenant: Tenant = { ...caller, domain: client.domain }
  const { email, proved_at: provedAt } = found
  const proof = toProof(found)
  const user = await findOrJoin(deps, trx, {
    tenant,
    proof,
    createdBy: entry.createdBy,
  })
  // Deactivated, or gone with its organization, since it was listed.
  if (user?.active !== true) throw notOffered(deps)
  const next = await nextFactorOf(deps, trx, tenant, user.id)
  if (user.is_sso_required === true || isFactorMissing(next)) return undefined
  const asUser = ofUser(tenant, user.id)
  await markEmailProved(deps, trx, asUser, user)
  const { organizationId, applicationId, redirectUri } = client
  const code = await completeSignIn(deps, trx, {
    tenant: asUser,
    organizationId,
    userId: user.id,
    applicationId,
    redirectUri,
    amr: ['email'],
    authenticatedAt: provedAt,
    nonce: input.nonce ?? null,
    codeChallenge: input.code_challenge ?? null,
    scope: grantedScope(input.scope),
    state: input.state ?? null,
    via: 'api',
    issuer: 'account',
  })
  const activity = {
    ...{
      accountId: client.accountId,
      environment: client.environment,
      organizationId,
      domain: client.domain,
    },
    ...{ clientId: applicationId, email, userId: user.id, cause: caller.cause },
  }
  await logEvent(deps, trx, { ...activity, code: 'END_USER_SIGN_IN_SUCCESS' })
  // A missing required value does not block the sign-in.
  if (await isRequiredMetadataMissing(trx, tenant, user.id))
    await logEvent(deps, trx, { ...activity, code: 'REQUIRED_METADATA_MISSING' })
  const expiresAt = new Date(deps.now().getTime() + codeLifetimesMs.api)
  return toDiscoveryEntrance(tenant, { code, continue_url: null, expiresAt })
}

/** Keeps the request for the page on which the user goes on. */
async function continueOnPage(
  deps: Pick<Deps, 'config' | 'now'>,
  trx: Transaction<DB>,
  { caller, client, found, input }: Chosen,
): Promise<DiscoveryEntrance> {
  const { step, secret, secretHash, expiresAt } = makeSecret('continue', deps.now())
  const { accountId, environment, accountDomain } = caller
  await trx
    .updateTable('discoveries')
    .set({
      step,
      secret_hash: secretHash,
      redirect_uri: client.redirectUri,
      request: JSON.stringify(toRequest(client, input)),
      expires_at: expiresAt,
    })
    .where(ofEnvironment({ accountId, environment }))
    .where('id', '=', found.id)
    .execute()
  const url = `${accountIssuerOf(deps.config.baseUrl, accountDomain)}/continue?token=${secret}`
  return toDiscoveryEntrance(
    { domain: client.domain, environment },
    { code: null, continue_url: url, expiresAt },
  )
}

/** The request that an application would send to the issuer of the account. */
function toRequest(
  { applicationId, redirectUri, domain }: AuthorizingClient,
  { state, nonce, code_challenge: challenge, scope }: NewDiscoveryEntrance,
): AuthorizationRequest {
  return {
    client_id: applicationId,
    redirect_uri: redirectUri,
    response_type: 'code',
    organization: domain,
    scope: ['openid', ...scopesOf(scope ?? '')],
    ...(state !== undefined && { state }),
    ...(nonce !== undefined && { nonce }),
    ...(challenge !== undefined && { code_challenge: challenge, code_challenge_method: 'S256' }),
  }
}
