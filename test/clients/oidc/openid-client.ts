import type { OidcClient } from './oidc-client.js'
import { scope } from './oidc-client.js'
// #region guide
import * as openid from 'openid-client'

export function configure(
  issuer: string,
  clientId: string,
  clientSecret: string,
  options?: openid.DiscoveryRequestOptions,
) {
  return openid.discovery(new URL(issuer), clientId, clientSecret, undefined, options)
}
// #endregion

export const openidClient: OidcClient = {
  name: 'openid-client 6',
  file: 'openid-client.ts',
  async start({ issuer, clientId, clientSecret, redirectUri, signedOutUri }) {
    const config = await configure(issuer, clientId, clientSecret, {
      // The service under test uses http on this machine.
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    })
    let checks = { expectedNonce: '', expectedState: '' }
    let tokens: Awaited<ReturnType<typeof openid.refreshTokenGrant>>
    const accepted = () => ({ sub: tokens.claims()?.sub ?? '', accessToken: tokens.access_token })
    return {
      begin() {
        checks = { expectedNonce: openid.randomNonce(), expectedState: openid.randomState() }
        const url = openid.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope,
          nonce: checks.expectedNonce,
          state: checks.expectedState,
        })
        return Promise.resolve(url.href)
      },
      async finish(answer) {
        tokens = await openid.authorizationCodeGrant(config, new URL(answer), checks)
        return accepted()
      },
      async refresh() {
        tokens = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
        return accepted()
      },
      userinfo: () => openid.fetchUserInfo(config, tokens.access_token, accepted().sub),
      logout() {
        const url = openid.buildEndSessionUrl(config, {
          id_token_hint: tokens.id_token ?? '',
          post_logout_redirect_uri: signedOutUri,
        })
        return Promise.resolve(url.href)
      },
    }
  },
}
