/** How long a browser keeps it, in seconds; 0 has it forgotten at once. */
interface CookieLife {
  readonly maxAgeSeconds: number
}

/** The value of a cookie of ours; undefined when there is none that has its form. */
export function findCookie(cookieHeader: string | undefined, name: string, form: RegExp): string | undefined {
  const prefix = `${name}=`
  const cookie = (cookieHeader ?? '').split(/; */).find((pair) => pair.startsWith(prefix))
  const value = cookie?.slice(prefix.length)
  return value !== undefined && form.test(value) ? value : undefined
}

/** A Set-Cookie for this host alone, out of reach of scripts and of other sites' forms. */
export function toCookie(
  name: string,
  value: string,
  isHttps: boolean,
  { maxAgeSeconds }: CookieLife,
): string {
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Lax']
  return [`${name}=${value}`, ...attributes, ...(isHttps ? ['Secure'] : [])].join('; ')
}

/** A browser takes the prefix over https alone, and then lets no other host and no plain http set it (RFC 6265bis). */
export function cookieNameOf(name: string, isHttps: boolean): string {
  return isHttps ? `__Host-${name}` : name
}
