/** An element of the markup that this site writes, or a text. */
export type Node = Element | string

export interface Element {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: Node[]
}

const empty = new Set(['br', 'hr', 'img', 'input', 'wbr'])

/** Reads markup of the templates, whose elements are all closed. */
export function readMarkup(markup: string): Element {
  const root: Element = { tag: 'body', attributes: {}, children: [] }
  const open = [root]
  for (const [, end, tag = '', attributes = '', text] of markup.matchAll(
    /<(\/?)([a-z][a-z\d]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/g,
  )) {
    const parent = open.at(-1) ?? root
    if (text !== undefined) parent.children.push(unescaped(text))
    else if (end === '/') open.pop()
    else {
      const element: Element = { tag, attributes: attributesOf(attributes), children: [] }
      parent.children.push(element)
      if (!empty.has(tag)) open.push(element)
    }
  }
  return root
}

function attributesOf(text: string): Record<string, string> {
  const pairs = [...text.matchAll(/([\w-]+)(?:="([^"]*)")?/g)]
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name, unescaped(value)]))
}

/** Text in place of what markup writes for it. */
export function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}

/** The elements with a tag at any depth, but for those inside another of them. */
export function elementsOf(node: Node, ...tags: readonly string[]): Element[] {
  if (typeof node === 'string') return []
  return node.children.flatMap((child) =>
    typeof child !== 'string' && tags.includes(child.tag) ? [child] : elementsOf(child, ...tags),
  )
}

export function textOf(node: Node): string {
  return typeof node === 'string' ? node : node.children.map(textOf).join('')
}
