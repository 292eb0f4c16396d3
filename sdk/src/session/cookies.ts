/** A cookie of a request. */
export interface Cookie {
  readonly name: string
  readonly value: string
}

/** Cookies of the application alone: no other site, path or subdomain can set or read them (RFC 6265bis section 4.1.3). */
export interface CookieJar {
  /** The name of a cookie as the browser has it. */
  nameOf(name: string): string
  /** A Set-Cookie header that stores a value for some seconds. */
  set(name: string, value: string, seconds: number): string
  /** A Set-Cookie header that removes it. */
  remove(name: string): string
}

/** @param isSecure Whether the application has https; http on loopback, which has no `__Host-`, is for development. */
export function createCookieJar(isSecure: boolean): CookieJar {
  const nameOf = (name: string) => (isSecure ? `__Host-${name}` : name)
  const set = (name: string, value: string, seconds: number) =>
    `${nameOf(name)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return { nameOf, set, remove: (name) => set(name, '', 0) }
}

/** The cookies whose names begin so, in the order of the header: browsers send older ones first. */
export function cookiesOf(header: string | null | undefined, prefix: string): Cookie[] {
  return (header ?? '').split(';').flatMap((pair) => {
    const [name = '', ...value] = pair.trim().split('=')
    return name.startsWith(prefix) && value.length > 0 ? [{ name, value: value.join('=') }] : []
  })
}

/** A Cookie header with another value of one cookie, or without it. */
export function withCookie(header: string | null, name: string, value: string | undefined): string {
  const others = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair !== '' && pair.split('=')[0] !== name)
  return [...others, ...(value === undefined ? [] : [`${name}=${value}`])].join('; ')
}
