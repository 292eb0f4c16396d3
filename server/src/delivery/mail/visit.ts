import type { MailedVisit } from '../jobs/job-names.js'
import type { MailTexts } from './mail-texts.js'
import { mailLanguageOf } from './texts.js'

/** Where a change was made, and the time zone of its organization. */
export interface VisitInMail extends MailedVisit {
  /** IANA. */
  readonly timeZone: string
}

/** When, in which browser and from which network a change was made. */
export function visitSentence(texts: MailTexts, visit: VisitInMail, locale: string | null): string {
  const moment = toMoment(new Date(visit.at), visit.timeZone, locale)
  return texts.visit(moment, visit.browser, visit.network)
}

/** A time with its zone, because readers may be elsewhere than their organization. */
export function toMoment(at: Date, timeZone: string, locale: string | null): string {
  const format = { dateStyle: 'long', timeStyle: 'short', timeZone } as const
  return `${new Intl.DateTimeFormat(mailLanguageOf(locale), format).format(at)} (${timeZone})`
}
