import { posix } from 'node:path'
import { elementsOf, readMarkup, textOf, type Element, type Node } from './markup-tree.js'

/** Where the Markdown of a page is: beside it. Headings of operations and rows of events have no anchors there. */
export function markdownAddress(address: string): string {
  return address.replace(/^(\/(?:reference\/|events).*)#.*$/, '$1').replace(/\.html(?=#|$)/, '.md')
}

/** An address of the site from a page of it; what is elsewhere stays as it is. */
export function fromPage(page: string, target: string): string {
  if (!target.startsWith('/')) return target
  const [path = '', anchor] = target.split('#')
  const relative = posix.relative(posix.dirname(page), path)
  return anchor === undefined ? relative : `${relative}#${anchor}`
}

/**
 * A document as Markdown of the site: what it says, with links to the Markdown of other pages.
 *
 * @param linked Where a link of the document leads on the site.
 */
export function documentMarkdown(page: string, text: string, linked: (target: string) => string): string {
  const parts = text.split(/^( *`{3,}[^]*?^ *`{3,} *$)/m)
  return parts
    .map((part, index) => {
      if (index % 2 === 1) return part
      return part.replace(
        /\]\(([^)\s]+)\)/g,
        (_, target: string) => `](${fromPage(page, markdownAddress(linked(target)))})`,
      )
    })
    .join('')
}

/** A page that is written from the contract as Markdown. */
export function pageMarkdown(page: string, markup: string): string {
  const blocks = readMarkup(markup).children.flatMap((node) => blocksOf(page, node))
  return `${blocks.join('\n\n')}\n`
}

/** Those which stand on lines of their own, in their order. */
function blocksOf(page: string, node: Node): string[] {
  if (typeof node === 'string') return filled([squeezed(node)])
  const { tag, children } = node
  const level = /^h([1-6])$/.exec(tag)?.[1]
  if (level !== undefined) return [`${'#'.repeat(Number(level))} ${inline(page, node)}`]
  if (tag === 'p' || tag === 'summary' || tag === 'figure') return filled([inline(page, node)])
  if (tag === 'ul' || tag === 'ol')
    return [
      elementsOf(node, 'li')
        .map((item) => `- ${inline(page, item)}`)
        .join('\n'),
    ]
  if (tag === 'dl')
    return [
      elementsOf(node, 'div')
        .map((pair) => `- ${pairOf(page, pair)}`)
        .join('\n'),
    ]
  if (tag === 'pre') return [fenced(textOf(node))]
  if (tag === 'table') return tableOf(page, node)
  return children.flatMap((child) => blocksOf(page, child))
}

function pairOf(page: string, pair: Element): string {
  const [name, value] = ['dt', 'dd'].map((tag) =>
    elementsOf(pair, tag)
      .map((part) => inline(page, part))
      .join(' '),
  )
  return `${name ?? ''}: ${value ?? ''}`
}

/** The page says the language of a sample by its place alone, so that it is told here by its beginning. */
function fenced(code: string): string {
  const language = /^(?:curl|npm) /.test(code) ? 'sh' : /^[{["\d]/.test(code) ? 'json' : 'ts'
  return `\`\`\`${language}\n${code.trimEnd()}\n\`\`\``
}

/** A table with those inside its cells, whose rows follow with the name of the member that they belong to. */
function tableOf(page: string, table: Element): string[] {
  const caption = table.children.flatMap((child) =>
    typeof child !== 'string' && child.tag === 'caption' ? [inline(page, child)] : [],
  )
  const rows = rowsOf(page, table, '')
  const width = Math.max(...rows.map((row) => row.length))
  const [head] = elementsOf(table, 'thead').flatMap((each) => elementsOf(each, 'tr'))
  const titles = head === undefined ? [] : elementsOf(head, 'th', 'td').map((cell) => inline(page, cell))
  const line = (cells: readonly string[]) =>
    `| ${Array.from({ length: width }, (_, at) => cells[at] ?? '').join(' | ')} |`
  const rule = line(Array.from({ length: width }, () => '---'))
  return [...caption.map((text) => `**${text}**`), [line(titles), rule, ...rows.map(line)].join('\n')]
}

function rowsOf(page: string, table: Element, owner: string): string[][] {
  const rows = elementsOf(table, 'tbody').flatMap((body) => elementsOf(body, 'tr'))
  return rows.flatMap((row) => {
    const inner = elementsOf(row, 'table')
    if (inner.length > 0) {
      const of = elementsOf(row, 'summary').flatMap((summary) => elementsOf(summary, 'code').map(textOf))
      return inner.flatMap((each) => rowsOf(page, each, `${owner}${of.join('')}.`))
    }
    const [first = '', ...others] = elementsOf(row, 'th', 'td').map((cell) =>
      inline(page, cell).replaceAll('|', '\\|'),
    )
    return [[first.replace(/^`/, `\`${owner}`), ...others]]
  })
}

/** Text of one line, with links, code and what is emphasized. */
function inline(page: string, node: Node): string {
  return squeezed(written(page, node))
}

function written(page: string, node: Node): string {
  if (typeof node === 'string') return node
  const text = node.children.map((child) => written(page, child)).join('')
  const { tag, attributes } = node
  if (tag === 'a') return `[${squeezed(text)}](${fromPage(page, markdownAddress(attributes['href'] ?? ''))})`
  if (tag === 'code') return `\`${text}\``
  if (tag === 'img') return attributes['class'] === 'in-dark' ? '' : imageOf(page, node)
  if (attributes['class'] === 'bounds') return ` (${squeezed(text)})`
  // The parts of a cell stand apart, as they do on the page.
  return tag === 'p' || tag === 'div' ? ` ${text} ` : text
}

function imageOf(page: string, { attributes }: Element): string {
  return `![${attributes['alt'] ?? ''}](${fromPage(page, attributes['src'] ?? '')})`
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

function filled(texts: readonly string[]): string[] {
  return texts.filter((text) => text !== '')
}
