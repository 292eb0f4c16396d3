import { addressInMail, sentences, toMessage, type Message, type Sender } from './frame.js'
import { linkMail } from './messages.js'

interface EmailChangedMail extends Sender {
  /** The one that the user has by now. */
  readonly address: string
  /** Puts the address of before back; undefined where its owner was never proved. */
  readonly link: string | undefined
  /** How long the link works. */
  readonly days: number
}

/** The mail to the address that a user has had, which lets its owner have it back. */
export function emailChangedMail({ address, link, days, ...sender }: EmailChangedMail): Message {
  const shown = addressInMail(address)
  if (link === undefined)
    return toMessage(sender, ({ emailChanged, unexpectedNotice }, organization) => {
      const told = emailChanged.told(organization, shown)
      return sentences(emailChanged.subject(organization), told, [told, unexpectedNotice(organization)])
    })
  return linkMail(sender, link, ({ emailChanged }, organization) => ({
    subject: emailChanged.subject(organization),
    invitation: `${emailChanged.told(organization, shown)} ${emailChanged.invitation}`,
    button: emailChanged.button,
    lifetime: emailChanged.lifetime(days),
    unexpected: emailChanged.expected,
  }))
}

interface EmailRevertedMail extends Sender {
  /** The one that the user has again. */
  readonly address: string
}

/** The mail to the address that a user had until the one of before was put back. */
export function emailRevertedMail({ address, ...sender }: EmailRevertedMail): Message {
  return toMessage(sender, ({ emailReverted }, organization) => {
    const told = emailReverted.told(organization, addressInMail(address))
    return sentences(emailReverted.subject(organization), told, [
      told,
      emailReverted.unexpected(organization),
    ])
  })
}
