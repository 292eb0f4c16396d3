import MiniSearch from 'minisearch'

/** A page as it was written. */
export interface WrittenPage {
  readonly address: string
  readonly content: string
}

interface Section {
  readonly id: string
  readonly title: string
  readonly page: string
  readonly text: string
}

/** What MiniSearch is made with here; the browser is told the same, because an index fits no other. */
const options = {
  fields: ['title', 'page', 'text'],
  storeFields: ['title', 'page'],
  searchOptions: { boost: { title: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' as const },
}

/**
 * The search index as a script that sets `porticoSearch`: a page that is opened as a file may load scripts, and no data.
 * Each heading is a place that can be found.
 */
export function searchIndex(pages: readonly WrittenPage[]): string {
  const index = new MiniSearch<Section>(options)
  index.addAll(pages.flatMap(sectionsOf))
  return `globalThis.porticoSearch = ${JSON.stringify({ options, index: JSON.stringify(index) })}\n`
}

function sectionsOf({ address, content }: WrittenPage): Section[] {
  const [, body = ''] =
    /<div class="body">(.*)<\/div>\s*(?:<nav class="neighbors"|<\/main>)/s.exec(content) ?? []
  // Samples would be found for every word of JSON.
  const said = body.replace(/<pre[^>]*>.*?<\/pre>|<svg.*?<\/svg>/gs, ' ')
  const [, page = ''] = /<title>(.*?)(?: · Portico)?<\/title>/s.exec(content) ?? []
  const parts = said.split(/(?=<(?:h[1-4]|tr) id=")/)
  return parts.flatMap((part) => {
    const [, tag = '', anchor = ''] = /^<(h[1-4]|tr) id="([^"]+)"/.exec(part) ?? []
    if (anchor === '') return []
    const [heading = ''] = (tag === 'tr' ? /<th.*?<\/th>/s : /^<h.*?<\/h\d>/s).exec(part) ?? []
    return {
      id: tag === 'h1' ? address : `${address}#${anchor}`,
      title: textOf(heading),
      // A page says where it is itself, but for the half of its title that is not its heading.
      page: textOf(tag === 'h1' ? page.split(' · ').slice(1).join() : page),
      text: textOf(part.slice(heading.length)),
    }
  })
}

function textOf(markup: string): string {
  return markup
    .replace(/<wbr \/>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()
}
