/** The header that names ignored parameters, scopes and orders, in the sandbox alone: what works in production does not change by it. */
export const warningHeader = 'Portico-Warning'

/** How many names are told, and which of them: others could carry anything into a log or a header. */
const mostNames = 5
const nameForm = /^[\w.[\]-]{1,40}$/
/** Of scopes: such as read:users, or the address of an API. */
const scopeForm = /^[\w.:/[\]-]{1,40}$/

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
  const names = [...query.keys()].filter((name) => !isKnown(name))
  return warningOf('parameters', names, nameForm)
}

/** The warning about requested scopes that are not granted, as they were sent; undefined without any. */
export function ignoredScopes(scopes: readonly string[]): string | undefined {
  return warningOf('scopes', scopes, scopeForm)
}

/** The warning about orders of a list that it does not have, without their direction; undefined without any. */
export function ignoredOrders(orders: readonly string[]): string | undefined {
  return warningOf('orders', orders, nameForm)
}

function warningOf(what: string, ignored: readonly string[], form: RegExp): string | undefined {
  const names = [...new Set(ignored)].filter((name) => form.test(name))
  return names.length === 0 ? undefined : `ignored ${what}: ${names.slice(0, mostNames).join(', ')}`
}

/** The value of the header; undefined without a warning. */
export function joinWarnings(warnings: readonly (string | undefined)[]): string | undefined {
  return warnings.filter((warning) => warning !== undefined).join('; ') || undefined
}

/** The query of an address as it was sent: Express parses repeated parameters and brackets in its own way. */
export function queryOfUrl(url: string): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
}
