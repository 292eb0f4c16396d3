import { createHash, randomUUID } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { fingerprints, open, seal } from '../../platform/crypto/seal.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../deps.js'
import { ApiError } from '../../platform/errors.js'
import type { IdempotencyClaim } from '../../platform/tenant.js'
import { ofEnvironment } from '../../platform/db/tenant-predicate.js'

/** The owner of the data in an answer. */
interface AnswerOwner {
  readonly organizationId?: string | undefined
  readonly subjectId?: string | undefined
}

/** The answer of a change, as it was first sent. */
interface StoredAnswer {
  readonly record: unknown
  readonly version: number | null
}

/** How long a key stays claimed after its process died. */
const leaseMs = 5_000
/** How often a claim is renewed while its request runs. */
export const renewEveryMs = 1_500
/** A lease that ends later than this was written by a clock that was ahead. */
const implausibleMs = 60_000
const lifetimeMs = 24 * 60 * 60 * 1000

interface RepeatableRequest {
  readonly accountId: string
  readonly environment: string
  readonly callerId: string
  readonly key: string
  /** The route and its parameters; compared by their digest, never stored. */
  readonly content: string
}

/**
 * Claims an Idempotency-Key for a request, or finds the stored answer of the same request.
 * One statement decides between parallel requests; an expired lease, of a process that died, is taken over.
 *
 * @throws ApiError `idempotency_key_reused` for another request, `idempotency_in_flight` while the first one runs.
 */
export async function claimIdempotencyKey(
  { db, keys, now }: Pick<Deps, 'db' | 'keys' | 'now'>,
  request: RepeatableRequest,
): Promise<IdempotencyClaim | StoredAnswer> {
  const { accountId, environment, callerId } = request
  const at = now()
  const keyHash = createHash('sha256').update(request.key).digest()
  const digests = fingerprints(keys.master, { ...requestContext, scope: accountId }, request.content)
  const lease = randomUUID()
  const claim = { accountId, environment, callerId, keyHash, lease }

  const held = {
    request_hash: digests[0],
    lease,
    lease_until: new Date(at.getTime() + leaseMs),
    expires_at: new Date(at.getTime() + lifetimeMs),
  }
  const taken = await db
    .insertInto('idempotency_keys')
    .values({ account_id: accountId, environment, api_key_id: callerId, key_hash: keyHash, ...held })
    .onConflict((conflict) =>
      conflict
        .columns(['account_id', 'environment', 'api_key_id', 'key_hash'])
        .doUpdateSet({ ...held, answer_sealed: null, organization_id: null, subject_id: null })
        .where(({ or, and, eb }) =>
          or([
            eb('idempotency_keys.expires_at', '<=', at),
            and([
              eb('idempotency_keys.answer_sealed', 'is', null),
              or([
                eb('idempotency_keys.lease_until', '<=', at),
                eb('idempotency_keys.lease_until', '>', new Date(at.getTime() + implausibleMs)),
              ]),
              eb('idempotency_keys.request_hash', 'in', digests),
            ]),
          ]),
        ),
    )
    .returning('lease')
    .executeTakeFirst()
  if (taken !== undefined) return claim

  const earlier = await db
    .selectFrom('idempotency_keys')
    .select(['request_hash', 'answer_sealed'])
    .where(ofEnvironment({ accountId, environment }))
    .where('api_key_id', '=', callerId)
    .where('key_hash', '=', keyHash)
    .executeTakeFirst()
  if (earlier !== undefined && !digests.some((digest) => digest.equals(earlier.request_hash)))
    throw new ApiError('idempotency_key_reused')
  if (earlier?.answer_sealed == null) throw new ApiError('idempotency_in_flight', { retryAfterSeconds: 1 })
  // Only settleIdempotency() seals under this context.
  return JSON.parse(open(keys.master, answerContext(claim), earlier.answer_sealed).toString()) as StoredAnswer
}

/** Renews a claim while its request runs. A claim that another request has taken over is left unchanged. */
export async function renewIdempotencyClaim(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  claim: IdempotencyClaim,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ lease_until: new Date(now().getTime() + leaseMs) })
    .where(ofEnvironment(claim))
    .where('api_key_id', '=', claim.callerId)
    .where('key_hash', '=', claim.keyHash)
    .where('lease', '=', claim.lease)
    .where('answer_sealed', 'is', null)
    .execute()
}

/**
 * Stores the answer in the transaction of the change.
 *
 * @throws ApiError `idempotency_in_flight` when another request has taken over the lease, `organization_not_found` when
 *   the organization was deleted concurrently; the change is then rolled back.
 */
export async function settleIdempotency(
  { keys }: Pick<Deps, 'keys'>,
  trx: Transaction<DB>,
  claim: IdempotencyClaim,
  answer: StoredAnswer,
  { organizationId, subjectId }: AnswerOwner,
): Promise<void> {
  const settled = await trx
    .updateTable('idempotency_keys')
    .set({
      answer_sealed: seal(keys.master, answerContext(claim), JSON.stringify(answer)),
      organization_id: organizationId ?? null,
      subject_id: subjectId ?? null,
      lease: null,
    })
    .where(ofEnvironment(claim))
    .where('api_key_id', '=', claim.callerId)
    .where('key_hash', '=', claim.keyHash)
    .where('lease', '=', claim.lease)
    .returning(lockedOrganizationExists(claim.accountId, organizationId).as('is_organization_held'))
    .executeTakeFirst()
  if (settled === undefined) throw new ApiError('idempotency_in_flight', { retryAfterSeconds: 1 })
  if (!settled.is_organization_held) throw new ApiError('organization_not_found')
}

/**
 * Whether the organization, if any, exists. The row lock orders this transaction and a deletion of the organization, so
 * that the deletion finds the answer that it must erase.
 */
function lockedOrganizationExists(accountId: string, organizationId: string | undefined) {
  if (organizationId === undefined) return sql<boolean>`true`
  return sql<boolean>`exists (
    select from organizations
    where account_id = ${accountId} and id = ${organizationId} and deleted_at is null
    for share
  )`
}

/**
 * Erases the stored answers of a user, in the environment, or of an organization, in both environments: a repeated
 * request must not return deleted data.
 */
export async function eraseStoredAnswers(
  trx: Transaction<DB>,
  { accountId, environment }: { readonly accountId: string; readonly environment: string },
  owner: { readonly organizationId: string } | { readonly subjectId: string },
): Promise<void> {
  const answers = trx.deleteFrom('idempotency_keys').where('account_id', '=', accountId)
  const owned =
    'organizationId' in owner
      ? answers.where('organization_id', '=', owner.organizationId)
      : answers.where('environment', '=', environment).where('subject_id', '=', owner.subjectId)
  await owned.execute()
}

/** Releases the key of a failed request, so that a corrected request may use it. */
export async function releaseIdempotencyKey(
  { db }: Pick<Deps, 'db'>,
  claim: IdempotencyClaim,
): Promise<void> {
  await db
    .deleteFrom('idempotency_keys')
    .where(ofEnvironment(claim))
    .where('api_key_id', '=', claim.callerId)
    .where('key_hash', '=', claim.keyHash)
    .where('lease', '=', claim.lease)
    .where('answer_sealed', 'is', null)
    .execute()
}

const requestContext = { purpose: 'idempotency_request', aad: 'idempotency_keys.request_hash' }

/** The context under which an answer is sealed; the re-sealing command uses it too. */
export function answerContext(claim: Omit<IdempotencyClaim, 'lease'>) {
  return {
    purpose: 'idempotency_answer',
    scope: claim.accountId,
    aad: `idempotency_keys.answer_sealed:${claim.environment}:${claim.callerId}:${claim.keyHash.toString('hex')}`,
  }
}
