import { AccountPath } from '@portico/contract/fields'
import type { Deps } from '../delivery/deps.js'
import { requestIdOf } from '../delivery/request-context.js'
import { errorPage, type ErrorExtras } from '../pages/frame/error.js'
import type { Frame } from '../pages/frame/layout.js'
import type { Exchange } from '../pages/frame/page-route.js'
import { frameOf, sendPage } from '../pages/frame/site.js'
import type { PageSentence } from '../pages/texts/page-sentence.js'
import type { Language } from '../platform/languages.js'
import { en, type ConsoleTexts } from './texts/en.js'
import { fr } from './texts/fr.js'

const textsOf: Readonly<Record<Language, ConsoleTexts>> = { en, fr }

/** A page of the console in the language of its reader. */
export interface ConsolePage {
  readonly frame: Frame
  readonly words: ConsoleTexts
}

/** @param url Of the page, for its other languages; undefined where it cannot be shown again. */
export function consolePage(
  { site, req }: Pick<Exchange, 'site' | 'req'>,
  url: string | undefined,
  locale?: string | null,
): ConsolePage {
  const at = { organization: undefined, isSandbox: false, url, uiLocales: locale ?? null }
  const frame = frameOf(site, req, at)
  return { frame, words: textsOf[frame.texts.lang] }
}

/** The sentences that are a whole page. */
type SentenceName = {
  [Name in keyof ConsoleTexts]: ConsoleTexts[Name] extends PageSentence ? Name : never
}[keyof ConsoleTexts]

/** Answers with a page of one sentence, with the reference of its request. */
export function sendConsoleSentence(
  exchange: Omit<Exchange, 'deps'> & { readonly deps?: Deps },
  status: number,
  name: SentenceName,
  extras: ErrorExtras = {},
): void {
  const { site, req, res } = exchange
  const { frame, words } = consolePage(exchange, undefined)
  const page = errorPage(frame, words[name], { reference: requestIdOf(req), ...extras })
  sendPage(site, res.status(status), page, { organization: undefined })
}

/** The account in the address; '' where it cannot be one. */
export function accountAt({ req }: Pick<Exchange, 'req'>): string {
  return AccountPath.parse(req.params).account_domain
}
