import { addressInMail, sentences, toMessage, type Message, type Sender } from './frame.js'
import type { MailTexts } from './mail-texts.js'
import { linkMail } from './messages.js'
import { visitSentence, type VisitInMail } from './visit.js'

interface EmailChangedMail extends Sender {
  /** The one that the user has by now. */
  readonly address: string
  /** Puts the address of before back; undefined where its owner was never proved. */
  readonly link: string | undefined
  /** How long the link works. */
  readonly days: number
  readonly visit: VisitInMail | undefined
}

/** The mail to the address that a user has had, which lets its owner have it back. */
export function emailChangedMail({ address, link, days, visit, ...sender }: EmailChangedMail): Message {
  const shown = addressInMail(address)
  if (link === undefined)
    return toMessage(sender, (texts, organization) => {
      const { emailChanged, unexpectedNotice } = texts
      const told = emailChanged.told(organization, shown)
      return sentences(emailChanged.subject(organization), told, [
        told,
        ...visitIn(texts, visit, sender),
        unexpectedNotice(organization),
      ])
    })
  return linkMail(sender, link, (texts, organization) => {
    const { emailChanged } = texts
    const told = [emailChanged.told(organization, shown), ...visitIn(texts, visit, sender)]
    return {
      subject: emailChanged.subject(organization),
      invitation: [...told, emailChanged.invitation].join(' '),
      button: emailChanged.button,
      lifetime: emailChanged.lifetime(days),
      unexpected: emailChanged.expected,
    }
  })
}

function visitIn(texts: MailTexts, visit: VisitInMail | undefined, { locale }: Sender): string[] {
  return visit === undefined ? [] : [visitSentence(texts, visit, locale)]
}

interface EmailRevertedMail extends Sender {
  /** The one that the user has again. */
  readonly address: string
  readonly visit: VisitInMail | undefined
}

/** The mail to the address that a user had until the one of before was put back. */
export function emailRevertedMail({ address, visit, ...sender }: EmailRevertedMail): Message {
  return toMessage(sender, (texts, organization) => {
    const { emailReverted } = texts
    const told = emailReverted.told(organization, addressInMail(address))
    return sentences(emailReverted.subject(organization), told, [
      told,
      ...visitIn(texts, visit, sender),
      emailReverted.unexpected(organization),
    ])
  })
}
