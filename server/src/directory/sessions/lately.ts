/** How long after a sign-in its session may change how its user signs in, in ms. */
const freshMs = 10 * 60 * 1000

/** The earliest time of a sign-in that counts as fresh. */
export function latelySince(at: Date): Date {
  return new Date(at.getTime() - freshMs)
}

/** Whether somebody has authenticated within the time for which that counts as fresh. */
export function isLately(at: Date, authenticatedAt: Date): boolean {
  return at.getTime() - authenticatedAt.getTime() <= freshMs
}
