import { join, posix, relative } from 'node:path'
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import dockerfile from 'highlight.js/lib/languages/dockerfile'
import ini from 'highlight.js/lib/languages/ini'
import jsonGrammar from 'highlight.js/lib/languages/json'
import nginx from 'highlight.js/lib/languages/nginx'
import python from 'highlight.js/lib/languages/python'
import typescript from 'highlight.js/lib/languages/typescript'
import yaml from 'highlight.js/lib/languages/yaml'
import MarkdownIt from 'markdown-it'
import { html } from './html.js'
import { slugOf, type Addresses } from './addresses.js'
import { linkedAddress, root, type Document } from './contents.js'
import { drawSequence } from './draw-sequence.js'
import { picture } from './picture.js'
import { readSequence } from './sequence.js'

const grammars = { sh: bash, dockerfile, ini, json: jsonGrammar, nginx, python, ts: typescript, yaml }
for (const [name, grammar] of Object.entries(grammars)) highlighter.registerLanguage(name, grammar)

/** Code with its parts marked for the style sheet. */
export function highlighted(code: string, language: string): string {
  if (!(language in grammars)) return html`${code}`.markup
  return highlighter.highlight(code, { language, ignoreIllegals: true }).value
}

/** What a document is rendered with: Eleventy passes its data. */
interface Environment {
  readonly page: { readonly inputPath: string }
}

type Token = ReturnType<MarkdownIt['parse']>[number]

/**
 * Markdown as pages of the site: headings with the anchors of the repository's host, links to documents as links to
 * their pages, names of the contract as links to their places, diagrams drawn, code colored by classes.
 */
export function createRenderer(documents: readonly Document[], addresses: Addresses): MarkdownIt {
  const renderer = new MarkdownIt({ html: false, highlight: highlighted })

  renderer.core.ruler.push('site', (state) => {
    const file = fileOf(state.env as Environment)
    let isHeading = false
    for (const token of state.tokens) {
      if (token.type === 'heading_open') isHeading = true
      else if (token.type === 'heading_close') isHeading = false
      else if (token.type === 'inline') linkInline(token.children ?? [], file, isHeading)
    }
    nameHeadings(state.tokens)
    emptyHeadsToCells(state.tokens)
    state.tokens = withLanguages(state.tokens, state.Token)
  })

  function linkInline(tokens: readonly Token[], file: string, isHeading: boolean): void {
    let isLink = false
    for (const token of tokens) {
      if (token.type === 'link_open') {
        isLink = true
        token.attrSet('href', linkedAddress(documents, file, String(token.attrGet('href'))))
      } else if (token.type === 'link_close') isLink = false
      else if (token.type === 'code_inline' && !isLink && !isHeading)
        token.meta = { address: addresses.of(token.content) }
      else if (token.type === 'image')
        token.attrSet('src', posix.join(posix.dirname(file), String(token.attrGet('src'))))
    }
  }

  const { code_inline, fence } = renderer.renderer.rules
  if (!code_inline || !fence) throw new Error('markdown-it has no rules for code')
  renderer.renderer.rules = {
    ...renderer.renderer.rules,
    code_inline: (tokens, index, options, env, self) => {
      const code = code_inline(tokens, index, options, env, self)
      const meta = tokens[index]?.meta as { address?: string } | null | undefined
      return meta?.address === undefined ? code : `<a class="name" href="${meta.address}">${code}</a>`
    },
    fence: (tokens, index) => {
      const { info = '', content = '' } = tokens[index] ?? {}
      const [language = ''] = info.split(' ')
      if (language === 'mermaid') return `${drawSequence(readSequence(content.trim())).markup}\n`
      const name = languageNames[language]
      const label = name === undefined ? '' : ` data-language="${name}"`
      return `<pre tabindex="0"${label}><code>${highlighted(content, language)}</code></pre>\n`
    },
    image: (tokens, index) => {
      const token = tokens[index]
      return picture(String(token?.attrGet('src')), token?.content ?? '')
    },
    languages_open: () => '<div class="languages">\n',
    languages_close: () => '</div>\n',
    table_open: () => '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n',
    table_close: () => '</table></div>\n',
  }
  return renderer
}

/** Samples that say the same in several languages stand one after the other, and readers choose. */
const languageNames: Readonly<Record<string, string>> = { sh: 'Shell', ts: 'TypeScript', python: 'Python' }

/** Puts samples of different languages that follow each other into one element. */
function withLanguages(
  tokens: readonly Token[],
  create: new (type: string, tag: string, nesting: -1 | 0 | 1) => Token,
): Token[] {
  const languageOf = (token: Token | undefined) =>
    token?.type === 'fence' ? languageNames[token.info.split(' ')[0] ?? ''] : undefined
  const isFirst = (at: number) => {
    const [before, here, after] = [at - 1, at, at + 1].map((index) => languageOf(tokens[index]))
    return before === undefined && here !== undefined && after !== undefined && here !== after
  }
  const written: Token[] = []
  let isOpen = false
  for (const [at, token] of tokens.entries()) {
    if (isOpen && languageOf(token) === undefined) {
      written.push(new create('languages_close', 'div', -1))
      isOpen = false
    }
    if (isFirst(at)) {
      written.push(new create('languages_open', 'div', 1))
      isOpen = true
    }
    written.push(token)
  }
  return isOpen ? [...written, new create('languages_close', 'div', -1)] : written
}

function fileOf({ page }: Environment): string {
  return relative(root, join(root, page.inputPath)).replaceAll('\\', '/')
}

/** Two headings of one text get addresses of their own, as the repository's host has it. */
function nameHeadings(tokens: readonly Token[]): void {
  const seen = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const slug = slugOf(tokens[index + 1]?.content.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1') ?? '')
    const count = seen.get(slug) ?? 0
    seen.set(slug, count + 1)
    token.attrSet('id', count === 0 ? slug : `${slug}-${count}`)
  }
}

/** A corner of a table without a word heads nothing. */
function emptyHeadsToCells(tokens: readonly Token[]): void {
  for (const [index, token] of tokens.entries()) {
    const [inline, close] = tokens.slice(index + 1)
    if (token.type !== 'th_open' || inline?.content !== '' || close === undefined) continue
    token.tag = 'td'
    close.tag = 'td'
  }
}
