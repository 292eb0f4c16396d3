import type { RefusalReason } from '@portico/contract/log-events'
import { sql, type Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent, type LogEntry } from '../../delivery/log-events/log-event.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { comesBySso } from '../../directory/users/sso-user.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'
import { ofUser, type Caller, type Tenant } from '../../platform/tenant.js'
import { forgetAttempts } from '../flows/attempts.js'
import type { Flow, FlowKey } from '../flows/flow.js'
import { completeFactorOfLockedFlow, lockFlow } from '../flows/lock-flow.js'
import { firstFactorSteps } from '../flows/step.js'
import type { PasskeyProof, ProvedPasskey } from './prove-passkey.js'
import { recordUse } from './use-passkey.js'

/** How a passkey that has verified its user is named (RFC 8176): possession of a key, and a factor that only its user has. */
export const amr = ['pop', 'user', 'mfa']

/** The flow in which a passkey signs in. */
type PasskeyFlow = FlowKey & PlaceOfUse

/**
 * Moves a flow on by a proved passkey, which is two factors: where it is kept, and what opens it.
 *
 * @returns Undefined when it has; else why not, which the page does not tell.
 */
export async function signInByPasskey(
  deps: Deps,
  caller: Caller & Tenant,
  flow: PasskeyFlow,
  proof: PasskeyProof,
): Promise<RefusalReason | undefined> {
  const refused = await settle(deps, caller, flow, proof, (trx, proved) =>
    complete(deps, trx, caller, flow, proved),
  )
  if (refused === undefined && 'proved' in proof)
    await forgetAttempts(deps, { ...caller, address: proof.proved.emailNormalized })
  return refused
}

/** Where a passkey was used: the flow, or the challenge of the API. */
export type PlaceOfUse = Pick<Flow, 'domain' | 'environment' | 'organizationId' | 'applicationId'>

/**
 * Ends a ceremony: what a proved passkey is good for, with its event, and the log of whatever becomes of it.
 *
 * @param work Returns what the sign-in has come to, or why the passkey is refused all the same.
 * @returns The same, or why it was refused before.
 */
export async function settle<Passed extends object | undefined = undefined>(
  deps: Deps,
  caller: Caller & Tenant,
  place: PlaceOfUse,
  proof: PasskeyProof,
  work: (trx: Transaction<DB>, proved: ProvedPasskey) => Promise<RefusalReason | Passed>,
): Promise<RefusalReason | Passed> {
  const { record: outcome } = await change(deps, caller.cause, async (trx) => {
    const { organizationId, applicationId: clientId } = place
    const log = (entry: Pick<LogEntry, 'code' | 'reason' | 'userId'>) =>
      logEvent(deps, trx, { ...caller, organizationId, clientId, ...entry })
    const userId = 'proved' in proof ? proof.proved.userId : null
    const reached = 'proved' in proof ? await work(trx, proof.proved) : proof.refused
    if (typeof reached === 'string') {
      await log({ code: 'END_USER_PASSKEY_FAILED', reason: reached, userId })
      return { record: reached }
    }
    if ('proved' in proof) await emitUse(deps, trx, caller, place, proof.proved)
    await log({ code: 'END_USER_PASSKEY_SUCCESS', userId })
    return { record: reached }
  })
  return outcome
}

/** @returns Why it was not completed; undefined when it was. */
async function complete(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  flow: PasskeyFlow,
  proved: ProvedPasskey,
): Promise<RefusalReason | undefined> {
  const refused = await useAsFirstFactor(deps, trx, tenant, proved)
  if (refused !== undefined) return refused
  const { userId } = proved
  const held = await lockFlow(deps, trx, flow, { steps: firstFactorSteps })
  const step = held && (await completeFactorOfLockedFlow(deps, trx, held, { tenant, userId, amr }))
  return step === undefined ? 'flow_over' : undefined
}

/**
 * Uses a proved passkey as the whole sign-in of its user, whom it locks.
 *
 * @returns Why the user is not signed in by it; undefined when they are.
 */
export async function useAsFirstFactor(
  deps: Pick<Deps, 'db' | 'now'>,
  trx: Transaction<DB>,
  tenant: Tenant,
  proved: ProvedPasskey,
): Promise<RefusalReason | undefined> {
  const { userId } = proved
  // Locked, so that a deactivation or a removal either precedes the sign-in or ends its session.
  const user = await usersOf(trx, tenant)
    .innerJoin('organizations', (join) => join.on(isOrganizationOf('organizations', 'users')))
    .leftJoin('passkey_connections as connection', (join) => join.on(sameTenant('connection', 'users')))
    .where('users.id', '=', userId)
    .select([
      'users.email_normalized',
      'users.active',
      'organizations.allowed_email_domains',
      'connection.active as is_offered',
      'connection.first_factor',
      sql<boolean>`(${isSsoRequiredOf('users')} or ${comesBySso('users')})`.as('is_sso_user'),
    ])
    .forNoKeyUpdate('users')
    .executeTakeFirst()
  if (user === undefined) return 'user_not_found'
  if (!user.active) return 'user_inactive'
  if (user.is_offered !== true || user.first_factor !== true) return 'passkeys_inactive'
  if (user.is_sso_user) return 'sso_required'
  if (!isEmailDomainAllowed(user.allowed_email_domains, user.email_normalized))
    return 'email_domain_not_allowed'
  const use = await recordUse(deps, trx, tenant, proved)
  if (use === 'used') return undefined
  return use === 'disabled' ? 'passkey_disabled' : 'passkey_wrong'
}

async function emitUse(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { domain, environment, organizationId }: PlaceOfUse,
  { userId, passkeyId, isVerified }: ProvedPasskey,
): Promise<void> {
  await emit(deps, trx, ofUser(tenant, userId), {
    code: 'passkey.challenge.validate.success',
    record: {
      __type__: 'PasskeyChallenge',
      __domain__: domain,
      __environment__: environment,
      user_id: userId,
      passkey_id: passkeyId,
      user_verified: isVerified,
      challenged_at: deps.now().toISOString(),
    },
    organizationId,
    subjectId: userId,
  })
}
