/** What applications can ask for beside the ID token (OpenID Connect Core sections 5.4 and 11). */
const grantable = ['profile', 'email', 'phone', 'address', 'offline_access'] as const

export const supportedScopes: readonly string[] = ['openid', ...grantable]

/**
 * What is granted of the scopes that a code was asked for with: openid always, the others that there are, in one order.
 *
 * @param way How the user comes in by a call of the API, such as magic_link, for the readers of access tokens.
 */
export function grantedScope(asked: string | null | undefined, way?: string): string {
  const wanted = scopesOf(asked ?? '')
  return [
    'openid',
    ...(way === undefined ? [] : [way]),
    ...grantable.filter((scope) => wanted.includes(scope)),
  ].join(' ')
}

/** The scopes in a text, a space between. */
export function scopesOf(text: string): string[] {
  return text.split(' ').filter((scope) => scope !== '')
}

/** Whether the application may go on without its user (OpenID Connect Core section 11). */
export function hasOfflineAccess(scope: string): boolean {
  return scopesOf(scope).includes('offline_access')
}
