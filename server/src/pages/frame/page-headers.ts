/** How long browsers refuse plain http, in seconds: a year. */
const httpsOnlySeconds = 31_536_000

/** Features of browsers that no page uses; passkeys only for the service's own origin. */
const withheld = [
  'accelerometer',
  'browsing-topics',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'microphone',
  'midi',
  'payment',
  'serial',
  'usb',
]
export const permissionsPolicy = [
  ...withheld.map((feature) => `${feature}=()`),
  'publickey-credentials-get=(self)',
  'publickey-credentials-create=(self)',
].join(', ')

/**
 * The headers of every page: not cached, no foreign content but the logo, no framing, and no referrer, because the
 * address contains a token.
 *
 * @param logoUrls Of the organizations on the page: the only other origins from which it may load an image.
 * @param redirectUri The final target of the form: browsers apply form-action to redirects, too.
 */
export function pageHeaders(
  isHttps: boolean,
  redirectUri?: string,
  ...logoUrls: readonly (string | undefined)[]
): Record<string, string> {
  return headersOf(isHttps, ["'self'", ...sourcesOf(redirectUri)], logoUrls)
}

/** The headers of a page whose only form is posted to another site: it goes nowhere else. */
export function postingPageHeaders(
  isHttps: boolean,
  target: string,
  logoUrl?: string,
): Record<string, string> {
  const targets = sourcesOf(target)
  return headersOf(isHttps, targets.length === 0 ? ["'none'"] : targets, [logoUrl])
}

function headersOf(
  isHttps: boolean,
  formTargets: readonly string[],
  logoUrls: readonly (string | undefined)[],
): Record<string, string> {
  const logos = new Set(logoUrls.flatMap(sourcesOf).filter((source) => source.startsWith('https://')))
  const images = ["'self'", 'data:', ...logos]
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images.join(' ')}`,
    "font-src 'self'",
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
    'Permissions-Policy': permissionsPolicy,
    ...(isHttps && { 'Strict-Transport-Security': `max-age=${httpsOnlySeconds}` }),
  }
}

/** A CSP source without any other character, which could end the directive and start another. */
const sourceForm = /^(?:https?:\/\/(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?|[a-z][a-z0-9+.-]*:)$/

/**
 * The origin of an address, or the scheme where it is an application's own (CSP Level 3 section 2.3.1); none where no
 * source can name it.
 */
function sourcesOf(uri: string | undefined): string[] {
  if (uri === undefined || !URL.canParse(uri)) return []
  const { origin, protocol } = new URL(uri)
  const source = origin === 'null' ? protocol : origin
  return sourceForm.test(source) ? [source] : []
}
