import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { sqlStatement, statement } from '../../platform/db/statement.js'
import type { FlowKey } from '../../sign-in/flows/flow.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { requestLifetimeMs } from '../oidc/request.js'

/** The secrets of a request to a provider. */
export interface SocialSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

/**
 * Makes a request to a provider, whose answer is awaited for ten minutes. A flow waits for an answer to one of its last two
 * requests, since a double click makes two.
 */
export async function insertSocialRequest(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  key: FlowKey,
  providerId: string,
): Promise<SocialSecrets> {
  const secrets = { state: randomSecret(), nonce: randomSecret(), codeVerifier: randomSecret() }
  const stateHash = hashSecret(secrets.state)
  const at = now()
  const { accountId, environment, organizationId, flowId } = key
  await db
    .insertInto('social_requests')
    .values({
      account_id: accountId,
      environment,
      organization_id: organizationId,
      provider_id: providerId,
      state_hash: stateHash,
      flow_id: flowId,
      nonce: secrets.nonce,
      code_verifier_sealed: seal(keys.master, socialVerifierContext(key, stateHash), secrets.codeVerifier),
      expires_at: new Date(at.getTime() + requestLifetimeMs),
      inserted_at: at,
    })
    .execute()
  await forgetEarlier(db, { accountId, environment, organizationId, flowId })
  return secrets
}

const forgetEarlier = sqlStatement(
  (flow: FlowKey) => sql`
    delete from social_requests
    where ${ofOwner(flow, 'social_requests')}
      and social_requests.flow_id = ${flow.flowId}
      and social_requests.state_hash not in (
        select kept.state_hash from social_requests as kept
        where ${ofOwner(flow, 'kept')} and kept.flow_id = ${flow.flowId}
        order by kept.inserted_at desc, kept.state_hash limit 2
      )`,
)

/** An answered request, with the values that exchange its code and validate its ID token. */
export interface ConsumedSocialRequest extends FlowKey {
  readonly nonce: string
  readonly codeVerifier: string
}

/** Consumes the request that an answer names, at the provider that it was made to. Single use: one statement deletes it. */
export async function consumeSocialRequest(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  provider: { readonly accountId: string; readonly environment: Environment; readonly providerId: string },
  state: string,
): Promise<ConsumedSocialRequest | undefined> {
  const { accountId, environment, providerId } = provider
  const stateHash = hashSecret(state)
  const [row] = await consume(db, { accountId, environment, providerId, stateHash, at: now() })
  if (row === undefined) return undefined
  const key = { accountId, environment, organizationId: row.organization_id, flowId: row.flow_id }
  const context = socialVerifierContext(key, stateHash)
  return {
    ...key,
    nonce: row.nonce,
    codeVerifier: open(keys.master, context, row.code_verifier_sealed).toString(),
  }
}

const consume = statement(
  (
    db,
    request: {
      readonly accountId: string
      readonly environment: string
      readonly providerId: string
      readonly stateHash: Buffer
      readonly at: Date
    },
  ) =>
    db
      .deleteFrom('social_requests')
      .where('account_id', '=', request.accountId)
      .where('environment', '=', request.environment)
      .where('provider_id', '=', request.providerId)
      .where('state_hash', '=', request.stateHash)
      .where('expires_at', '>', request.at)
      .returning(['organization_id', 'flow_id', 'nonce', 'code_verifier_sealed']),
)

/** Whether a flow has an open request to a provider; with a state, that request. */
export async function isSocialRequestOpen(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  {
    accountId,
    environment,
    providerId,
  }: { readonly accountId: string; readonly environment: string; readonly providerId: string },
  request: { readonly flowId: string } | { readonly state: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('social_requests')
    .where('account_id', '=', accountId)
    .where('environment', '=', environment)
    .where('provider_id', '=', providerId)
    .where(
      'flowId' in request
        ? sql<boolean>`flow_id = ${request.flowId}`
        : sql<boolean>`state_hash = ${hashSecret(request.state)}`,
    )
    .where('expires_at', '>', now())
    .select('nonce')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** The context under which the verifier of a request is sealed; the re-sealing command uses it too. */
export function socialVerifierContext(
  {
    accountId,
    environment,
    organizationId,
  }: { readonly accountId: string; readonly environment: string; readonly organizationId: string },
  stateHash: Buffer,
): SealContext {
  return {
    purpose: 'social_request',
    scope: organizationId,
    aad: `social_requests.code_verifier_sealed:${accountId}:${environment}:${stateHash.toString('hex')}`,
  }
}
