/**
 * Removals that no test can notice, with the reason. A line about a tenant predicate applies to its columns, too, and one about
 * a refusal to each of its conditions.
 */
export const allowed: Readonly<Record<string, string>> = {
  'server/src/sign-in/totp/challenge.ts: checkChallenge: if (phoneNumber === null || !isPhoneNumberVerified) throw without phoneNumber === null':
    'For the type: without a number none is verified.',
  'server/src/sign-in/totp/challenge.ts: findSignInToComplete: if (pendingSignInId === undefined) return':
    'No refusal: no sign-in was named.',
  "server/src/sign-in/totp/enroll-in-flow.ts: findEnrollmentOfFlow: if (enrollmentId === null || step !== 'enroll') return":
    'For the type: no enrolment has null as its id, and a flow has one at this step alone.',
  'server/src/sign-in/totp/enroll-in-flow.ts: validate: if (!mayEnroll(user) || held?.user_id !== user.id || held.enrollment_id === null) return without held.enrollment_id === null':
    'For the type: no enrolment has null as its id.',
  'server/src/sign-in/totp/flow-challenge.ts: askOnce: if (!(error instanceof ApiError) || !unsent.has(error.code)) throw':
    'What is no such refusal is thrown again by the second attempt, which sends nothing.',
  'server/src/sign-in/totp/recovery-codes.ts: withoutRecoveryCode: if (!new RegExp(`^[a-z2-7]{${length}}$`).test(code)) return':
    'Saves the digests: no other text has the digest of a code.',
  "server/src/sign-in/totp/replace-recovery-codes.ts: replaceRecoveryCodes: .where('validated_at', 'is not', null)":
    'The callers have just validated the enrolment, or are at a step that comes after.',
  "server/src/sign-in/totp/replace-recovery-codes.ts: acknowledgeRecoveryCodes: .where('validated_at', 'is not', null)":
    'The step comes after the validation.',
}

/** Whether a removal is in the list. */
export function isAllowed(name: string): boolean {
  const [whole = name] = name.split(' without ')
  return name in allowed || whole in allowed
}
