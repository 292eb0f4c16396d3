/** The form in which e-mail addresses are compared: compatibility characters folded, lower case. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFKC').toLowerCase()
}
