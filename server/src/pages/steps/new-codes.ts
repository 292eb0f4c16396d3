import { getTotpUser } from '../../sign-in/totp/totp-user.js'
import type { EnrollingFlow } from '../../sign-in/totp/replace-recovery-codes.js'
import type { StepAnswer, StepRequest } from '../frame/step-page.js'
import { recoveryCodesPage, type LostFactor } from '../views/recovery-codes.js'
import { onceShown } from './user-flow.js'

/** Shows recovery codes that a sign-in has made. */
export async function newCodesPage(
  { deps, caller, frame, form }: StepRequest,
  { userId }: EnrollingFlow,
  of: LostFactor,
  codes: readonly string[],
): Promise<StepAnswer> {
  const { email } = await getTotpUser(deps.db, caller, userId)
  const made = { codes, email, at: deps.now() }
  return { status: 200, page: recoveryCodesPage({ frame: onceShown(frame), form, of, made }) }
}
