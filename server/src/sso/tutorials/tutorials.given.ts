import type { Block, Guide, Words } from './tutorial.js'

/** All texts of a tutorial in the languages of the pages. */
export function wordsOf({ steps, quirks }: Pick<Guide, 'steps' | 'quirks'>): Words[] {
  const ofBlock = (block: Block) => {
    if ('words' in block) return [block.words]
    if (block.t === 'path') return block.crumbs.filter((crumb) => typeof crumb !== 'string')
    return []
  }
  return [...quirks, ...steps.flatMap(({ title, blocks }) => [title, ...blocks.flatMap(ofBlock)])]
}

/** Our values that a tutorial needs. */
export function namedValues({ steps }: Pick<Guide, 'steps'>): string[] {
  const ofBlock = (block: Block) => {
    if (block.t === 'copy') return [block.value]
    if (block.t !== 'snippet') return []
    return [...block.template.matchAll(/\{([a-z_]+)\}/g)].flatMap(([, name]) => name ?? [])
  }
  return steps.flatMap(({ blocks }) => blocks.flatMap(ofBlock))
}

/** The faults of a text in two languages. */
export function languageFaults({ en, fr }: Words): string[] {
  const set = (text: string) => text.match(/\*\*.*?\*\*/g) ?? []
  const isSentence = /[a-z]{4,} [a-z]{2,} [a-z]{2,}/.test(en.replace(/\*\*.*?\*\*/g, ''))
  return [
    ...(en.trim() === '' || fr.trim() === '' ? [`empty: ${en}`] : []),
    ...(isSentence && en === fr ? [`the same in both: ${en}`] : []),
    // Quotes of the console are the same in both.
    ...(set(en).join() === set(fr).join() ? [] : [`other words of the console: ${fr}`]),
    ...(/\w [:;?!]/.test(fr) ? [`a space that breaks: ${fr}`] : []),
  ]
}

/** Whether it names the day on which it was last checked. */
export function namesItsCheck({ checkedOn }: Pick<Guide, 'checkedOn'>): boolean {
  return checkedOn !== null && new Date(checkedOn).toISOString().slice(0, 10) === checkedOn
}
