import { maxPasskeyName } from '@portico/contract/passkey-credentials'
import { displayName } from '../../platform/display-name.js'
import type { Notice } from '../jobs/job-names.js'
import type { LinkPurpose } from '../../platform/link-purpose.js'
import { inertText, sentences, toMessage, type Message, type Sender } from './frame.js'
import type { MailTexts } from './mail-texts.js'
import { styles } from './style.js'
import { visitSentence, type VisitInMail } from './visit.js'

export interface MagicLinkMail extends Sender {
  readonly purpose: LinkPurpose
  readonly link: string
  /** How long the link works. */
  readonly minutes: number
}

/** The mail that carries a magic link. */
export function magicLinkMail(mail: MagicLinkMail): Message {
  return linkMail(mail, mail.link, ({ links }, organization) => {
    const { subject, invitation, lifetime, ...words } = links[mail.purpose]
    return {
      ...words,
      subject: subject(organization),
      invitation: invitation(organization),
      lifetime: lifetime(mail.minutes),
    }
  })
}

interface AdminInvitationMail extends Sender {
  /** What the users are to sign in to; the product where nothing names it. */
  readonly serviceName: string | undefined
  readonly link: string
  /** How long the link can be opened. */
  readonly days: number
}

/** The mail that invites an administrator to set up single sign-on. */
export function adminInvitationMail(mail: AdminInvitationMail): Message {
  const service = displayName(mail.serviceName ?? '') || displayName(mail.productName)
  return linkMail(mail, mail.link, ({ adminInvitation }, organization) => {
    const { subject, invitation, lifetime, ...words } = adminInvitation
    return {
      ...words,
      subject: subject(organization),
      invitation: invitation(organization, service),
      lifetime: lifetime(mail.days),
    }
  })
}

interface JoinRequestsMail extends Sender {
  /** How many wait for a decision. */
  readonly people: number
  readonly link: string
  /** How long the link can be opened. */
  readonly days: number
}

/** The mail that tells an administrator of people who ask to join. It names nobody: the page behind the code does. */
export function joinRequestsMail(mail: JoinRequestsMail): Message {
  return linkMail(mail, mail.link, ({ joinRequests }, organization) => {
    const { subject, invitation, lifetime, ...words } = joinRequests
    return {
      ...words,
      subject: subject(organization),
      invitation: invitation(organization, mail.people),
      lifetime: lifetime(mail.days),
    }
  })
}

interface InvitationMail extends Sender {
  readonly link: string
  /** How long the link can be opened. */
  readonly days: number
  /** Of the inviter, as plain text. */
  readonly message: string | null
  /**
   * Of an invitation to the console of an account, whose name is in place of the organization's: who invites, null where it is an
   * operator. Undefined of any other invitation.
   */
  readonly inviterToConsole: string | null | undefined
}

/** The mail that invites a user to an organization, or a member of staff to the console. */
export function invitationMail(mail: InvitationMail): Message {
  const { inviterToConsole: inviter } = mail
  return linkMail(mail, mail.link, ({ invitation: texts }, organization) => {
    const { subject, invitation, lifetime, ofConsole, ...words } = texts
    const product = displayName(mail.productName)
    return {
      ...words,
      ...(inviter === undefined
        ? { subject: subject(organization), invitation: invitation(organization, product) }
        : {
            subject: ofConsole.subject(organization),
            invitation: ofConsole.invitation(organization, product, inviter && displayName(inviter)),
          }),
      lifetime: lifetime(mail.days),
      message: mail.message,
    }
  })
}

/** What a mail says whose purpose is its link. */
export interface LinkWords {
  readonly subject: string
  readonly invitation: string
  readonly button: string
  readonly lifetime: string
  readonly unexpected: string
  /** Somebody's words, quoted. */
  readonly message?: string | null
}

/** A mail whose purpose is its link. */
export function linkMail(
  sender: Sender,
  link: string,
  wordsOf: (texts: MailTexts, organization: string) => LinkWords,
): Message {
  return toMessage(sender, (texts, organization) => {
    const { subject, invitation, button, lifetime, unexpected, message } = wordsOf(texts, organization)
    const quoted = message == null ? undefined : quotedText(message)
    return {
      subject,
      preview: lifetime,
      text: [...(quoted === undefined ? [] : [quoted]), `${invitation}\n\n${link}`, lifetime, unexpected],
      children: (
        <>
          {quoted !== undefined && (
            <p class="ink" style={{ ...styles.paragraph, 'white-space': 'pre-line' }}>
              {quoted}
            </p>
          )}
          <p class="ink" style={styles.paragraph}>
            {invitation}
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
          <p class="ink" style={{ ...styles.paragraph, margin: '0 0 24px' }}>
            {lifetime}
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

function quotedText(message: string): string {
  return `“${inertText(message)}”`
}

interface JoinDecisionMail extends Sender {
  readonly isApproved: boolean
}

/** The mail that tells somebody who has asked to join how that was decided. */
export function joinDecisionMail(mail: JoinDecisionMail): Message {
  return toMessage(mail, ({ joinDecision }, organization) => {
    const { subject, told, next } = joinDecision[mail.isApproved ? 'approved' : 'denied']
    const sentence = told(organization)
    return sentences(subject(organization), sentence, [
      sentence,
      next(organization, displayName(mail.productName)),
    ])
  })
}

interface NoticeMail extends Sender {
  readonly notice: Notice
  /** Where the change was made, if it was on the account page or in a sign-in. */
  readonly visit?: VisitInMail | undefined
  /** The address of the account page. */
  readonly ownPage?: string | undefined
  /** The names of the passkeys that work after a new password. */
  readonly keptPasskeys?: readonly string[]
}

/**
 * The mail that tells a user of a change of their account. Its only link is that to the account page, of a change that was made
 * on our pages, or with passkeys to look through: it has no token, and asks for a sign-in.
 */
export function noticeMail(mail: NoticeMail): Message {
  const { visit, ownPage, locale, keptPasskeys = [] } = mail
  const kept = keptPasskeys.map((name) => inertText(displayName(name, maxPasskeyName)))
  return toMessage(mail, (texts, organization) => {
    const { notices, unexpectedNotice } = texts
    const { subject, told, unexpected = unexpectedNotice } = notices[mail.notice]
    const sentence = told(organization)
    return sentences(subject(organization), sentence, [
      sentence,
      ...(visit === undefined ? [] : [visitSentence(texts, visit, locale)]),
      ...(ownPage === undefined
        ? []
        : kept.length > 0
          ? [{ sentence: texts.keptPasskeys(kept.join(', ')), url: ownPage }]
          : visit === undefined
            ? []
            : [{ sentence: texts.ownPage, url: ownPage }]),
      unexpected(organization),
    ])
  })
}
