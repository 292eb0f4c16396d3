/**
 * The mail server did not take a mail, in its own words but for what they may repeat of the mail. It is tried again, and
 * nothing here has to be mended.
 */
export class MailServerError extends Error {
  override readonly name = 'MailServerError'
  constructor(cause: unknown) {
    super(`the mail server does not take a mail: ${withoutQuotes(String(cause))}`)
  }
}

const maxLength = 300
/** An address, also one whose local part is quoted; a link; a code, or a token. */
const quotes = /"[^"]*"@\S+|\S*@\S+|\S*:\/\/\S+|\S*\d{6}\S*|\S*[\w-]{24}\S*/g

/** Mail servers repeat whom a mail is for, and what in it they did not like: the log must not tell either. */
function withoutQuotes(text: string): string {
  // Cut before it is looked through, for the time that takes.
  return text.slice(0, maxLength).replace(quotes, '…')
}
