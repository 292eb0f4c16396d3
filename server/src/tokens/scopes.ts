/** Scopes that applications can request beside openid: those of OpenID Connect Core sections 5.4 and 11, and organization. */
const grantable = ['profile', 'email', 'phone', 'address', 'organization', 'offline_access'] as const

/** What the API grants unasked, by the method of the sign-in. */
export const methodScopes: readonly string[] = ['magic_link', 'passkey', 'password', 'relay', 'sso']

export const supportedScopes: readonly string[] = ['openid', ...grantable]

/**
 * The granted ones of the requested scopes: openid always, then the supported ones in a fixed order.
 *
 * @param method The sign-in method of a call of the API, such as magic_link, for the readers of access tokens.
 */
export function grantedScope(asked: string | null | undefined, method?: string): string {
  const wanted = scopesOf(asked ?? '')
  return [
    'openid',
    ...(method === undefined ? [] : [method]),
    ...grantable.filter((scope) => wanted.includes(scope)),
  ].join(' ')
}

/** The requested scopes that are not granted, whatever the user has. */
export function unsupportedScopes(asked: string): string[] {
  return scopesOf(asked).filter((scope) => !supportedScopes.includes(scope))
}

/** The scopes in a text, separated by spaces. */
export function scopesOf(text: string): string[] {
  return text.split(' ').filter((scope) => scope !== '')
}

/** The scopes without the one that lets the application act while its user is absent. */
export function withoutOfflineAccess(scope: string): string {
  return scopesOf(scope)
    .filter((name) => name !== 'offline_access')
    .join(' ')
}
