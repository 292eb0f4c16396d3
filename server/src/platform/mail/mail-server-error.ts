/**
 * The mail server refused a mail; the message is the server's, without quotes from the mail. The job tries again, and
 * the service itself needs no repair.
 */
export class MailServerError extends Error {
  override readonly name = 'MailServerError'
  constructor(cause: unknown) {
    super(`the mail server does not take a mail: ${withoutQuotes(String(cause))}`)
  }
}

/** What the mail server has answered, without quotes from the mail. */
export function replyOf(error: unknown): string {
  return error instanceof MailServerError ? error.message : new MailServerError(error).message
}

const maxLength = 300
/** An address, also one whose local part is quoted; a link; a code, or a token. */
const quotes = /"[^"]*"@\S+|\S*@\S+|\S*:\/\/\S+|\S*\d{6}\S*|\S*[\w-]{24}\S*/g

/** Removes recipients and content that mail servers quote: neither may be logged. */
function withoutQuotes(text: string): string {
  // Cut first, which bounds the time of the search.
  return text.slice(0, maxLength).replace(quotes, '…')
}
