import type { Environment } from '@portico/contract/fields'
import { Fragment, type ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { displayName } from '../platform/display-name.js'
import type { Link, Shown } from './visit.js'

/** The words around every page. */
export interface FrameTexts {
  readonly lang: string
  readonly skip: string
  readonly navigation: string
  readonly way: string
  readonly environments: Readonly<Record<Environment, string>>
  readonly search: string
  readonly searchButton: string
  readonly switchTo: (environment: string) => string
  readonly signedInAs: string
  readonly signOut: string
  readonly language: string
}

/** Links of the menu that belong together. */
export interface LinkGroup {
  /** The name of the group, and what makes its id. */
  readonly key: string
  readonly label: string
  readonly links: readonly Link[]
}

/** What is around a page: where it is, and who looks at it. */
export interface ScreenFrame {
  readonly texts: FrameTexts
  readonly productName: string
  /** The name of the account. */
  readonly owner: string
  readonly environment: Environment
  readonly home: Link
  /** Beside the home page, before the groups. */
  readonly first: readonly Link[]
  readonly navigation: readonly LinkGroup[]
  /** The address that takes what is typed into the search box; undefined for those who may not search. */
  readonly searchUrl: string | undefined
  /** This page, or its list, in the other environment. */
  readonly other: Link
  /** The other languages. */
  readonly languages: readonly (Link & { readonly lang: string })[]
  readonly person: string
  readonly signOut: { readonly action: string; readonly csrf: string }
  readonly styleUrls: readonly string[]
  readonly scriptUrl: string
  /** The address of this page, for the navigation. */
  readonly url: string
}

/** A whole document: the page with its frame. It names the environment in words everywhere, never by colour alone. */
export function toScreenDocument(frame: ScreenFrame, shown: Shown): string {
  return `<!doctype html>${renderToString(<Document frame={frame} shown={shown} />)}`
}

function Document({ frame, shown }: { readonly frame: ScreenFrame; readonly shown: Shown }) {
  const { texts, environment, owner, productName, styleUrls, scriptUrl } = frame
  return (
    <html lang={texts.lang} class="screens">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`[${environment}] ${shown.title} · ${displayName(owner)}`}</title>
        <link rel="icon" href="data:," />
        {styleUrls.map((url) => (
          <link key={url} rel="stylesheet" href={url} />
        ))}
        <script src={scriptUrl} defer />
      </head>
      <body class="screens">
        <a class="skip" href="#main">
          {texts.skip}
        </a>
        <header>
          <div class="bar">
            <a class="home" href={frame.home.url}>
              <bdi>{displayName(owner)}</bdi> <span class="quiet">{displayName(productName)}</span>
            </a>
            <Search frame={frame} />
            <div class="who">
              <span>
                {texts.signedInAs} <bdi>{frame.person}</bdi>
              </span>
              <form method="post" action={frame.signOut.action}>
                <input type="hidden" name="csrf" value={frame.signOut.csrf} />
                <button type="submit" name="action" value="sign_out" class="plain">
                  {texts.signOut}
                </button>
              </form>
            </div>
          </div>
          <div class={`band in-${environment}`}>
            <strong>{texts.environments[environment]}</strong>{' '}
            <a href={frame.other.url}>{frame.other.label}</a>
          </div>
        </header>
        <div class="columns">
          <details class="navigation">
            <summary>{texts.navigation}</summary>
            <nav aria-label={texts.navigation}>
              <Links frame={frame} links={[frame.home, ...frame.first]} />
              {frame.navigation.map(({ key, label, links }) => (
                <Fragment key={key}>
                  <h2 id={`menu-${key}`}>{label}</h2>
                  <Links frame={frame} links={links} labelledBy={`menu-${key}`} />
                </Fragment>
              ))}
            </nav>
          </details>
          <main id="main" tabIndex={-1}>
            <Way texts={texts} links={shown.crumbs} />
            <h1>
              <bdi>{shown.title}</bdi>
            </h1>
            {shown.content}
          </main>
        </div>
        <footer>
          <nav aria-label={texts.language}>
            <ul>
              {frame.languages.map(({ label, url, lang }) => (
                <li key={lang}>
                  {lang === texts.lang ? (
                    <span aria-current="true">{label}</span>
                  ) : (
                    <a href={url} lang={lang} hreflang={lang}>
                      {label}
                    </a>
                  )}
                </li>
              ))}
            </ul>
          </nav>
        </footer>
      </body>
    </html>
  )
}

/** A form that works without scripts: what was typed leads to a person or to organizations. */
function Search({ frame: { searchUrl, texts } }: { readonly frame: ScreenFrame }) {
  if (searchUrl === undefined) return null
  return (
    <form method="get" action={searchUrl} class="search" role="search" aria-label={texts.search}>
      <input
        name="q"
        type="search"
        placeholder={texts.search}
        aria-label={texts.search}
        autocomplete="off"
        spellcheck={false}
        maxLength={254}
      />
      <button type="submit" class="second">
        {texts.searchButton}
      </button>
    </form>
  )
}

function Links({
  frame,
  links,
  labelledBy,
}: {
  readonly frame: ScreenFrame
  readonly links: readonly Link[]
  readonly labelledBy?: string
}) {
  return (
    <ul aria-labelledby={labelledBy}>
      {links.map(({ label, url }) => (
        <li key={url}>
          <a href={url} aria-current={isWithin(frame, url) ? 'page' : undefined}>
            {label}
          </a>
        </li>
      ))}
    </ul>
  )
}

function isWithin({ url: here, home }: ScreenFrame, url: string): boolean {
  return here === url || (url !== home.url && here.startsWith(`${url}/`))
}

function Way({
  texts,
  links,
}: {
  readonly texts: FrameTexts
  readonly links: readonly Link[]
}): ComponentChildren {
  if (links.length === 0) return null
  return (
    <nav class="way" aria-label={texts.way}>
      <ol>
        {links.map(({ label, url }) => (
          <li key={url}>
            <a href={url}>
              <bdi>{label}</bdi>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  )
}
