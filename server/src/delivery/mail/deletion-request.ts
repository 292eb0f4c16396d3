import { addressInMail, sentences, toMessage, type Message, type Sender } from './frame.js'

interface DeletionRequestMail extends Sender {
  /** Of the user who asks. */
  readonly address: string
}

/** The mail that tells an administrator of a user who asks to be deleted. It has no link, so that nobody learns to follow one. */
export function deletionRequestMail({ address, ...sender }: DeletionRequestMail): Message {
  return toMessage(sender, ({ deletionRequest: words }, organization) => {
    const told = words.told(organization, addressInMail(address))
    return sentences(words.subject(organization), told, [told, words.next])
  })
}
