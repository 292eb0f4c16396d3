import type { Environment } from '@portico/contract/fields'
import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { displayName } from '../../platform/display-name.js'
import type { MailTexts } from './mail-texts.js'
import { darkStyle, styles } from './style.js'
import { mailLanguageOf, mailTexts } from './texts.js'

/** What a mail says, without to whom. */
export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** In whose name a mail is sent. */
export interface Sender {
  readonly organizationName: string
  /** BCP 47; null when nobody has chosen one. */
  readonly locale: string | null
  readonly productName: string
  readonly environment: Environment
  /** Of the organization; white text on it must be readable. */
  readonly color: string
}

/** What one mail has of its own. */
export interface Content {
  readonly subject: string
  /** Shown after the subject in a list of mails. */
  readonly preview: string
  /** The paragraphs of the text form. */
  readonly text: readonly string[]
  /** What follows the heading of the HTML form. */
  readonly children: ComponentChildren
}

/**
 * A whole mail, in text and in HTML. Nothing in it is loaded from elsewhere, and nothing tells whether it was read.
 *
 * @param write Is given the words of the organization's language, and the organization's name as a mail may show it.
 */
export function toMessage(
  sender: Sender,
  write: (texts: MailTexts, organization: string) => Content,
): Message {
  const lang = mailLanguageOf(sender.locale)
  const texts = mailTexts[lang]
  const productName = displayName(sender.productName)
  const organization = displayName(sender.organizationName) || productName
  const { subject, preview, text, children } = write(texts, organization)
  const footer = texts.sentBy(productName, organization)
  const banner = sender.environment === 'sandbox' ? texts.sandbox : undefined
  const parts = [...(banner === undefined ? [] : [`*** ${banner} ***`]), ...text, `-- \n${footer}\n`]

  const html = (
    <html lang={lang}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <title>{subject}</title>
        <style>{darkStyle}</style>
      </head>
      <body class="page" style={styles.page}>
        <div style={styles.preview}>{preview}</div>
        <div style={styles.column}>
          {banner !== undefined && (
            <p class="banner" style={styles.banner}>
              {banner}
            </p>
          )}
          <div class="card" style={styles.card}>
            <div class="ink" style={styles.product}>
              <span aria-hidden="true" style={{ ...styles.mark, 'background-color': sender.color }}>
                {initialOf(productName)}
              </span>
              {productName}
            </div>
            <h1 class="ink" style={styles.heading}>
              {subject}
            </h1>
            {children}
          </div>
          <p class="quiet" style={styles.footer}>
            {footer}
          </p>
        </div>
      </body>
    </html>
  )
  return { subject, text: parts.join('\n\n'), html: `<!doctype html>${renderToString(html)}` }
}

/** In the place of a logo: a picture that is loaded would tell its server who reads the mail. */
function initialOf(name: string): string {
  const [first = ''] = name
  return first.toLocaleUpperCase()
}

/** The most that an address has (RFC 5321 section 4.5.3.1.3). */
const maxAddressLength = 254

/** An address that somebody has typed, in a sentence of a mail, where it is no link: it may be anybody's. */
export function addressInMail(address: string): string {
  return inertText(displayName(address, maxAddressLength))
}

/** Readers of mail make links of addresses: a dot is no longer one where a character without width follows it. */
export function inertText(text: string): string {
  return text.replaceAll(/(?<=\S)([.:])(?=\S)/g, '$1\u200b')
}

/** A sentence, or one that leads to an address. */
export type Sentence = string | { readonly sentence: string; readonly url: string }

/** A mail of sentences alone, of which the last is for a person who did not expect it. */
export function sentences(subject: string, preview: string, text: readonly Sentence[]): Content {
  return {
    subject,
    preview,
    text: text.map((part) => (typeof part === 'string' ? part : `${part.sentence}\n${part.url}`)),
    children: text.map((part, place) =>
      typeof part !== 'string' ? (
        <>
          <p class="ink" style={styles.paragraph}>
            {part.sentence}
          </p>
          <p style={styles.address}>
            <a class="link" href={part.url} target="_blank" rel="noopener noreferrer" style={styles.link}>
              {part.url}
            </a>
          </p>
        </>
      ) : place < text.length - 1 ? (
        <p class="ink" style={styles.paragraph}>
          {part}
        </p>
      ) : (
        <p class="quiet rule" style={styles.last}>
          {part}
        </p>
      ),
    ),
  }
}
