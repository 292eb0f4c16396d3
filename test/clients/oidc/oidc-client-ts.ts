import type { OidcClient } from './oidc-client.js'
import { scope } from './oidc-client.js'
// #region guide
import type { OidcClientSettings } from 'oidc-client-ts'

export function settings(
  issuer: string,
  clientId: string,
  redirectUri: string,
  signedOutUri: string,
): OidcClientSettings {
  return {
    authority: issuer,
    client_id: clientId,
    redirect_uri: redirectUri,
    post_logout_redirect_uri: signedOutUri,
    scope: 'openid email offline_access',
    loadUserInfo: true,
  }
}
// #endregion
import { OidcClient as Library, type SigninResponse } from 'oidc-client-ts'

export const oidcClientTs: OidcClient = {
  name: 'oidc-client-ts',
  file: 'oidc-client-ts.ts',
  application: { application_type: 'spa', client_authentication: 'none' },
  notes: { rotation: 'checks no signature' },
  start({ issuer, clientId, redirectUri, signedOutUri }) {
    const client = new Library(settings(issuer, clientId, redirectUri, signedOutUri))
    let tokens: SigninResponse
    const accepted = () => ({ sub: tokens.profile.sub, accessToken: tokens.access_token })
    return {
      begin: async () => (await client.createSigninRequest({})).url,
      async finish(answer) {
        tokens = await client.processSigninResponse(answer)
        return accepted()
      },
      async refresh() {
        const { refresh_token = '', id_token = '', session_state, profile } = tokens
        const state = { refresh_token, id_token, session_state, profile, scope }
        tokens = await client.useRefreshToken({ state })
        return accepted()
      },
      // What loadUserInfo has merged into the profile.
      userinfo: () => Promise.resolve({ sub: tokens.profile.sub, email: tokens.profile.email }),
      logout: async () => (await client.createSignoutRequest({ id_token_hint: tokens.id_token ?? '' })).url,
    }
  },
}
