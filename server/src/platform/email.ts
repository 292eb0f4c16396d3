/** The form in which e-mail addresses are compared: compatibility characters folded, lower case. */
export function normalizeEmail(email: string): string {
  return email.normalize('NFKC').toLowerCase()
}

/** The domain of an address, which begins after its last @: a quoted local part may have others. Without any it is the whole text. */
export function domainOfEmail(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1)
}
