import type { IdTokenClaims } from '../generated.js'
import { sourceOfOwnIssuer } from '../token-source.js'
import { createClaimsVerifier } from '../verified-claims.js'
import { checkExpectations } from '../verify-access-token.js'
import type { SessionSettings } from './options.js'
import type { IdTokenCheck } from './refresh.js'

const clockToleranceSeconds = 30
const maxAgeSeconds = 900

/** Verifies ID tokens of the account's own issuer, which is the only one that sessions begin at. */
export function createIdTokenCheck(settings: SessionSettings): IdTokenCheck {
  const { baseUrl, account, issuer, clientId, environment, fetch } = settings
  const now = () => settings.now() * 1000
  const source = sourceOfOwnIssuer({ baseUrl, fetch, now, maxAgeSeconds }, account)
  const verify = createClaimsVerifier({
    ...{ source, environment, now, clockToleranceSeconds },
    audiences: [clientId],
  })
  return async ({ idToken, accessToken }, nonce) => {
    const claims = await verify<IdTokenClaims>(idToken, { type: 'jwt', use: 'id_token', issuer })
    await checkExpectations(claims, { nonce, accessToken })
    return claims
  }
}
