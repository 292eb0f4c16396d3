import { sql, type Transaction } from 'kysely'
import { newId } from '../../platform/crypto/random.js'
import { insertFrom } from '../../platform/db/insert-if.js'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { recordAddressOf } from './address.js'
import type { Scope } from './configuration.js'
import type { PlanStep } from './plan.js'
import { ofEnvironment, sameEnvironment } from '../../platform/db/tenant-predicate.js'

export type AppliedAction = 'apply' | 'rollback'

/** The changes of one apply. */
export interface Applied {
  readonly id: string
  readonly action: AppliedAction
  readonly steps: readonly PlanStep[]
  readonly actor_id: string
  readonly request_id: string
  readonly applied_at: string
}

/** Per account and environment: rollbacks do not go further back, and older changes are in events. */
const maxApplies = 100

/** A statement has at most 65,535 parameters. */
const stepBatch = 1_000

/** Records an apply in its transaction; the oldest are deleted. */
export async function recordApply(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { account, environment, cause }: Scope,
  { action, digest, steps }: Pick<Applied, 'action' | 'steps'> & { readonly digest: string },
): Promise<{ id: string }> {
  const row = await trx
    .insertInto('config_applies')
    .values({
      account_id: account.id,
      environment,
      id: newId(),
      action,
      digest,
      actor_id: cause.actor.id,
      request_id: cause.requestId,
      applied_at: now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await recordSteps(trx, { account, environment }, row.id, steps)
  await trx
    .deleteFrom('config_applies')
    .where(ofEnvironment({ accountId: account.id, environment }))
    .where('id', 'not in', appliesOf(trx, { account, environment }).select('id').limit(maxApplies))
    .execute()
  return row
}

/** The applies of an environment, newest first. */
export async function listApplies(
  { db }: Pick<Deps, 'db'>,
  scope: Pick<Scope, 'account' | 'environment'>,
): Promise<Applied[]> {
  const rows = await appliesOf(db, scope)
    .select([
      'id',
      // Only recordApply() writes both.
      sql<AppliedAction>`action`.as('action'),
      sql<readonly PlanStep[]>`(
        select coalesce(jsonb_agg(step order by position), '[]') from config_apply_steps
        where ${sameEnvironment('config_apply_steps', 'config_applies')}
          and config_apply_steps.apply_id = config_applies.id
      )`.as('steps'),
      'actor_id',
      'request_id',
      'applied_at',
    ])
    .execute()
  return rows.map((row) => ({ ...row, applied_at: row.applied_at.toISOString() }))
}

async function recordSteps(
  trx: Transaction<DB>,
  { account, environment }: Pick<Scope, 'account' | 'environment'>,
  applyId: string,
  steps: readonly PlanStep[],
): Promise<void> {
  const rows = steps.map((step, position) => ({
    position,
    // The organization of a step, with which it is erased; null for one of the account.
    domain: recordAddressOf(step.path).organization,
    step: JSON.stringify(step),
  }))
  const row = {
    account_id: account.id,
    environment,
    apply_id: applyId,
    position: sql.ref('said.position'),
    organization_id: sql.ref('organization.id'),
    step: sql`said.step::jsonb`,
  }
  for (let first = 0; first < rows.length; first += stepBatch) {
    const batch = rows.slice(first, first + stepBatch)
    const all = <Column extends keyof (typeof rows)[number]>(column: Column) =>
      batch.map((one) => one[column])
    const said = sql`
      from unnest(${all('position')}::integer[], ${all('domain')}::text[], ${all('step')}::text[])
        as said (position, domain, step)
      left join organizations as organization
        on organization.account_id = ${account.id} and organization.domain = said.domain
        and organization.deleted_at is null`
    await insertFrom(trx, 'config_apply_steps', row, said).execute()
  }
}

/** Newest first, with the time-ordered id as tie-breaker. */
function appliesOf(db: Deps['db'], { account, environment }: Pick<Scope, 'account' | 'environment'>) {
  return db
    .selectFrom('config_applies')
    .where(ofEnvironment({ accountId: account.id, environment }))
    .orderBy('applied_at', 'desc')
    .orderBy('id', 'desc')
}
