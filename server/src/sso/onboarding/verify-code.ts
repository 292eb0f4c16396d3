import { sql, type Transaction } from 'kysely'
import type { DB } from '../../platform/db/schema.js'
import type { Deps } from '../../delivery/deps.js'
import { change } from '../../delivery/events/change.js'
import { enqueue } from '../../delivery/jobs/enqueue.js'
import { logEvent } from '../../delivery/log-events/log-event.js'
import { mailNetworkKey, mailsOfNetwork } from '../../delivery/mail/mail-limits.js'
import { adminSessionMs, type ArrivedBrowser } from '../admins/admin-session.js'
import { arrivalCause } from './arrival.js'
import {
  codeLifetimeMs,
  isAdminCode,
  makeAdminCode,
  maxCodeFailures,
  openAdminCode,
  sealAdminCode,
} from './code.js'
import { attemptAdminCode, countAdminCode } from './code-limits.js'
import { adminCause, recordAdminLogin } from './note.js'
import { ofOrganization } from '../../platform/db/tenant-predicate.js'

/** `code_over`: it has expired or was tried too often; another one has to be requested. */
type CodeOutcome = 'verified' | 'wrong_code' | 'code_over'

/**
 * Verifies the mailed code that an administrator enters, and authorizes their browser. An attempt is counted before it is
 * compared, so that concurrent ones cannot exceed five.
 *
 * @throws ApiError `rate_limited` when there are too many tries at the organization.
 */
export async function verifyAdminCode(
  deps: Deps,
  browser: ArrivedBrowser,
  { code, ip, requestId }: { readonly code: string; readonly ip: string; readonly requestId: string },
): Promise<CodeOutcome> {
  // Over all codes: a holder of the link without the mailbox could request one after the other.
  const attempt = await attemptAdminCode(deps, { ...browser, ip })
  if (attempt === undefined) return 'code_over'
  const { record } = await change(deps, arrivalCause(requestId), async (trx) => ({
    record: await tryCode(deps, trx, browser, { code, requestId }),
  }))
  if (record === 'verified') await attempt.succeed()
  return record
}

async function tryCode(
  deps: Deps,
  trx: Transaction<DB>,
  browser: ArrivedBrowser,
  { code, requestId }: { readonly code: string; readonly requestId: string },
): Promise<CodeOutcome> {
  const sealed = await countAttempt(deps, trx, browser)
  if (sealed !== null && isAdminCode(openAdminCode(deps.keys.master, browser, sealed), code)) {
    await openSession(deps, trx, browser)
    await recordAdminLogin(deps, trx, browser, adminCause(browser, requestId))
    return 'verified'
  }
  const outcome = sealed === null ? 'code_over' : 'wrong_code'
  await logEvent(deps, trx, { ...browser, code: 'ADMIN_ONBOARDING_LOGIN_FAILED', reason: outcome, requestId })
  return outcome
}

/** @returns The code to compare with; null when no code may be tried. */
async function countAttempt(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, organizationId, sessionId }: ArrivedBrowser,
): Promise<Buffer | null> {
  const at = now()
  const counted = await trx
    .updateTable('sso_admin_sessions')
    .set({ code_failures: sql`code_failures + 1` })
    .where(ofOrganization({ accountId, organizationId }))
    .where('id', '=', sessionId)
    .where('verified_at', 'is', null)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', at)
    .where('code_expires_at', '>', at)
    .where('code_failures', '<', maxCodeFailures)
    .returning('code_sealed')
    .executeTakeFirst()
  return counted?.code_sealed ?? null
}

async function openSession(
  { now }: Pick<Deps, 'now'>,
  trx: Transaction<DB>,
  { accountId, organizationId, sessionId }: ArrivedBrowser,
): Promise<void> {
  const at = now()
  await trx
    .updateTable('sso_admin_sessions')
    .set({ verified_at: at, code_sealed: null, expires_at: new Date(at.getTime() + adminSessionMs) })
    .where(ofOrganization({ accountId, organizationId }))
    .where('id', '=', sessionId)
    .execute()
}

/**
 * Mails another code, which replaces the one before.
 *
 * @returns Whether the browser still waits for a code.
 * @throws ApiError `rate_limited` when too many were sent.
 */
export async function sendAnotherCode(
  deps: Deps,
  browser: ArrivedBrowser,
  { ip, requestId }: { readonly ip: string; readonly requestId: string },
): Promise<boolean> {
  const { accountId, organizationId, sessionId, environment } = browser
  await deps.limits.take(mailsOfNetwork, mailNetworkKey(deps.config, ip, environment))
  await countAdminCode(deps, { ...browser, ip })
  const sealed = sealAdminCode(deps.keys.master, browser, makeAdminCode())
  const { record } = await change(deps, arrivalCause(requestId), async (trx) => {
    const at = deps.now()
    const renewed = await trx
      .updateTable('sso_admin_sessions')
      .set({
        code_sealed: sealed,
        code_expires_at: new Date(at.getTime() + codeLifetimeMs),
        code_failures: 0,
      })
      .where(ofOrganization({ accountId, organizationId }))
      .where('id', '=', sessionId)
      .where('verified_at', 'is', null)
      .where('ended_at', 'is', null)
      .where('expires_at', '>', at)
      .returning('id')
      .executeTakeFirst()
    if (renewed === undefined) return { record: false }
    const payload = { accountId, organizationId, sessionId }
    await enqueue(deps, trx, { name: 'send_admin_code', payload, accountId })
    return { record: true }
  })
  return record
}
