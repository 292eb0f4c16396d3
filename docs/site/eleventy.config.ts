import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { UserConfig } from '@11ty/eleventy'
import { build } from 'esbuild'
import { editAddress, readManifest } from './about.js'
import { withRelativeLinks } from './addresses.js'
import { conventionsPage, errorsPage, eventsPage } from './catalog-pages.js'
import { copiedFiles, linkedAddress, readContents, root, type Document } from './contents.js'
import { emulatorPage } from './emulator-page.js'
import { firstPage } from './first-page.js'
import { framed } from './frame.js'
import { llmsText } from './llms.js'
import { documentMarkdown, markdownAddress, pageMarkdown } from './markdown-form.js'
import { unescaped } from './markup-tree.js'
import { navigationOf } from './navigation.js'
import type { ReferencePage } from './page.js'
import { recordPages } from './record-pages.js'
import { controlReference, serviceReference } from './reference.js'
import { createRenderer } from './renderer.js'
import { resourcePage } from './resource-page.js'
import { searchIndex, type WrittenPage } from './search-index.js'

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
  const manifest = readManifest()
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
    const known = byFile.get(page.inputPath)
    const { address, title } = part ?? known ?? { address: page.url, title: '' }
    const source = known && { file: known.file, editAddress: editAddress(manifest, known.file) }
    const description = part?.description ?? firstSentences(content)
    const isWide = /<div class="sample">/.test(content)
    const body = { markup: content }
    return framed(navigation, { address, title, description, body, isWide, ...(source && { source }) })
  })
  eleventy.addTransform('relative links', function (this: PageData, content: string) {
    return withRelativeLinks(content, this.page.url)
  })
  eleventy.addPassthroughCopy(copies())
  const ofContributors = new Set(contents.at(-1)?.documents.map(({ address }) => address))
  eleventy.on('eleventy.after', async ({ directories, results }) => {
    const pages = results.map(({ url, content }) => ({ address: url, content }))
    const index = searchIndex(pages, (address) => ofContributors.has(address))
    writeFileSync(join(directories.output, 'assets/search-index.js'), index)
    const write = (address: string, text: string) => writeFileSync(join(directories.output, address), text)
    for (const { address, body } of reference)
      write(markdownAddress(address), pageMarkdown(address, body.markup))
    for (const each of documents) write(markdownAddress(each.address), markdownOf(documents, each))
    write(
      '/llms.txt',
      llmsText(navigation, (address) => descriptionIn(pages, address)),
    )
    await bundleSearch(join(directories.output, 'assets/search.js'))
  })
  // The contract and the templates are loaded once: these need another start.
  eleventy.addWatchTarget('./docs/site/assets/')
}

function markdownOf(documents: readonly Document[], { file, address }: Document): string {
  const text = readFileSync(join(root, file), 'utf8')
  return documentMarkdown(address, text, (target) => linkedAddress(documents, file, target))
}

function descriptionIn(pages: readonly WrittenPage[], address: string): string {
  const page = pages.find((each) => each.address === address)
  const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(page?.content ?? '') ?? []
  return unescaped(description)
}

/** The search with its library as one script, for every browser that has `light-dark()`. */
async function bundleSearch(outfile: string): Promise<void> {
  const entry = join(root, 'docs/site/search-in-browser.ts')
  await build({ entryPoints: [entry], outfile, bundle: true, minify: true, format: 'iife', target: 'es2022' })
}

/** What is copied as it is: assets, images, what documents link to. */
function copies(): Record<string, string> {
  const assets = ['site.js', 'page.css', 'content.css', 'icon.svg']
  return {
    ...Object.fromEntries(assets.map((name) => [`docs/site/assets/${name}`, `assets/${name}`])),
    'docs/images': 'images',
    ...Object.fromEntries(Object.entries(copiedFiles).map(([file, address]) => [file, address.slice(1)])),
  }
}

/** Every document below the root that is no page. */
function ignored(pages: readonly string[]): string[] {
  const folders = ['.github', 'contract', 'docs/dist', 'node_modules', 'server', 'test']
  const others = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((name) => `./docs/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.md') && !name.startsWith('./docs/dist/') && !pages.includes(name))
  return [...folders, ...others]
}

/** The first paragraph of a page, as far as a search engine shows it. */
function firstSentences(content: string): string {
  const [, paragraph = ''] = /<p>(.*?)<\/p>/s.exec(content) ?? []
  const text = unescaped(paragraph.replace(/<[^>]*>/g, '').replace(/\s+/g, ' '))
  return text.length <= 160 ? text : `${text.slice(0, text.lastIndexOf(' ', 157))}…`
}
