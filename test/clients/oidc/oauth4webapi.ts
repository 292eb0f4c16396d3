import type { OidcClient } from './oidc-client.js'
import { scope } from './oidc-client.js'
// #region guide
import * as oauth from 'oauth4webapi'

export async function configure(
  issuer: string,
  clientId: string,
  clientSecret: string,
  options?: oauth.DiscoveryRequestOptions,
) {
  const url = new URL(issuer)
  const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, options))
  return { server, client: { client_id: clientId }, authentication: oauth.ClientSecretBasic(clientSecret) }
}

export function logoutUrl(server: oauth.AuthorizationServer, idToken: string, signedOutUri: string) {
  const url = new URL(server.end_session_endpoint ?? '')
  url.searchParams.set('id_token_hint', idToken)
  url.searchParams.set('post_logout_redirect_uri', signedOutUri)
  return url.href
}
// #endregion

export const oauth4webapi: OidcClient = {
  name: 'oauth4webapi',
  file: 'oauth4webapi.ts',
  notes: { logout: 'with the function below' },
  async start({ issuer, clientId, clientSecret, redirectUri, signedOutUri }) {
    // The service under test uses http on this machine.
    const insecure = { [oauth.allowInsecureRequests]: true }
    const { server, client, authentication } = await configure(issuer, clientId, clientSecret, insecure)
    let checks = { nonce: '', state: '', verifier: '' }
    let tokens: oauth.TokenEndpointResponse
    let sub = ''
    async function accept(response: Response, processed: Promise<oauth.TokenEndpointResponse>) {
      tokens = await processed
      await oauth.validateApplicationLevelSignature(server, response, insecure)
      sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? ''
      return { sub, accessToken: tokens.access_token }
    }
    return {
      async begin() {
        const verifier = oauth.generateRandomCodeVerifier()
        checks = { nonce: oauth.generateRandomNonce(), state: oauth.generateRandomState(), verifier }
        const url = new URL(server.authorization_endpoint ?? '')
        url.search = new URLSearchParams({
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: 'code',
          scope,
          nonce: checks.nonce,
          state: checks.state,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }).toString()
        return url.href
      },
      async finish(answer) {
        const parameters = oauth.validateAuthResponse(server, client, new URL(answer), checks.state)
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          redirectUri,
          checks.verifier,
          insecure,
        )
        const expected = { expectedNonce: checks.nonce, requireIdToken: true }
        const processed = oauth.processAuthorizationCodeResponse(server, client, response, expected)
        return accept(response, processed)
      },
      async refresh() {
        const token = tokens.refresh_token ?? ''
        const response = await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure)
        return accept(response, oauth.processRefreshTokenResponse(server, client, response))
      },
      async userinfo() {
        const response = await oauth.userInfoRequest(server, client, tokens.access_token, insecure)
        return oauth.processUserInfoResponse(server, client, sub, response)
      },
      logout: () => Promise.resolve(logoutUrl(server, tokens.id_token ?? '', signedOutUri)),
    }
  },
}
