import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { displayName } from '../display-name.js'
import type { PublicOrganization } from '../organizations/find-organization.js'
import { languages } from './locale.js'
import type { PageTexts } from './texts/en.js'

/** What every page needs to know besides its own content. */
export interface Frame {
  readonly texts: PageTexts
  /** Undefined where the address names none. */
  readonly organization: PublicOrganization | undefined
  readonly isSandbox: boolean
  readonly productName: string
  readonly styleUrl: string
  /** The address of this page, with everything but its language; undefined where it cannot be shown again. */
  readonly url: string | undefined
}

interface Page {
  readonly frame: Frame
  readonly title: string
  readonly children: ComponentChildren
}

/** A whole document. It loads two style sheets and nothing else, and works without scripts. */
export function toDocument(page: Page): string {
  return `<!doctype html>${renderToString(<Document {...page} />)}`
}

function Document({ frame, title, children }: Page) {
  const { texts, organization, isSandbox, productName, styleUrl } = frame
  const name = displayName(organization?.name ?? productName)
  return (
    <html lang={texts.lang}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${name}`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href={styleUrl} />
        {organization !== undefined && <link rel="stylesheet" href={`/t/${organization.domain}/brand.css`} />}
      </head>
      <body>
        <main class="card">
          {isSandbox && <p class="sandbox">{texts.sandbox}</p>}
          <p class="organization">
            <span class="monogram" aria-hidden="true">
              {initialOf(name)}
            </span>
            <span>{name}</span>
          </p>
          {children}
        </main>
        <footer>
          <p>{texts.by(displayName(productName))}</p>
          {frame.url !== undefined && <Languages texts={texts} url={frame.url} />}
        </footer>
      </body>
    </html>
  )
}

function Languages({ texts, url }: { texts: PageTexts; url: string }) {
  return (
    <nav aria-label={texts.languages}>
      <ul>
        {languages.map((language) => (
          <li key={language.lang}>
            {language === texts ? (
              <span aria-current="true">{language.name}</span>
            ) : (
              <a href={withLanguage(url, language.lang)} lang={language.lang} hreflang={language.lang}>
                {language.name}
              </a>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

function withLanguage(url: string, lang: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}ui_locales=${lang}`
}

function initialOf(name: string): string {
  const [first = ''] = name
  return first.toLocaleUpperCase()
}
