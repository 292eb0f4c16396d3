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
