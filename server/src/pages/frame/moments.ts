const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Intl says "now", which does not follow "Used". */
const justNow: Readonly<Record<string, string>> = { en: 'just now', fr: 'à l’instant' }

/** A past time in words: "5 minutes ago", "yesterday", and below a minute "just now". */
export function toTimeAgo(at: Date, now: Date, lang: string): string {
  const seconds = Math.max(0, (now.getTime() - at.getTime()) / 1000)
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' })
  const found = units.find(([, unitSeconds]) => seconds >= unitSeconds)
  if (found === undefined) return justNow[lang] ?? format.format(0, 'second')
  const [unit, size] = found
  return format.format(-Math.floor(seconds / size), unit)
}

/** A waiting time in words, rounded up: "in 5 minutes". */
export function toWait(seconds: number, lang: string): string {
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'always' })
  if (seconds < 60) return format.format(Math.max(1, Math.ceil(seconds)), 'second')
  if (seconds <= 3600) return format.format(Math.ceil(seconds / 60), 'minute')
  return format.format(Math.ceil(seconds / 3600), 'hour')
}

/** The day of a time, in UTC: "March 14, 2026". */
export function toDate(at: Date, lang: string): string {
  return new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' }).format(at)
}
