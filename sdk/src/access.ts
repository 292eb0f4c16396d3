/** What the claims of a token say of permissions. */
export interface PermissionClaims {
  readonly permissions?: readonly string[] | undefined
  /** The token has no room for them. */
  readonly permissions_omitted?: boolean | undefined
}

/** The permissions that claims can have: those that `portico types` wrote, or any. */
export type PermissionOf<Claims> = Claims extends { permissions?: readonly (infer Name)[] | undefined }
  ? Name
  : string

/** Why something is not allowed. */
export type AccessErrorCode =
  /** The user does not have the permission. */
  | 'permission_missing'
  /** It is not known whether the user has it: the token has no room for the permissions, or the evaluation does not answer. */
  | 'permissions_unavailable'

/** A user may not do something. */
export class AccessError extends Error {
  override readonly name = 'AccessError'
  readonly code: AccessErrorCode
  /** The permission that was asked for. */
  readonly permission: string
  /** The HTTP status to answer with. */
  readonly status = 403
  /** WWW-Authenticate of the answer of a resource server (RFC 6750 section 3.1). */
  readonly challenge = 'Bearer error="insufficient_scope"'

  constructor(code: AccessErrorCode, permission: string, options?: ErrorOptions) {
    super(`${messages[code]}: ${permission}`, options)
    this.code = code
    this.permission = permission
  }
}

const messages: Readonly<Record<AccessErrorCode, string>> = {
  permission_missing: 'the user lacks a permission',
  permissions_unavailable: 'the permissions of the user are not known',
}

/**
 * Whether the user of verified claims has a permission. A token without room for the permissions says of none that the user
 * has it: requirePermission() tells the two apart.
 *
 * @example
 * ```ts
 * const claims = await verifier.verifyAccessToken(token)
 * if (hasPermission(claims, 'invoices:read')) console.log(claims.sub)
 * ```
 */
export function hasPermission<Claims extends PermissionClaims>(
  claims: Claims,
  permission: PermissionOf<Claims>,
): boolean {
  return claims.permissions?.some((name) => name === permission) ?? false
}

/**
 * Demands that the user of verified claims has a permission.
 *
 * @throws AccessError `permission_missing`, and `permissions_unavailable` where the token has no room for the permissions: ask
 *   createAccessEvaluator() then. Answer 403 to both.
 * @example
 * ```ts
 * const claims = await verifier.verifyAccessToken(token)
 * requirePermission(claims, 'invoices:write')
 * ```
 */
export function requirePermission<Claims extends PermissionClaims>(
  claims: Claims,
  permission: PermissionOf<Claims>,
): void {
  if (hasPermission(claims, permission)) return
  const code = claims.permissions_omitted === true ? 'permissions_unavailable' : 'permission_missing'
  throw new AccessError(code, String(permission))
}
