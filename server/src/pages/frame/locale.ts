import { languages, type Language } from '../../platform/languages.js'
import { en, type PageTexts } from '../texts/en.js'
import { fr } from '../texts/fr.js'

const textsOf: Readonly<Record<Language, PageTexts>> = { en, fr }

/** The texts of the pages in each language, the fallback first. */
export const allTexts: readonly PageTexts[] = languages.map((language) => textsOf[language])

/** The sources of the language of a page, in descending priority. */
interface LanguageWishes {
  /** Space-separated language tags in order of preference (OpenID Connect Core section 3.1.2.1). */
  readonly uiLocales: string | undefined
  readonly organizationLocale: string | null | undefined
  readonly acceptLanguage: string | undefined
}

/** The texts in the first requested language that is available; else English. */
export function textsFor({ uiLocales, organizationLocale, acceptLanguage }: LanguageWishes): PageTexts {
  const tags = [...(uiLocales ?? '').split(' '), organizationLocale ?? '', ...byQuality(acceptLanguage ?? '')]
  for (const tag of tags) {
    const language = tag.split(/[-_]/, 1)[0]?.toLowerCase()
    const texts = allTexts.find(({ lang }) => lang === language)
    if (texts !== undefined) return texts
  }
  return en
}

/** The tags of an Accept-Language header by descending quality (RFC 9110 section 12.5.4). */
function byQuality(header: string): string[] {
  const weighed = header.split(',').map((part) => {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim())
    const [, quality = '1'] = /^q=([\d.]+)$/i.exec(parameters.join('')) ?? []
    return { tag, quality: Number(quality) }
  })
  return weighed
    .filter(({ quality }) => quality > 0)
    .toSorted((a, b) => b.quality - a.quality)
    .map(({ tag }) => tag)
}
