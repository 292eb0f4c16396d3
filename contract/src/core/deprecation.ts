import type { z } from 'zod/v4'

/** A promise to callers of something that will go. */
export interface Deprecation {
  /** The day from which nothing new should use it: YYYY-MM-DD. */
  readonly since: string
  /** Before this day it is not taken away: YYYY-MM-DD. */
  readonly sunset: string
  /** What does the same from now on, such as the name of an operation or member. */
  readonly instead: string
}

/** The key under which a field's schema has its deprecation. */
export const deprecationKey = 'x-deprecated'

/** A member of a record or of an input that will go. Outermost but for optionality. */
export function deprecated<T extends z.ZodType>(schema: T, deprecation: Deprecation): T {
  return schema.meta({ deprecated: true, [deprecationKey]: checkedDeprecation(deprecation) })
}

/**
 * The deprecation as it is.
 *
 * @throws Error when one of its days is none, or it ends before it begins.
 */
export function checkedDeprecation(deprecation: Deprecation): Deprecation {
  const { since, sunset, instead } = deprecation
  if (!isDay(since) || !isDay(sunset) || sunset <= since)
    throw new Error(`a deprecation is from one day to a later one, and not from ${since} to ${sunset}`)
  if (instead === '') throw new Error('a deprecation says what is to be used instead')
  return deprecation
}

/** One sentence for readers of the documents. */
export function deprecationSentence({ since, sunset, instead }: Deprecation): string {
  return `Deprecated since ${since}, and may be gone from ${sunset} on: use \`${instead}\` instead.`
}

/** The headers that tell callers of a route so; `docsUrl` is where they read of it. */
export function deprecationHeaders(
  { since, sunset }: Deprecation,
  docsUrl: string,
): Readonly<Record<'Deprecation' | 'Sunset' | 'Link', string>> {
  return {
    // A date of structured fields (RFC 9745 section 2.1).
    Deprecation: `@${instantOf(since) / 1000}`,
    // An HTTP date (RFC 8594 section 3).
    Sunset: new Date(instantOf(sunset)).toUTCString(),
    Link: `<${docsUrl}>; rel="deprecation"; type="text/html", <${docsUrl}>; rel="sunset"; type="text/html"`,
  }
}

function instantOf(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`)
}

function isDay(text: string): boolean {
  const instant = /^\d{4}-\d\d-\d\d$/.test(text) ? instantOf(text) : Number.NaN
  return !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text)
}
