/**
 * The address of the service without a slash at its end.
 *
 * @throws TypeError when it is not one: credentials in clear over a network would be anybody's.
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
