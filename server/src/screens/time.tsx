import { Fragment, type ComponentChildren } from 'preact'

/** English has the day first and 24 hours, as the other languages. */
const locales: Readonly<Record<string, string>> = { en: 'en-GB' }

const times = formatsOf({ dateStyle: 'medium', timeStyle: 'medium' })
const days = formatsOf({ dateStyle: 'medium' })

/** Making a format costs more than a page of times. */
function formatsOf(style: Intl.DateTimeFormatOptions): (lang: string) => Intl.DateTimeFormat {
  const known = new Map<string, Intl.DateTimeFormat>()
  return (lang) => {
    const format =
      known.get(lang) ?? new Intl.DateTimeFormat(locales[lang] ?? lang, { ...style, timeZone: 'UTC' })
    known.set(lang, format)
    return format
  }
}

/** A time of an answer as people read it, to the second, in UTC. */
export function readableTime(at: string, lang: string): string {
  return `${times(lang).format(new Date(at))} UTC`
}

interface TimeProps {
  /** RFC 3339. */
  readonly at: string
  readonly lang: string
}

/** The same with its exact value. */
export function Time({ at, lang }: TimeProps) {
  return (
    <time dateTime={at} title={at}>
      {readableTime(at, lang)}
    </time>
  )
}

/** A day such as 2026-03-14. */
export function Day({ at, lang }: TimeProps) {
  return <time dateTime={at}>{days(lang).format(new Date(at))}</time>
}

/** A sentence in which times stand as people read them, each with its exact value. */
export function WithTimes({
  sentence,
  times: [at, ...others],
  lang,
}: {
  readonly sentence: string
  readonly times: readonly string[]
  readonly lang: string
}): ComponentChildren {
  if (at === undefined) return sentence
  return sentence.split(readableTime(at, lang)).map((part, place) => (
    <Fragment key={place}>
      {place > 0 && <Time at={at} lang={lang} />}
      <WithTimes sentence={part} times={others} lang={lang} />
    </Fragment>
  ))
}
