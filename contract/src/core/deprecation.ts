import type { z } from 'zod/v4'

/** The announced removal of a route or member. */
export interface Deprecation {
  /** The day from which nothing new should use it: YYYY-MM-DD. */
  readonly since: string
  /** The earliest day of the removal: YYYY-MM-DD. */
  readonly sunset: string
  /** The replacement, such as the name of an operation or member. */
  readonly instead: string
}

/** The metadata key of a schema's deprecation. */
export const deprecationKey = 'x-deprecated'

/** Marks a member of a record or input as deprecated. Only optional() and nullable() may wrap the result. */
export function deprecated<T extends z.ZodType>(schema: T, deprecation: Deprecation): T {
  return schema.meta({ deprecated: true, [deprecationKey]: checkedDeprecation(deprecation) })
}

/**
 * Returns the deprecation unchanged.
 *
 * @throws Error when a day is not a date, or `sunset` is not after `since`.
 */
export function checkedDeprecation(deprecation: Deprecation): Deprecation {
  const { since, sunset, instead } = deprecation
  if (!isDay(since) || !isDay(sunset) || sunset <= since)
    throw new Error(`a deprecation is from one day to a later one, and not from ${since} to ${sunset}`)
  if (instead === '') throw new Error('a deprecation says what is to be used instead')
  return deprecation
}

/** The sentence of the documents. */
export function deprecationSentence({ since, sunset, instead }: Deprecation): string {
  return `Deprecated since ${since}, and may be gone from ${sunset} on: use \`${instead}\` instead.`
}

/** The headers of a deprecated route's answers; `docsUrl` is the page that describes it. */
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
