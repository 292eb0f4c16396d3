import { sentences, toMessage, type Message, type Sender } from './frame.js'
import { mailLanguageOf } from './texts.js'

interface DomainNoticeMail extends Sender {
  readonly domain: string
  /** The record that is missing. */
  readonly record: { readonly name: string; readonly value: string }
  /** The day from which the domain does not count, such as 2026-03-28; null where it does not now. */
  readonly lapsesOn: string | null
}

/** The mail that tells an administrator of the missing record of a domain. It has no link, so that nobody learns to follow one. */
export function domainNoticeMail(mail: DomainNoticeMail): Message {
  return toMessage(mail, ({ domainNotice: words }, organization) => {
    const { name, value } = mail.record
    const state = mail.lapsesOn === null ? words.lapsed : words.lapses(inWords(mail.lapsesOn, mail.locale))
    return sentences(words.subject(mail.domain), state, [
      words.told(mail.domain, organization),
      words.record(name, value),
      state,
    ])
  })
}

/** A day as the language of the mail writes it. */
function inWords(day: string, locale: string | null): string {
  const format = new Intl.DateTimeFormat(mailLanguageOf(locale), { dateStyle: 'long', timeZone: 'UTC' })
  return format.format(new Date(day))
}
