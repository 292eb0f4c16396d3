import type { RefusalReason } from '@portico/contract/log-events'
import type { Transaction } from 'kysely'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { emit } from '../../delivery/events/emit.js'
import { logEvent, type LogEntry } from '../../delivery/log-events/log-event.js'
import { isEmailDomainAllowed } from '../../directory/allowed-domain.js'
import { isSsoRequiredOf } from '../../directory/domains/authority.js'
import { usersOf } from '../../directory/users/whole-user.js'
import type { DB } from '../../platform/db/schema.js'
import { isOrganizationOf, sameTenant } from '../../platform/db/tenant-predicate.js'
import { ofUser, type Caller, type Tenant } from '../../platform/tenant.js'
import { forgetAttempts } from '../flows/attempts.js'
import type { Flow } from '../flows/flow.js'
import { completeFactorOfLockedFlow, lockFlow } from '../flows/lock-flow.js'
import { firstFactorSteps } from '../flows/step.js'
import type { PasskeyProof, ProvedPasskey } from './prove-passkey.js'
import { recordUse } from './use-passkey.js'

/** How a passkey that has verified its user is named (RFC 8176): possession of a key, and a factor that only its user has. */
const amr = ['pop', 'user', 'mfa']

/**
 * Moves a flow on by a proved passkey, which is two factors: where it is kept, and what opens it.
 *
 * @returns Undefined when it has; else why not, which the page does not tell.
 */
export async function signInByPasskey(
  deps: Deps,
  caller: Caller & Tenant,
  flow: Flow,
  proof: PasskeyProof,
): Promise<RefusalReason | undefined> {
  const { record: refused } = await change(deps, caller.cause, async (trx) => {
    if ('refused' in proof) return { record: await refuse(deps, trx, caller, flow, proof) }
    const reason = await complete(deps, trx, caller, flow, proof.proved)
    const { userId } = proof.proved
    if (reason !== undefined)
      return { record: await refuse(deps, trx, caller, flow, { refused: reason, userId }) }
    await log(deps, trx, caller, flow, { code: 'END_USER_PASSKEY_SUCCESS', userId })
    return { record: undefined }
  })
  if (refused === undefined && 'proved' in proof)
    await forgetAttempts(deps, { ...caller, address: proof.proved.emailNormalized })
  return refused
}

/** @returns Why it was not completed; undefined when it was. */
async function complete(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  flow: Flow,
  proved: ProvedPasskey,
): Promise<RefusalReason | undefined> {
  const { userId, passkeyId, isVerified } = proved
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
      isSsoRequiredOf('users').as('is_sso_required'),
    ])
    .forNoKeyUpdate('users')
    .executeTakeFirst()
  if (user === undefined) return 'user_not_found'
  if (!user.active) return 'user_inactive'
  if (user.is_offered !== true || user.first_factor !== true) return 'passkeys_inactive'
  if (user.is_sso_required) return 'sso_required'
  if (!isEmailDomainAllowed(user.allowed_email_domains, user.email_normalized))
    return 'email_domain_not_allowed'
  const use = await recordUse(deps, trx, tenant, proved)
  if (use !== 'used') return use === 'disabled' ? 'passkey_disabled' : 'passkey_wrong'
  const held = await lockFlow(deps, trx, flow, { steps: firstFactorSteps })
  const step = held && (await completeFactorOfLockedFlow(deps, trx, held, { tenant, userId, amr }))
  if (step === undefined) return 'flow_over'
  await emit(deps, trx, ofUser(tenant, userId), {
    code: 'passkey.challenge.validate.success',
    record: {
      __type__: 'PasskeyChallenge',
      __domain__: flow.domain,
      __environment__: flow.environment,
      user_id: userId,
      passkey_id: passkeyId,
      user_verified: isVerified,
      challenged_at: deps.now().toISOString(),
    },
    organizationId: flow.organizationId,
    subjectId: userId,
  })
  return undefined
}

async function refuse(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  flow: Flow,
  { refused, userId = null }: { readonly refused: RefusalReason; readonly userId?: string | null },
): Promise<RefusalReason> {
  await log(deps, trx, tenant, flow, { code: 'END_USER_PASSKEY_FAILED', reason: refused, userId })
  return refused
}

function log(
  deps: Deps,
  trx: Transaction<DB>,
  tenant: Tenant,
  { organizationId, applicationId: clientId }: Flow,
  entry: Pick<LogEntry, 'code' | 'reason' | 'userId'>,
): Promise<void> {
  return logEvent(deps, trx, { ...tenant, organizationId, clientId, ...entry })
}
