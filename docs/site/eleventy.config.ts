import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UserConfig } from '@11ty/eleventy'
import { withRelativeLinks } from './addresses.js'
import { conventionsPage, errorsPage, eventsPage } from './catalog-pages.js'
import { copiedFiles, readContents, root } from './contents.js'
import { emulatorPage } from './emulator-page.js'
import { firstPage } from './first-page.js'
import { framed } from './frame.js'
import { navigationOf } from './navigation.js'
import type { ReferencePage } from './page.js'
import { recordPages } from './record-pages.js'
import { controlReference, serviceReference } from './reference.js'
import { createRenderer } from './renderer.js'
import { resourcePage } from './resource-page.js'
import { searchIndex } from './search-index.js'

/** What Eleventy knows of a page when it lays it out. */
interface PageData {
  readonly page: { readonly inputPath: string; readonly url: string }
  readonly content: string
  readonly part?: ReferencePage
}

/** What Eleventy itself reads: documents have no templates in them. */
export const config = { markdownTemplateEngine: false }

/** The site for Eleventy: the documents of the repository as they are, and a page for each part of the contract. */
export default function configure(eleventy: UserConfig): void {
  const contents = readContents()
  const documents = contents.flatMap((group) => group.documents)
  const service = serviceReference()
  const control = controlReference()
  const { document, operations, addresses } = service
  const navigation = navigationOf(contents, document)
  const reference: readonly ReferencePage[] = [
    firstPage(navigation),
    conventionsPage(document, operations),
    ...document.tags.map((tag) => resourcePage(service, tag)),
    ...recordPages(service, control),
    errorsPage(operations, addresses),
    eventsPage(operations, addresses),
    emulatorPage(control),
  ]
  const byFile = new Map(documents.map((each) => [`./${each.file}`, each]))

  eleventy.setInputDirectory('.')
  eleventy.setTemplateFormats(['md', '11ty.js'])
  for (const path of ignored([...byFile.keys()])) eleventy.ignores.add(path)
  eleventy.setLibrary('md', createRenderer(documents, addresses))
  eleventy.addGlobalData('layout', 'page.11ty.js')
  eleventy.addGlobalData(
    'permalink',
    () =>
      ({ page, part }: PageData) =>
        part?.address ?? byFile.get(page.inputPath)?.address,
  )
  eleventy.addGlobalData('reference', reference)
  eleventy.addTemplate('reference.11ty.js', ({ part }: PageData) => part?.body.markup, {
    pagination: { data: 'reference', size: 1, alias: 'part' },
  })
  eleventy.addTemplate('_includes/page.11ty.js', ({ page, content, part }: PageData) => {
    const { address, title } = part ?? byFile.get(page.inputPath) ?? { address: page.url, title: '' }
    const description = part?.description ?? firstSentences(content)
    const isWide = /<div class="sample">/.test(content)
    return framed(navigation, { address, title, description, body: { markup: content }, isWide })
  })
  eleventy.addTransform('relative links', function (this: PageData, content: string) {
    return withRelativeLinks(content, this.page.url)
  })
  eleventy.addPassthroughCopy(copies())
  eleventy.on('eleventy.after', ({ directories, results }) => {
    const pages = results.map(({ url, content }) => ({ address: url, content }))
    writeFileSync(join(directories.output, 'assets/search-index.js'), searchIndex(pages))
  })
  // The contract and the templates are loaded once: these need another start.
  eleventy.addWatchTarget('./docs/site/assets/')
}

/** What is copied as it is: assets, images, what documents link to. */
function copies(): Record<string, string> {
  const assets = ['site.js', 'page.css', 'content.css', 'icon.svg']
  return {
    ...Object.fromEntries(assets.map((name) => [`docs/site/assets/${name}`, `assets/${name}`])),
    'node_modules/minisearch/dist/umd/index.js': 'assets/minisearch.js',
    'docs/images': 'images',
    ...Object.fromEntries(Object.entries(copiedFiles).map(([file, address]) => [file, address.slice(1)])),
  }
}

/** Every document below the root that is no page. */
function ignored(pages: readonly string[]): string[] {
  const folders = ['.github', 'contract', 'docs/dist', 'node_modules', 'server', 'test']
  const others = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `./docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md') && !pages.includes(name))
  return [...folders, ...others]
}

/** The first paragraph of a page, as far as a search engine shows it. */
function firstSentences(content: string): string {
  const [, paragraph = ''] = /<p>(.*?)<\/p>/s.exec(content) ?? []
  const text = paragraph.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
  return text.length <= 160 ? text : `${text.slice(0, text.lastIndexOf(' ', 157))}…`
}
