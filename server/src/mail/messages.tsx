import type { Notice } from '../jobs/job-names.js'
import type { LinkPurpose } from '../magic-link/purpose.js'
import { toMessage, type Message, type Sender } from './frame.js'
import { styles } from './style.js'

export interface MagicLinkMail extends Sender {
  readonly purpose: LinkPurpose
  readonly link: string
  /** How long the link works. */
  readonly minutes: number
}

/** The mail that carries a magic link. */
export function magicLinkMail(mail: MagicLinkMail): Message {
  const { link, color } = mail
  return toMessage(mail, ({ links, plainLink }, organization) => {
    const words = links[mail.purpose]
    const lifetime = words.lifetime(mail.minutes)
    return {
      subject: words.subject(organization),
      preview: lifetime,
      text: [`${words.invitation(organization)}\n\n${link}`, lifetime, words.unexpected],
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
              style={{ ...styles.button, 'background-color': color }}
            >
              {words.button}
            </a>
          </p>
          <p class="quiet" style={styles.small}>
            {plainLink}
          </p>
          <p style={styles.address}>
            <a class="link" href={link} target="_blank" rel="noopener noreferrer" style={styles.link}>
              {link}
            </a>
          </p>
          <p class="quiet rule" style={styles.last}>
            {words.unexpected}
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
