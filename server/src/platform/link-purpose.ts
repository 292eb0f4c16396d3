/** The purpose of a link: to sign in, or, where it carries a password request, to choose a password. */
export type LinkPurpose = 'sign_in' | 'password'

/** @param passwordRequestId Of the challenge. */
export function purposeOf(passwordRequestId: string | null): LinkPurpose {
  return passwordRequestId === null ? 'sign_in' : 'password'
}
