import { readManifest } from './about.js'
import { html, type Html } from './html.js'
import { markdownAddress } from './markdown-form.js'
import type { Link, Navigation } from './navigation.js'

export interface FramedPage {
  /** Without it the page is the first one, which lists the others. */
  readonly address: string
  readonly title: string
  readonly description: string
  readonly body: Html
  /** A page whose samples stand beside its text has no room for a list of its headings. */
  readonly isWide: boolean
  /** The document behind the page, and where it is edited, once the repository has a host. */
  readonly source?: { readonly file: string; readonly editAddress: string | undefined }
}

const { version } = readManifest()

/** A page with what is around it: the bar, the contents at the side, its own headings, the pages before and after. */
export function framed(navigation: Navigation, page: FramedPage): string {
  const { address, title, description, body, isWide } = page
  const isHome = address === '/index.html'
  const headings = isWide || isHome ? [] : headingsOf(body)
  const markup = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <meta name="description" content="${description}" />
      <title>${isHome ? title : `${title} · Portico`}</title>
      <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
      <link rel="alternate" href="${markdownAddress(address)}" type="text/markdown" title="Markdown" />
      <link rel="stylesheet" href="/assets/page.css" />
      <link rel="stylesheet" href="/assets/content.css" />
      <script src="/assets/site.js"></script>
    </head>
    <body class="${isHome ? 'home' : isWide ? 'wide' : 'prose'}">
      <a class="skip" href="#content">Skip to the content</a>
      <header>
        <p class="brand">
          <a href="/index.html">Portico</a>
          <a class="version" href="/changelog.html" title="What is in this version">${version}</a>
        </p>
        <search class="search" hidden>
          <label class="unseen" for="query">Search</label>
          <input
            id="query"
            type="search"
            placeholder="Search"
            autocomplete="off"
            spellcheck="false"
            aria-describedby="hint"
          />
          <kbd id="hint" title="The key that leads to the search">/</kbd>
          <p class="unseen" role="status" id="found"></p>
          <ol id="results" hidden></ol>
        </search>
        <button type="button" id="theme" hidden>Dark</button>
      </header>
      ${contents(navigation, address)}
      <main id="content" tabindex="-1">
        <div class="body">${body}</div>
        ${neighbors(navigation, address)} ${about(page)}
      </main>
      ${
        headings.length > 1 &&
        html`<nav class="headings" aria-label="On this page">
          <p>On this page</p>
          <ul>
            ${headings.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li> `)}
          </ul>
        </nav>`
      }
    </body>
  </html>`.markup
  return `<!doctype html>\n${markup}\n`
}

function contents({ groups }: Navigation, address: string): Html {
  return html`<nav class="contents" aria-label="Contents">
    <input type="checkbox" id="menu" aria-label="Show the contents" /><label for="menu">Contents</label>
    <div class="groups">
      ${groups.map(({ title, links }) => {
        const isFirst = address === '/index.html' && title !== 'Contribute'
        const isHere = isFirst || links.some((link) => link.address === sectionOf(address))
        return html`<details ${isHere ? open : ''}>
          <summary>${title}</summary>
          <ul>
            ${links.map((link) => html`<li>${contentsLink(link, address)}</li> `)}
          </ul>
        </details> `
      })}
    </div>
  </nav>`
}

const open: Html = { markup: 'open' }

function contentsLink(link: Link, address: string): Html {
  const current = link.address === address ? 'page' : 'true'
  return link.address === sectionOf(address)
    ? html`<a href="${link.address}" aria-current="${current}">${link.title}</a>`
    : html`<a href="${link.address}">${link.title}</a>`
}

/** A record is one of the records, which the contents list as one. */
function sectionOf(address: string): string {
  return address.startsWith('/records/') ? '/records.html' : address
}

function neighbors({ groups }: Navigation, address: string): Html | undefined {
  const links = groups.flatMap((group) => group.links)
  const here = links.findIndex((link) => link.address === address)
  if (here === -1) return undefined
  const [before, after] = [links[here - 1], links[here + 1]]
  return html`<nav class="neighbors" aria-label="Before and after">
    ${before && html`<a rel="prev" href="${before.address}"><span>Before</span> ${before.title}</a>`}
    ${after && html`<a rel="next" href="${after.address}"><span>Next</span> ${after.title}</a>`}
  </nav>`
}

/** What a page is: its version, its form for programs, and the document that it is made of. */
function about({ address, source }: FramedPage): Html {
  return html`<footer>
    <p>
      Portico ${version} · <a href="/changelog.html">Changelog</a> ·
      <a href="${markdownAddress(address)}">This page as Markdown</a> · <a href="/llms.txt">llms.txt</a>
      ${source !== undefined && [' · ', edited(source)]}
    </p>
  </footer>`
}

function edited({ file, editAddress }: NonNullable<FramedPage['source']>): Html {
  return editAddress === undefined
    ? html`Edit <code>${file}</code>`
    : html`<a href="${editAddress}">Edit this page</a>`
}

function headingsOf({ markup }: Html): { id: string; text: Html }[] {
  return [...markup.matchAll(/<h2 id="([^"]+)"[^>]*>(.*?)<\/h2>/gs)].map(([, id = '', heading = '']) => ({
    id,
    // Already escaped by whoever wrote the heading.
    text: { markup: heading.replace(/<[^>]*>/g, '') },
  }))
}
