import { acrValues, type AuthorizationRequest, type ClaimRequest } from '@portico/contract/authorize'
import { id } from '@portico/contract/fields'
import { requestableClaims, type RequestedClaims } from '../../tokens/user-claims.js'

/** The known claims of a request; null where it asks for none. */
export function toRequestedClaims(request: AuthorizationRequest): RequestedClaims | null {
  const { id_token: idToken = {}, userinfo = {} } = request.claims ?? {}
  const sub = expectedUsers(request)
  const asked = {
    id_token: Object.keys(idToken).filter((name) => requestableClaims.has(name)),
    userinfo: Object.keys(userinfo).filter((name) => requestableClaims.has(name)),
    ...(sub !== undefined && { sub }),
  }
  return asked.id_token.length === 0 && asked.userinfo.length === 0 && sub === undefined ? null : asked
}

const userId = id()

/**
 * The users that the application expects to sign in (OpenID Connect Core section 5.5.1); undefined: anybody. A value that is no id
 * is of no user, and is not stored.
 */
export function expectedUsers({ claims }: AuthorizationRequest): string[] | undefined {
  return valuesOf(claims?.id_token?.['sub'])?.filter((value) => userId.safeParse(value).success)
}

/** The values of acr that the application accepts (OpenID Connect Core section 5.5.1.1); undefined: any. */
export function essentialAcrs({ claims }: AuthorizationRequest): string[] | undefined {
  const acr = claims?.id_token?.['acr']
  return acr?.essential === true ? valuesOf(acr) : undefined
}

/** Whether a demand of acr has no value that a sign-in can have. */
export function isAcrUnknown(request: AuthorizationRequest): boolean {
  const known: readonly string[] = Object.values(acrValues)
  return essentialAcrs(request)?.some((value) => known.includes(value)) === false
}

/** The texts among the values that a claim must have; undefined where it may have any. */
function valuesOf(asked: ClaimRequest | undefined): string[] | undefined {
  if (asked?.value === undefined && asked?.values === undefined) return undefined
  const values = asked.values ?? [asked.value]
  return values.filter((value) => typeof value === 'string')
}
