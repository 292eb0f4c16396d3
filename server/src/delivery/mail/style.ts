const font =
  "-apple-system, BlinkMacSystemFont, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Noto Sans', sans-serif"

/**
 * Mail programs drop style sheets, so every element has inline styles; programs with a dark mode keep this sheet.
 * Preact escapes text, which a style element does not unescape: no quotes and no > in here.
 */
export const darkStyle = `
  @media (prefers-color-scheme: dark) {
    .page { background-color: #0f141d !important }
    .card { background-color: #171e2a !important; border-color: #2b3648 !important }
    .ink { color: #e4e9f2 !important }
    .quiet { color: #9aa7bb !important }
    .rule { border-color: #2b3648 !important }
    .link { color: #8fb4ff !important }
    .banner { background-color: #3b2f0b !important; color: #ffe9a8 !important }
  }
`

/** The inline styles of the elements of a mail. */
export const styles = {
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
  card: {
    padding: '28px 28px 24px',
    border: '1px solid #e2e5ea',
    'border-radius': '12px',
    'background-color': '#ffffff',
  },
  product: {
    margin: '0 0 24px',
    color: '#1b2230',
    'font-size': '15px',
    'line-height': '32px',
    'font-weight': '600',
    'overflow-wrap': 'anywhere',
  },
  mark: {
    display: 'inline-block',
    width: '32px',
    height: '32px',
    margin: '0 10px 0 0',
    'border-radius': '7px',
    color: '#ffffff',
    'font-size': '15px',
    'line-height': '32px',
    'text-align': 'center',
    'vertical-align': 'top',
  },
  heading: {
    margin: '0 0 12px',
    color: '#1b2230',
    'font-size': '22px',
    'line-height': '30px',
    'font-weight': '600',
    'overflow-wrap': 'anywhere',
  },
  paragraph: { margin: '0 0 12px', color: '#1b2230', 'font-size': '16px', 'line-height': '25px' },
  code: {
    margin: '16px 0',
    color: '#1b2230',
    'font-size': '30px',
    'line-height': '40px',
    'letter-spacing': '6px',
  },
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
