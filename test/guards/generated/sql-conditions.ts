import ts from 'typescript'
import type { Splice } from './splice.js'

/** Replaces each condition in an sql template, and the whole template, by true. */
export function sqlConditions(node: ts.Node): Splice[] {
  if (!ts.isTaggedTemplateExpression(node) || node.tag.getText() !== 'sql') return []
  const start = node.template.getStart() + 1
  const end = node.template.end - 1
  const conditions = conditionsIn(flatText(node.template)).map((range) => ({
    start: start + range.start,
    end: start + range.end,
  }))
  const { text } = node.getSourceFile()
  return [{ start, end }, ...conditions].map((range) => ({
    what: `sql ${text.slice(range.start, range.end)} as true`,
    ...range,
    replacement: 'true',
  }))
}

/** The text between the backticks, with values, strings and comments replaced by filler of the same length. */
function flatText(template: ts.TemplateLiteral): string {
  const filled = (text: string) => '~'.repeat(text.length)
  const source = template.getSourceFile().text
  const from = template.getStart() + 1
  let text = source.slice(from, template.end - 1)
  if (ts.isTemplateExpression(template))
    for (const { expression } of template.templateSpans) {
      const start = expression.getFullStart() - 2 - from
      const end = source.indexOf('}', expression.end) + 1 - from
      text = text.slice(0, start) + filled(text.slice(start, end)) + text.slice(end)
    }
  return text.replace(/'[^']*'|--.*$/gm, filled)
}

interface Range {
  readonly start: number
  readonly end: number
}

/** Keywords that are followed by a condition or join conditions; a condition extends to the next keyword. */
const openers = new Set(['where', 'on', 'when', 'having', 'and', 'or', 'then', 'else'])
const joiners = new Set(['and', 'or'])
const closers = new Set(
  'then else end group order limit offset for returning union as from join left inner cross set values'.split(
    ' ',
  ),
)

/** Scans words and brackets from left to right; each bracket opens a scope for conditions. */
function conditionsIn(text: string): Range[] {
  const found: Range[] = []
  interface Open {
    start: number
    opener: string
    isBetween: boolean
  }
  const opened: Open[] = [{ start: 0, opener: '(', isBetween: false }]
  const close = (end: number, word: string) => {
    const open = opened.at(-1)
    if (open === undefined) return
    const piece = text.slice(open.start, end)
    const isCondition = openers.has(open.opener) || (open.opener === '(' && joiners.has(word))
    const start = open.start + (piece.length - piece.trimStart().length)
    if (isCondition && piece.trim() !== '') found.push({ start, end: open.start + piece.trimEnd().length })
  }
  for (const { 0: token, index } of text.matchAll(/[a-z_][\w.]*|[(),]/gi)) {
    const word = token.toLowerCase()
    const open = opened.at(-1)
    if (word === '(') opened.push({ start: index + 1, opener: '(', isBetween: false })
    else if (word === ')') {
      close(index, word)
      if (opened.length > 1) opened.pop()
    } else if (open !== undefined && word === 'between') open.isBetween = true
    else if (open?.isBetween === true && word === 'and') open.isBetween = false
    else if (open !== undefined && (openers.has(word) || closers.has(word) || word === ',')) {
      close(index, word)
      Object.assign(open, { start: index + token.length, opener: word })
    }
  }
  close(text.length, '')
  return found
}
