import type { ComponentChildren, VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { displayName } from '../../platform/display-name.js'
import { allTexts } from './locale.js'
import { isHttps, Organization } from './organization.js'
import type { PageOwner } from './page-owner.js'
import type { PageTexts } from '../texts/en.js'

/** The data that every page needs besides its content. */
export interface Frame {
  readonly texts: PageTexts
  /** The owner of the page; undefined when the address names none. */
  readonly organization: PageOwner | undefined
  readonly isSandbox: boolean
  readonly productName: string
  readonly styleUrl: string
  /** Loaded with the style sheet, so that the text does not change its font. */
  readonly fontUrl: string
  /** Optional: pages work without scripts. */
  readonly scriptUrl?: string | undefined
  /** Loaded by the pages on which an authenticator answers. */
  readonly passkeyScriptUrl?: string | undefined
  /** The address of this page without its language; undefined when it cannot be shown again. */
  readonly url: string | undefined
  /** Where another organization is chosen, or the application goes on without what the page asks for; undefined where there is neither. */
  readonly elsewhere?: { readonly label: string; readonly url: string } | undefined
}

/** The properties of a page besides its frame. */
export interface PageProps {
  readonly title: string
  /** Where it differs from the title. */
  readonly heading?: ComponentChildren
  readonly headingClass?: 'done' | 'pending' | undefined
  /** Between the name of the organization and the heading. */
  readonly above?: ComponentChildren
  /** Whether the page reports a fault of the last form. */
  readonly isFault?: boolean
  /** For pages that are read and compared at a desk. */
  readonly isWide?: boolean
  /** What a page without an address says, for its other languages: a link to them would lose what it shows. */
  readonly sentences?: ((texts: PageTexts) => readonly string[]) | undefined
  /** Where the browser navigates automatically, by a refresh, to which form-action does not apply. */
  readonly goesOnTo?: string | undefined
  /** Whether an authenticator answers on it. */
  readonly needsPasskeys?: boolean
  readonly children: ComponentChildren
}

/** Renders a whole document. It loads two style sheets, a font, small scripts and a logo, and works without the last three. */
export function toDocument(page: VNode): string {
  return `<!doctype html>${renderToString(page)}`
}

/** The frame of every page around its content: the organization, the heading and the footer. */
export function HostedPage({
  frame,
  title,
  heading = title,
  headingClass,
  above,
  isFault = false,
  isWide = false,
  goesOnTo,
  sentences,
  needsPasskeys = false,
  children,
}: PageProps & { readonly frame: Frame }) {
  const { texts, organization, isSandbox, productName, styleUrl, scriptUrl, fontUrl } = frame
  const name = displayName(organization?.name ?? productName)
  return (
    <html lang={texts.lang}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        {goesOnTo !== undefined && <meta http-equiv="refresh" content={`0; url=${goesOnTo}`} />}
        <title>{`${isFault ? texts.errorTitle(title) : title} · ${name}`}</title>
        <link rel="icon" href="data:," />
        <link rel="preload" href={fontUrl} as="font" type="font/woff2" crossOrigin="anonymous" />
        <link rel="stylesheet" href={styleUrl} />
        {organization !== undefined && (
          <link rel="stylesheet" href={`/${organization.root ?? 't'}/${organization.domain}/brand.css`} />
        )}
        {scriptUrl !== undefined && <script src={scriptUrl} defer />}
        {needsPasskeys && frame.passkeyScriptUrl !== undefined && (
          <script src={frame.passkeyScriptUrl} defer />
        )}
      </head>
      <body class={isWide ? 'wide' : undefined}>
        <main class="card">
          {isSandbox && <p class="sandbox">{texts.sandbox}</p>}
          <Organization organization={organization} productName={productName} />
          {above}
          <h1 class={headingClass}>{heading}</h1>
          {children}
          {frame.url === undefined && sentences !== undefined && (
            <OtherLanguages texts={texts} sentences={sentences} />
          )}
          {frame.elsewhere !== undefined && (
            <p class="quiet">
              <a href={frame.elsewhere.url}>{frame.elsewhere.label}</a>
            </p>
          )}
        </main>
        <footer>
          <p>{texts.by(displayName(productName))}</p>
          {frame.url !== undefined && <Languages texts={texts} url={frame.url} />}
          <Legal texts={texts} organization={organization} />
        </footer>
      </body>
    </html>
  )
}

/** The legal links of the owner, which no page omits, and the one for help. */
function Legal({ texts, organization }: Pick<Frame, 'texts' | 'organization'>) {
  const links = [
    [texts.termsOfService, organization?.terms_of_service_url],
    [texts.privacyPolicy, organization?.privacy_policy_url],
    [texts.help, organization?.support_url],
  ] as const
  if (!links.some(([, url]) => isHttps(url))) return null
  return (
    <nav aria-label={texts.legal}>
      <ul>
        {links.map(
          ([label, url]) =>
            isHttps(url) && (
              <li key={label}>
                <a href={url} rel="noreferrer">
                  {label}
                </a>
              </li>
            ),
        )}
      </ul>
    </nav>
  )
}

function Languages({ texts, url }: { texts: PageTexts; url: string }) {
  return (
    <nav aria-label={texts.languages}>
      <ul>
        {allTexts.map((language) => (
          <li key={language.lang}>
            {language === texts ? (
              <span aria-current="true">{language.name}</span>
            ) : (
              <a
                href={withParameter(url, 'ui_locales', language.lang)}
                lang={language.lang}
                hreflang={language.lang}
              >
                {language.name}
              </a>
            )}
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** What a page says in its other languages, each in a fold. */
function OtherLanguages({
  texts,
  sentences,
}: {
  texts: PageTexts
  sentences: NonNullable<PageProps['sentences']>
}) {
  const others = allTexts.filter((language) => language !== texts)
  return (
    <>
      {others.map((language) => (
        <details key={language.lang} class="other-language" lang={language.lang}>
          <summary>{language.name}</summary>
          {sentences(language).map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </details>
      ))}
    </>
  )
}

/** An address with the parameter set to this value; undefined removes it. */
export function withParameter(url: string, name: string, value: string | undefined): string {
  const [path = '', query = ''] = url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.delete(name)
  if (value !== undefined) parameters.set(name, value)
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`
}
