import type { Block, Guide, Words } from './tutorial.js'

/** Whatever a tutorial says in the language of the page. */
export function wordsOf({ steps, quirks }: Pick<Guide, 'steps' | 'quirks'>): Words[] {
  const ofBlock = (block: Block) => {
    if ('words' in block) return [block.words]
    if (block.t === 'path') return block.crumbs.filter((crumb) => typeof crumb !== 'string')
    return []
  }
  return [...quirks, ...steps.flatMap(({ title, blocks }) => [title, ...blocks.flatMap(ofBlock)])]
}

/** The values of ours that it asks for. */
export function namedValues({ steps }: Pick<Guide, 'steps'>): string[] {
  const ofBlock = (block: Block) => {
    if (block.t === 'copy') return [block.value]
    if (block.t !== 'snippet') return []
    return [...block.template.matchAll(/\{([a-z_]+)\}/g)].flatMap(([, name]) => name ?? [])
  }
  return steps.flatMap(({ blocks }) => blocks.flatMap(ofBlock))
}

/** What is wrong with a text in two languages; empty where nothing is. */
export function languageFaults({ en, fr }: Words): string[] {
  const set = (text: string) => text.match(/\*\*.*?\*\*/g) ?? []
  const isSentence = /[a-z]{4,} [a-z]{2,} [a-z]{2,}/.test(en.replace(/\*\*.*?\*\*/g, ''))
  return [
    ...(en.trim() === '' || fr.trim() === '' ? [`empty: ${en}`] : []),
    ...(isSentence && en === fr ? [`the same in both: ${en}`] : []),
    // What stands in the console is the same in both.
    ...(set(en).join() === set(fr).join() ? [] : [`other words of the console: ${fr}`]),
    ...(/\w [:;?!]/.test(fr) ? [`a space that breaks: ${fr}`] : []),
  ]
}

/** Whether it names the day on which it was last checked. */
export function namesItsCheck({ checkedOn }: Pick<Guide, 'checkedOn'>): boolean {
  return checkedOn !== null && new Date(checkedOn).toISOString().slice(0, 10) === checkedOn
}
