import { sentences, toMessage, type Message, type Sender } from './frame.js'
import { toMoment } from './visit.js'

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
    const told = words.told(organization, toMoment(mail.startedAt, mail.timeZone, mail.locale), mail.minutes)
    return sentences(words.subject(organization), told, [told, words.allowed, words.unexpected(organization)])
  })
}
