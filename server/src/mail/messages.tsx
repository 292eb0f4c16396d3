import type { Notice } from '../jobs/job-names.js'
import type { LinkPurpose } from '../magic-link/purpose.js'
import { toMessage, type Message, type Sender } from './frame.js'
import { styles } from './style.js'
import type { LinkTexts, MailTexts } from './texts.js'

export interface MagicLinkMail extends Sender {
  readonly purpose: LinkPurpose
  readonly link: string
  /** How long the link works. */
  readonly minutes: number
}

/** The mail that carries a magic link. */
export function magicLinkMail(mail: MagicLinkMail): Message {
  return linkMail(mail, mail.link, ({ links }) => {
    const words = links[mail.purpose]
    return { ...words, lifetime: words.lifetime(mail.minutes) }
  })
}

export interface AdminInvitationMail extends Sender {
  readonly link: string
  /** How long the link can be opened. */
  readonly days: number
}

/** The mail that invites an administrator to set up single sign-on. */
export function adminInvitationMail(mail: AdminInvitationMail): Message {
  return linkMail(mail, mail.link, ({ adminInvitation }) => ({
    ...adminInvitation,
    lifetime: adminInvitation.lifetime(mail.days),
  }))
}

/** What a mail says whose purpose is its link. */
type LinkWords = Omit<LinkTexts, 'lifetime'> & { readonly lifetime: string }

function linkMail(sender: Sender, link: string, wordsOf: (texts: MailTexts) => LinkWords): Message {
  return toMessage(sender, (texts, organization) => {
    const { subject, invitation, button, lifetime, unexpected } = wordsOf(texts)
    return {
      subject: subject(organization),
      preview: lifetime,
      text: [`${invitation(organization)}\n\n${link}`, lifetime, unexpected],
      children: (
        <>
          <p class="ink" style={styles.paragraph}>
            {lifetime}
          </p>
          <p style={styles.action}>
            <a
              href={link}
              target="_blank"
              rel="noopener noreferrer"
              style={{ ...styles.button, 'background-color': sender.color }}
            >
              {button}
            </a>
          </p>
          <p class="quiet" style={styles.small}>
            {texts.plainLink}
          </p>
          <p style={styles.address}>
            <a class="link" href={link} target="_blank" rel="noopener noreferrer" style={styles.link}>
              {link}
            </a>
          </p>
          <p class="quiet rule" style={styles.last}>
            {unexpected}
          </p>
        </>
      ),
    }
  })
}

export interface NoticeMail extends Sender {
  readonly notice: Notice
}

/** The mail that tells a user of a change of their account. It has no link, so that nobody learns to follow one. */
export function noticeMail(mail: NoticeMail): Message {
  return toMessage(mail, ({ notices, unexpectedNotice }, organization) => {
    const { subject, told } = notices[mail.notice]
    const sentence = told(organization)
    const advice = unexpectedNotice(organization)
    return {
      subject: subject(organization),
      preview: sentence,
      text: [sentence, advice],
      children: (
        <>
          <p class="ink" style={styles.paragraph}>
            {sentence}
          </p>
          <p class="quiet rule" style={styles.last}>
            {advice}
          </p>
        </>
      ),
    }
  })
}
