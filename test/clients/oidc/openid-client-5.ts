import type { OidcClient } from './oidc-client.js'
import { scope } from './oidc-client.js'
// #region guide
import { Issuer } from 'openid-client-5'

export async function configure(
  issuer: string,
  clientId: string,
  clientSecret: string,
  redirectUri: string,
  signedOutUri: string,
) {
  const { Client } = await Issuer.discover(issuer)
  return new Client({
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uris: [redirectUri],
    post_logout_redirect_uris: [signedOutUri],
  })
}
// #endregion
import { generators, type TokenSet } from 'openid-client-5'

export const openidClient5: OidcClient = {
  name: 'openid-client 5',
  file: 'openid-client-5.ts',
  async start({ issuer, clientId, clientSecret, redirectUri, signedOutUri }) {
    const client = await configure(issuer, clientId, clientSecret, redirectUri, signedOutUri)
    let checks = { nonce: '', state: '' }
    let tokens: TokenSet
    const accepted = () => ({ sub: tokens.claims().sub, accessToken: tokens.access_token })
    return {
      begin() {
        checks = { nonce: generators.nonce(), state: generators.state() }
        return Promise.resolve(client.authorizationUrl({ scope, ...checks }))
      },
      async finish(answer) {
        tokens = await client.callback(redirectUri, client.callbackParams(answer), checks)
        return accepted()
      },
      async refresh() {
        tokens = await client.refresh(tokens)
        return accepted()
      },
      userinfo: () => client.userinfo(tokens),
      logout: () => Promise.resolve(client.endSessionUrl({ id_token_hint: tokens })),
    }
  },
}
