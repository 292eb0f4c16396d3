/** How long browsers refuse plain http, in seconds: a year. */
const httpsOnlySeconds = 31_536_000

/**
 * The headers of every page: it is kept nowhere, runs nothing of others and loads no more of theirs than a logo, is in
 * nobody's frame, and tells no other site its address, which has a token in it.
 *
 * @param logoUrl Of the organization: its origin alone is where the page may load an image from.
 * @param redirectUri Where the page's form leads in the end: browsers hold form-action against redirects as well.
 */
export function pageHeaders(
  isHttps: boolean,
  redirectUri?: string,
  logoUrl?: string,
): Record<string, string> {
  const target = redirectUri === undefined ? undefined : sourceOf(redirectUri)
  const logo = logoUrl === undefined ? undefined : sourceOf(logoUrl)
  const formTargets = ["'self'", ...(target === undefined ? [] : [target])]
  const images = ["'self'", 'data:', ...(logo?.startsWith('https://') === true ? [logo] : [])]
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images.join(' ')}`,
    `form-action ${formTargets.join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return {
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cross-Origin-Opener-Policy': 'same-origin',
    ...(isHttps && { 'Strict-Transport-Security': `max-age=${httpsOnlySeconds}` }),
  }
}

/** A source of a policy that can be nothing else: a character more could end the directive and begin another. */
const sourceForm = /^(?:https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?|[a-z][a-z0-9+.-]*:)$/

/** The origin of an address, or the scheme where it is an application's own (CSP Level 3 section 2.3.1). */
function sourceOf(uri: string): string | undefined {
  if (!URL.canParse(uri)) return undefined
  const { origin, protocol } = new URL(uri)
  const source = origin === 'null' ? protocol : origin
  return sourceForm.test(source) ? source : undefined
}
