const units = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** A past time in words: "5 minutes ago", "yesterday", and below a minute "now". */
export function toTimeAgo(at: Date, now: Date, lang: string): string {
  const seconds = Math.max(0, (now.getTime() - at.getTime()) / 1000)
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'auto' })
  const [unit, size] = units.find(([, unitSeconds]) => seconds >= unitSeconds) ?? ['second', Infinity]
  // Intl formats 0 as "now", but -0 as "0 seconds ago".
  return format.format(size === Infinity ? 0 : -Math.floor(seconds / size), unit)
}

/** A waiting time in words, rounded up: "in 5 minutes". */
export function toWait(seconds: number, lang: string): string {
  const format = new Intl.RelativeTimeFormat(lang, { numeric: 'always' })
  if (seconds < 60) return format.format(Math.max(1, Math.ceil(seconds)), 'second')
  if (seconds <= 3600) return format.format(Math.ceil(seconds / 60), 'minute')
  return format.format(Math.ceil(seconds / 3600), 'hour')
}
