const maxLength = 500

/**
 * The page to return to: a path of the own origin, in the form in which a browser asks for it, and `/` for anything else.
 * A path below basePath is none, because returning to a sign-in would begin another.
 */
export function returnToOf(
  text: string | null | undefined,
  { appUrl, basePath }: { readonly appUrl: string; readonly basePath: string },
): string {
  // URL parsers read `\` as `/` and skip tabs and line breaks, so that what looks like a path may be a host.
  if (text == null || text.length > maxLength || !/^\/(?!\/)[^\\\p{Cc}]*$/u.test(text)) return '/'
  const { origin, pathname, search, hash } = addressOf(text, appUrl)
  const path = pathname + search + hash
  const isOwn = origin === appUrl && !pathname.includes('//') && path.length <= maxLength
  return isOwn && !isBelow(pathname, basePath) ? path : '/'
}

/** The path of an address of the application; undefined for any other, also where the host only begins like its own. */
export function pathOf(address: string | null, appUrl: string): string | undefined {
  return address?.startsWith(`${appUrl}/`) ? address.slice(appUrl.length) : undefined
}

/** The address of a request. Of a path the host is the application's own, also where it begins with `//`. */
export function addressOf(url: string, appUrl: string): URL {
  return new URL(url.startsWith('/') ? appUrl + url : url)
}

/** Whether a path is the base or below it. */
export function isBelow(pathname: string, basePath: string): boolean {
  return pathname === basePath || pathname.startsWith(`${basePath}/`)
}
