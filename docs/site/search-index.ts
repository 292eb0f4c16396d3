import { unescaped } from './markup-tree.js'
import { contributors, indexOf, type Place } from './search.js'
import { topics } from './topics.js'

/** A page as it was written. */
export interface WrittenPage {
  readonly address: string
  readonly content: string
}

/**
 * The search index as a script that sets `porticoSearchIndex`: a page that is opened as a file may load scripts, and no
 * data. Each heading is a place that can be found.
 *
 * @param isOfContributors Whether a page is about the source, and comes last.
 * @throws Error for a topic whose place is not on the site.
 */
export function searchIndex(
  pages: readonly WrittenPage[],
  isOfContributors: (address: string) => boolean,
): string {
  const places = pages
    .filter(({ address }) => address.endsWith('.html'))
    .flatMap((page) => placesOf(page, isOfContributors(page.address) ? contributors : weightOf(page.address)))
  const ids = new Set(places.map(({ id }) => id))
  const lost = Object.keys(topics).filter((place) => !ids.has(place))
  if (lost.length > 0)
    throw new Error(`docs/site/topics.ts names what is not on the site: ${lost.join(', ')}`)
  return `globalThis.porticoSearchIndex = ${JSON.stringify(indexOf(places))}\n`
}

/** Guides explain; the others are looked up by name, and have most words a hundred times. */
function weightOf(address: string): number {
  if (/^\/(?:guides|examples)\/|^\/(?:index|readme|sdk)\.html$/.test(address)) return 1
  return /^\/(?:changelog|sdk\/changelog|benchmarks|conformance)\.html$/.test(address) ? 0.3 : 0.6
}

function placesOf({ address, content }: WrittenPage, weight: number): Place[] {
  const [, body = ''] =
    /<div class="body">(.*)<\/div>\s*(?:<nav class="neighbors"|<footer|<\/main>)/s.exec(content) ?? []
  // Samples would be found for every word of JSON.
  const said = body.replace(/<pre[^>]*>.*?<\/pre>|<svg.*?<\/svg>/gs, ' ')
  const [, page = ''] = /<title>(.*?)(?: · Portico)?<\/title>/s.exec(content) ?? []
  const parts = said.split(/(?=<(?:h[1-4]|tr) id=")/)
  return parts.flatMap((part) => {
    const [, tag = '', anchor = ''] = /^<(h[1-4]|tr) id="([^"]+)"/.exec(part) ?? []
    if (anchor === '') return []
    const [heading = ''] = (tag === 'tr' ? /<th.*?<\/th>/s : /^<h.*?<\/h\d>/s).exec(part) ?? []
    const id = tag === 'h1' ? address : `${address}#${anchor}`
    return {
      id,
      title: textOf(heading),
      // A page says where it is itself, but for the half of its title that is not its heading.
      page: textOf(tag === 'h1' ? page.split(' · ').slice(1).join() : page),
      text: textOf(part.slice(heading.length)),
      words: topics[id] ?? '',
      weight,
    }
  })
}

function textOf(markup: string): string {
  const text = markup.replace(/<wbr \/>/g, '').replace(/<[^>]*>/g, ' ')
  return unescaped(text).replace(/\s+/g, ' ').trim()
}
