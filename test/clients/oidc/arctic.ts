import type { OidcClient } from './oidc-client.js'
import { scope } from './oidc-client.js'
// #region guide
import { OAuth2Client } from 'arctic'

export function configure(issuer: string, clientId: string, clientSecret: string, redirectUri: string) {
  return {
    client: new OAuth2Client(clientId, clientSecret, redirectUri),
    authorizationEndpoint: `${issuer}/authorize`,
    tokenEndpoint: `${issuer}/oauth/token`,
  }
}

export async function readUserinfo(issuer: string, accessToken: string) {
  const answer = await fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${accessToken}` } })
  if (!answer.ok) throw new Error(`userinfo answers ${answer.status}`)
  return answer.json() as Promise<{ sub: string; email?: string }>
}

export function logoutUrl(issuer: string, idToken: string, signedOutUri: string) {
  const parameters = { id_token_hint: idToken, post_logout_redirect_uri: signedOutUri }
  return `${issuer}/logout?${new URLSearchParams(parameters).toString()}`
}
// #endregion
import {
  CodeChallengeMethod,
  decodeIdToken,
  generateCodeVerifier,
  generateState,
  type OAuth2Tokens,
} from 'arctic'
import { subOf } from './claims.js'

export const arctic: OidcClient = {
  name: 'arctic',
  file: 'arctic.ts',
  notes: {
    userinfo: 'with the function below',
    logout: 'with the function below',
    rotation: 'checks no signature',
  },
  start({ issuer, clientId, clientSecret, redirectUri, signedOutUri }) {
    const { client, authorizationEndpoint, tokenEndpoint } = configure(
      issuer,
      clientId,
      clientSecret,
      redirectUri,
    )
    let checks = { state: '', verifier: '' }
    let tokens: OAuth2Tokens
    const accepted = () => ({
      sub: subOf(decodeIdToken(tokens.idToken())),
      accessToken: tokens.accessToken(),
    })
    return {
      begin() {
        const [state, verifier] = [generateState(), generateCodeVerifier()]
        checks = { state, verifier }
        const method = CodeChallengeMethod.S256
        const url = client.createAuthorizationURLWithPKCE(
          authorizationEndpoint,
          state,
          method,
          verifier,
          scope.split(' '),
        )
        return Promise.resolve(url.href)
      },
      async finish(answer) {
        const { searchParams } = new URL(answer)
        if (searchParams.get('state') !== checks.state) throw new Error('another state')
        const code = searchParams.get('code') ?? ''
        tokens = await client.validateAuthorizationCode(tokenEndpoint, code, checks.verifier)
        return accepted()
      },
      async refresh() {
        tokens = await client.refreshAccessToken(tokenEndpoint, tokens.refreshToken(), [])
        return accepted()
      },
      userinfo: () => readUserinfo(issuer, tokens.accessToken()),
      logout: () => Promise.resolve(logoutUrl(issuer, tokens.idToken(), signedOutUri)),
    }
  },
}
