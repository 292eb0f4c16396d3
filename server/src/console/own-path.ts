/** A URL parser that is given the path must not change it: an encoded `..` would lead elsewhere. */
const anywhere = 'https://console.invalid'
const maxLength = 1000

/**
 * A path of the console that came from outside, such as the state of a sign-in.
 *
 * @returns Undefined where it could lead to another page of the service, or away from it.
 */
export function toOwnPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > maxLength) return undefined
  // Printable ASCII without the backslash, which browsers read as a slash.
  if (!/^\/console(?:\/|\?|$)/.test(text) || !/^[!-[\]-~]+$/.test(text)) return undefined
  if (text.includes('//') || text.includes('..')) return undefined
  return URL.canParse(text, anywhere) && new URL(text, anywhere).href === `${anywhere}${text}`
    ? text
    : undefined
}

/** The account that a path of the console names; undefined where it is of none. */
export function accountOfPath(path: string): string | undefined {
  return /^\/console\/([a-z0-9-]+)(?:[/?]|$)/.exec(path)?.[1]
}
