/** The header that names ignored parameters, in the sandbox alone: what works in production does not change by it. */
export const warningHeader = 'Portico-Warning'

/** How many names are told, and which of them: others could carry anything into a log or a header. */
const mostNames = 5
const nameForm = /^[\w.[\]-]{1,40}$/

/**
 * The warning about parameters that an operation does not have, by the names as they were sent; undefined without any. Values
 * are not told.
 *
 * @param query As it was sent, without a question mark.
 */
export function ignoredParameters(
  query: URLSearchParams,
  isKnown: (name: string) => boolean,
): string | undefined {
  const names = [...new Set(query.keys())].filter((name) => nameForm.test(name) && !isKnown(name))
  return names.length === 0 ? undefined : `ignored parameters: ${names.slice(0, mostNames).join(', ')}`
}

/** The query of an address as it was sent: Express parses repeated parameters and brackets in its own way. */
export function queryOfUrl(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}
