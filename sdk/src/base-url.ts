/**
 * The address of the service without a trailing slash.
 *
 * @throws TypeError unless it is https or loopback: credentials must not cross a network in clear.
 */
export function baseUrlOf(text: string): string {
  const url = new URL(text)
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal))
    throw new TypeError('baseUrl must be https, or http on localhost, 127.0.0.1 or [::1]')
  if (url.href !== url.origin + url.pathname)
    throw new TypeError('baseUrl must have no user name, password, query or fragment')
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '')
}
