/** Text that is markup already. */
export interface Html {
  readonly markup: string
}

type Content = Html | string | number | false | undefined | readonly Content[]

/** Markup with values in it. Every text is escaped; only what html itself made goes in as it is. */
export function html(texts: TemplateStringsArray, ...values: Content[]): Html {
  return { markup: texts.map((text, index) => text + markupOf(values[index])).join('') }
}

function markupOf(content: Content): string {
  if (content === undefined || content === false) return ''
  if (typeof content === 'string' || typeof content === 'number') return escaped(String(content))
  if ('markup' in content) return content.markup
  return content.map(markupOf).join('')
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** A sentence in which backquotes mark code. */
export function prose(text: string): Html {
  const parts = text.split('`')
  return html`${parts.map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))}`
}

/** JSON with its names and values marked for the style sheet. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2)
  const parts = text.split(/("(?:[^"\\]|\\.)*"(?:: )?|\b(?:true|false|null)\b|-?\b\d+(?:\.\d+)?\b)/)
  return html`${parts.map((part, index) => (index % 2 === 1 ? token(part) : part))}`
}

function token(text: string): Html {
  if (text.endsWith(': ')) return html`<b>${text.slice(0, -2)}</b>: `
  return text.startsWith('"') ? html`<i>${text}</i>` : html`<em>${text}</em>`
}
