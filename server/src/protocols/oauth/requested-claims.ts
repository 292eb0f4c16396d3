import type { AuthorizationRequest } from '@portico/contract/authorize'
import { id } from '@portico/contract/fields'
import { requestableClaims, type RequestedClaims } from '../../tokens/user-claims.js'
import { phrOf, valuesOf } from './requested-acr.js'

/** The known claims of a request, and what it says of `phr`; null where it asks for none. */
export function toRequestedClaims(request: AuthorizationRequest): RequestedClaims | null {
  const { id_token: idToken = {}, userinfo = {} } = request.claims ?? {}
  const sub = expectedUsers(request)
  const phr = phrOf(request)
  const asked = {
    id_token: Object.keys(idToken).filter((name) => requestableClaims.has(name)),
    userinfo: Object.keys(userinfo).filter((name) => requestableClaims.has(name)),
    ...(sub !== undefined && { sub }),
    ...(phr !== undefined && { phr }),
  }
  const { id_token, userinfo: ofUserInfo, ...demands } = asked
  return id_token.length + ofUserInfo.length + Object.keys(demands).length === 0 ? null : asked
}

const userId = id()

/**
 * The users that the application expects to sign in (OpenID Connect Core section 5.5.1); undefined: anybody. A value that is no id
 * is of no user, and is not stored.
 */
export function expectedUsers({ claims }: AuthorizationRequest): string[] | undefined {
  return valuesOf(claims?.id_token?.['sub'])?.filter((value) => userId.safeParse(value).success)
}
