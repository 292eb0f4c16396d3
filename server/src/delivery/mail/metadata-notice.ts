import type { Protocol } from '@portico/contract/sso-onboarding'
import { sentences, toMessage, type Message, type Sender } from './frame.js'

interface MetadataNoticeMail extends Sender {
  /** Names the connection. */
  readonly idpId: string
  /** Of metadata or of a client. */
  readonly protocol: Protocol
  /** Whether users sign in by the metadata; else they wait for the operator. */
  readonly isCurrent: boolean
}

/** The mail that tells an administrator of uploaded metadata, or of a client. It has no link, so that nobody learns to follow one. */
export function metadataNoticeMail(mail: MetadataNoticeMail): Message {
  return toMessage(mail, ({ metadataNotice, clientNotice }, organization) => {
    const words = mail.protocol === 'oidc' ? clientNotice : metadataNotice
    const sentence = words.told(organization, mail.idpId)
    const state = mail.isCurrent ? words.inUse : words.waits
    return sentences(words.subject(organization), state, [sentence, state, words.unexpected])
  })
}
