import type { Environment } from '@portico/contract/fields'
import { renderToString } from 'preact-render-to-string'
import { displayName } from '../display-name.js'
import { mailLanguageOf, mailTexts } from './texts.js'

/** What a mail says, without to whom. */
export interface Message {
  readonly subject: string
  readonly text: string
  readonly html: string
}

export interface MagicLinkMail {
  readonly organizationName: string
  /** BCP 47; null when nobody has chosen one. */
  readonly locale: string | null
  readonly productName: string
  readonly link: string
  /** How long the link works. */
  readonly minutes: number
  readonly environment: Environment
  /** Of the organization; white text on it must be readable. */
  readonly color: string
}

/** The mail that carries a magic link. Nothing in it is loaded from elsewhere, and nothing tells whether it was read. */
export function magicLinkMail(mail: MagicLinkMail): Message {
  const { link, color, environment, productName } = mail
  const lang = mailLanguageOf(mail.locale)
  const texts = mailTexts[lang]
  const words = texts.magicLink
  const organization = displayName(mail.organizationName) || displayName(productName)
  const subject = words.subject(organization)
  const lifetime = words.lifetime(mail.minutes)
  const footer = texts.sentBy(displayName(productName), organization)
  const banner = environment === 'sandbox' ? texts.sandbox : undefined

  const text = [
    ...(banner === undefined ? [] : [`*** ${banner} ***`]),
    `${words.invitation(organization)}\n\n${link}`,
    lifetime,
    words.unexpected,
    `-- \n${footer}\n`,
  ].join('\n\n')

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
        <div style={styles.preview}>{lifetime}</div>
        <div style={styles.column}>
          {banner !== undefined && (
            <p class="banner" style={styles.banner}>
              {banner}
            </p>
          )}
          <div class="card" style={{ ...styles.card, 'border-top': `4px solid ${color}` }}>
            <h1 class="ink" style={styles.heading}>
              {subject}
            </h1>
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
              {words.plainLink}
            </p>
            <p style={styles.address}>
              <a class="link" href={link} target="_blank" rel="noopener noreferrer" style={styles.link}>
                {link}
              </a>
            </p>
            <p class="quiet rule" style={styles.last}>
              {words.unexpected}
            </p>
          </div>
          <p class="quiet" style={styles.footer}>
            {footer}
          </p>
        </div>
      </body>
    </html>
  )
  return { subject, text, html: `<!doctype html>${renderToString(html)}` }
}

const font =
  "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"

// Mail programs drop style sheets, so that every element carries its own style; those that know a dark mode keep this
// one. Preact escapes text, and a style element is not read as escaped: no quotes and no > in here.
const darkStyle = `
  @media (prefers-color-scheme: dark) {
    .page { background-color: #0f141d !important }
    .card { background-color: #171e2a !important }
    .ink { color: #e4e9f2 !important }
    .quiet { color: #9aa7bb !important }
    .rule { border-color: #2b3648 !important }
    .link { color: #8fb4ff !important }
    .banner { background-color: #3b2f0b !important; color: #ffe9a8 !important }
  }
`

const styles = {
  page: {
    margin: '0',
    padding: '0',
    'background-color': '#f3f5f8',
    'font-family': font,
    '-webkit-text-size-adjust': '100%',
  },
  // Shown after the subject in a list of mails.
  preview: { display: 'none', 'max-height': '0', overflow: 'hidden', 'mso-hide': 'all' },
  column: { 'max-width': '560px', margin: '0 auto', padding: '24px 16px' },
  banner: {
    margin: '0 0 16px',
    padding: '10px 16px',
    'border-radius': '8px',
    'background-color': '#fff3cd',
    color: '#664d03',
    'font-size': '14px',
    'line-height': '20px',
    'text-align': 'center',
  },
  card: { padding: '28px 28px 24px', 'border-radius': '8px', 'background-color': '#ffffff' },
  heading: {
    margin: '0 0 12px',
    color: '#1b2230',
    'font-size': '22px',
    'line-height': '30px',
    'font-weight': '600',
    'overflow-wrap': 'anywhere',
  },
  paragraph: { margin: '0', color: '#1b2230', 'font-size': '16px', 'line-height': '25px' },
  action: { margin: '24px 0' },
  button: {
    display: 'inline-block',
    padding: '13px 28px',
    'border-radius': '8px',
    color: '#ffffff',
    'font-size': '16px',
    'line-height': '22px',
    'font-weight': '600',
    'text-decoration': 'none',
  },
  small: { margin: '0 0 4px', color: '#5b6577', 'font-size': '14px', 'line-height': '20px' },
  address: { margin: '0', 'font-size': '14px', 'line-height': '20px', 'word-break': 'break-all' },
  link: { color: '#1d4fb8' },
  last: {
    margin: '24px 0 0',
    padding: '16px 0 0',
    'border-top': '1px solid #e2e5ea',
    color: '#5b6577',
    'font-size': '14px',
    'line-height': '20px',
  },
  footer: {
    margin: '16px 0 0',
    color: '#5b6577',
    'font-size': '13px',
    'line-height': '18px',
    'text-align': 'center',
    'overflow-wrap': 'anywhere',
  },
} as const
