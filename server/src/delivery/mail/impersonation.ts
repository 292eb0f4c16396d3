import { mailLanguageOf } from './texts.js'
import { sentences, toMessage, type Message, type Sender } from './frame.js'

interface ImpersonationMail extends Sender {
  readonly startedAt: Date
  /** Of the organization, an IANA time zone. */
  readonly timeZone: string
  /** How long it lasts at the most. */
  readonly minutes: number
}

/** The mail that tells a user that a member of staff has signed in as them. It has no link, and not the reason. */
export function impersonationMail(mail: ImpersonationMail): Message {
  return toMessage(mail, ({ impersonation: words }, organization) => {
    const told = words.told(organization, toMoment(mail), mail.minutes)
    return sentences(words.subject(organization), told, [told, words.allowed, words.unexpected(organization)])
  })
}

/** A time with its zone, because readers may be elsewhere than their organization. */
function toMoment({ startedAt, timeZone, locale }: ImpersonationMail): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone } as const
  return `${new Intl.DateTimeFormat(mailLanguageOf(locale), format).format(startedAt)} (${timeZone})`
}
