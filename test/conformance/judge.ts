import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import type { Issuer, RegisteredClient } from './provider.js'

/** openid-client, which reads the metadata and checks each answer, its signatures included. */
export function judgeOf(at: Issuer, client?: RegisteredClient): Promise<openid.Configuration> {
  const authentication =
    client?.authentication.method === 'client_secret_basic'
      ? openid.ClientSecretBasic(client.authentication.secret)
      : openid.None()
  return openid.discovery(new URL(at.issuer), client?.clientId ?? 'unknown', undefined, authentication, {
    // The service under test uses http on this machine.
    execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    [openid.customFetch]: (url, { body, method, headers, redirect }) =>
      at.fetch(url, { method, headers, redirect, body: body instanceof URLSearchParams ? body : null }),
  })
}

/** With what oauth4webapi asks; the service under test uses http on this machine. */
export function optionsOf(at: Issuer) {
  return { [oauth.customFetch]: at.fetch, [oauth.allowInsecureRequests]: true }
}

/** The provider as oauth4webapi has read its metadata (RFC 8414), which refuses those of another issuer. */
export async function serverOf(at: Issuer): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(at.issuer)
  const answer = await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...optionsOf(at) })
  return oauth.processDiscoveryResponse(issuer, answer)
}
