/** The mail server did not take a mail, in its own words but for addresses. It is tried again, and nothing here has to be mended. */
export class MailServerError extends Error {
  override readonly name = 'MailServerError'
  constructor(cause: unknown) {
    super(`the mail server does not take a mail: ${withoutAddresses(String(cause))}`)
  }
}

/** Mail servers repeat whom a mail is for, which the log must not tell. */
function withoutAddresses(text: string): string {
  return text.replace(/[^\s<>:;,"'()]+@[^\s<>;,"'()]+/g, '…')
}
