import type { Environment } from '@portico/contract/fields'
import { sql } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { open, seal, type SealContext } from '../../platform/crypto/seal.js'
import { hashSecret, randomSecret } from '../../platform/crypto/secret.js'
import { sqlStatement, statement } from '../../platform/db/statement.js'
import { ofOwner } from '../../platform/db/tenant-predicate.js'
import { requestLifetimeMs } from '../oidc/request.js'

/** The secrets of a request to a provider. */
export interface SocialSecrets {
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
}

interface Owner {
  readonly accountId: string
  readonly environment: string
  readonly organizationId: string
}

/** What a request is made for: a sign-in, or the user of a session who links their account at the provider. */
export type Purpose = { readonly flowId: string } | { readonly sessionId: string }

function columnsOf(purpose: Purpose) {
  return 'flowId' in purpose
    ? { flow_id: purpose.flowId, session_id: null }
    : { flow_id: null, session_id: purpose.sessionId }
}

/**
 * Makes a request to a provider, whose answer is awaited for ten minutes. A flow, or a session, waits for an answer to one of its last
 * two requests, since a double click makes two.
 */
export async function insertSocialRequest(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  key: Owner & Purpose,
  providerId: string,
): Promise<SocialSecrets> {
  const secrets = { state: randomSecret(), nonce: randomSecret(), codeVerifier: randomSecret() }
  const stateHash = hashSecret(secrets.state)
  const at = now()
  const { accountId, environment, organizationId } = key
  const columns = columnsOf(key)
  await db
    .insertInto('social_requests')
    .values({
      account_id: accountId,
      environment,
      organization_id: organizationId,
      provider_id: providerId,
      state_hash: stateHash,
      ...columns,
      nonce: secrets.nonce,
      code_verifier_sealed: seal(keys.master, socialVerifierContext(key, stateHash), secrets.codeVerifier),
      expires_at: new Date(at.getTime() + requestLifetimeMs),
      inserted_at: at,
    })
    .execute()
  await forgetEarlier(db, { accountId, environment, organizationId, ...columns })
  return secrets
}

const forgetEarlier = sqlStatement(
  (made: Owner & ReturnType<typeof columnsOf>) => sql`
    delete from social_requests
    where ${ofOwner(made, 'social_requests')}
      and (social_requests.flow_id = ${made.flow_id} or social_requests.session_id = ${made.session_id})
      and social_requests.state_hash not in (
        select kept.state_hash from social_requests as kept
        where ${ofOwner(made, 'kept')} and (kept.flow_id = ${made.flow_id} or kept.session_id = ${made.session_id})
        order by kept.inserted_at desc, kept.state_hash limit 2
      )`,
)

/** An answered request, with the values that exchange its code and validate its ID token. */
export interface ConsumedSocialRequest extends Owner {
  readonly environment: Environment
  readonly purpose: Purpose
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
  const key = { accountId, environment, organizationId: row.organization_id }
  const context = socialVerifierContext(key, stateHash)
  return {
    ...key,
    // The table's check constraint allows nothing else.
    purpose: row.flow_id === null ? { sessionId: row.session_id ?? '' } : { flowId: row.flow_id },
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
      .returning(['organization_id', 'flow_id', 'session_id', 'nonce', 'code_verifier_sealed']),
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
