import MiniSearch, { type Options, type SearchOptions, type SearchResult } from 'minisearch'

/** A page, or a heading of one, that the search finds. */
export interface Place {
  /** Its address from the root of the site. */
  readonly id: string
  readonly title: string
  /** The title of its page; of a page that has a second half of its title, that half. */
  readonly page: string
  readonly text: string
  /** Words by which readers look for it, and which it may not use (topics.ts). */
  readonly words: string
  /** What a hit here is worth: 1 for guides, less for lists, `contributors` for pages about the source. */
  readonly weight: number
}

export type Found = Pick<Place, 'id' | 'title' | 'page'>

/** Places of this weight come after all others, whatever they score. */
export const contributors = 0.1

/** Words of a question that say nothing of its subject. */
const silent = new Set(
  'a an and are as at be by can do does for from have how i in is it my of on or our the to what with you your'.split(
    ' ',
  ),
)

const options: Options<Place> = {
  fields: ['words', 'title', 'page', 'text'],
  storeFields: ['title', 'page', 'weight'],
  processTerm: (term) => {
    const word = term.toLowerCase()
    return silent.has(word) ? null : singular(word)
  },
  searchOptions: {
    boost: { words: 16, title: 4, page: 2 },
    // A prefix of two letters begins half of all words.
    prefix: (term) => term.length > 2,
    boostDocument: (_id, _term, stored) => Number(stored?.['weight'] ?? 1),
  },
}

/** Users and user are one word, and status is no plural. */
function singular(word: string): string {
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word
}

/** The search index as JSON. */
export function indexOf(places: readonly Place[]): string {
  const index = new MiniSearch<Place>(options)
  index.addAll(places)
  return JSON.stringify(index)
}

/** Ways to read a query, of which the first that finds something decides: as it is, misspelled, and some of its words. */
const readings: readonly SearchOptions[] = [
  { combineWith: 'AND' },
  { combineWith: 'AND', fuzzy: (term) => (term.length > 4 ? 0.15 : false) },
  { combineWith: 'OR' },
]

/** @returns The search of an index, whose results are best first, those for contributors last. */
export function openSearch(index: string): (query: string) => Found[] {
  const search = MiniSearch.loadJSON<Place>(index, options)
  return (query) => {
    let found: SearchResult[] = []
    for (const reading of readings) if (found.length === 0) found = search.search(query, reading)
    return [false, true]
      .flatMap((isLast) => found.filter(({ weight }) => Number(weight) <= contributors === isLast))
      .map(({ id, title, page }) => ({ id: String(id), title: String(title), page: String(page) }))
  }
}
