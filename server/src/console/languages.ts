import { languages, type Language as LanguageTag } from '../platform/languages.js'
import { en as screenTextsEn, type ScreenTexts } from '../screens/texts/en.js'
import { fr as screenTextsFr } from '../screens/texts/fr.js'
import type { Labels } from '../screens/labels.js'
import type { Language } from '../screens/value.js'
import { en as labelsEn } from './labels/en.js'
import { fr as labelsFr } from './labels/fr.js'
import { actionLabels } from './action-labels.js'
import { resources } from './resources.js'

const byTag: Readonly<Record<LanguageTag, { readonly texts: ScreenTexts; readonly labels: Labels }>> = {
  en: { texts: screenTextsEn, labels: withActions(labelsEn, screenTextsEn) },
  fr: { texts: screenTextsFr, labels: withActions(labelsFr, screenTextsFr) },
}

function withActions(labels: Labels, texts: ScreenTexts): Labels {
  return { ...labels, values: { ...labels.values, action: actionLabels(resources, labels, texts) } }
}

const names: Readonly<Record<LanguageTag, string>> = { en: 'English', fr: 'Français' }

/** The languages of the console. */
export const consoleLanguages: readonly { readonly lang: LanguageTag; readonly name: string }[] =
  languages.map((lang) => ({ lang, name: names[lang] }))

/** The texts and labels of a language. */
export function languageOf(tag: LanguageTag): Language {
  return byTag[tag]
}
