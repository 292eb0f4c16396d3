/** How long a browser keeps the cookie, in seconds; 0 deletes it. */
interface CookieLife {
  readonly maxAgeSeconds: number
}

/** The value of a cookie; undefined when it is missing or malformed. */
export function findCookie(cookieHeader: string | undefined, name: string, form: RegExp): string | undefined {
  const prefix = `${name}=`
  const cookie = (cookieHeader ?? '').split(/; */).find((pair) => pair.startsWith(prefix))
  const value = cookie?.slice(prefix.length)
  return value !== undefined && form.test(value) ? value : undefined
}

/** The well-formed values of the cookies whose names begin like this. */
export function listCookies(cookieHeader: string | undefined, prefix: string, form: RegExp): string[] {
  return (cookieHeader ?? '').split(/; */).flatMap((pair) => {
    const value = pair.slice(pair.indexOf('=') + 1)
    return pair.startsWith(prefix) && form.test(value) ? [value] : []
  })
}

/** A Set-Cookie for this host only, inaccessible to scripts and to forms of other sites. */
export function toCookie(
  name: string,
  value: string,
  isHttps: boolean,
  { maxAgeSeconds }: CookieLife,
): string {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax']
  return [`${name}=${value}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ')
}

/** Browsers accept the prefix only over https, and then let no other host and no plain http set it (RFC 6265bis). */
export function cookieNameOf(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name
}
