import type { MailTexts } from './mail-texts.js'
import { en } from './texts-en.js'
import { fr } from './texts-fr.js'

/** The languages of mails, by the first part of a BCP 47 tag. */
export const mailTexts = { en, fr } satisfies Record<string, MailTexts>

export type MailLanguage = keyof typeof mailTexts

/** The language of a mail: the recipient's if it has texts, else English. */
export function mailLanguageOf(locale: string | null): MailLanguage {
  const language = locale?.split(/[-_]/)[0]?.toLowerCase()
  return language === 'fr' ? 'fr' : 'en'
}
