/** The ids of the checks whose feature the service does not have yet. One that passes fails the run. */
export const pending: ReadonlySet<string> = new Set([
  // Clients with a secret or a key, and what they may leave out.
  'oidcc-server-client-secret-post',
  'core-9-client-secret-basic',
  'rfc6749-5.2-invalid-client',
  'rfc6749-2.3-one-method',
  'rfc7636-4.6-verifier-without-challenge',
  'rfc7523-2.2-client-assertion',
  'rfc7523-3-token-endpoint-as-audience',
  'rfc7523-3-other-audience',
  'rfc7523-3-no-audience',
  'rfc7523-3-other-issuer',
  'rfc7523-3-other-subject',
  'rfc7523-3-expired',
  'rfc7523-3-no-expiry',
  'rfc7523-3-not-yet-valid',
  'rfc7523-3-other-key',
  'rfc7523-3-replayed',
  'rfc7523-3-unsigned',
  'rfc8414-2-assertion-algorithms',
  'rfc8414-2-authentication-methods',

  // Access tokens that end, and UserInfo by form.
  'oidcc-userinfo-post-body',
  'oidcc-codereuse-30seconds',
  'rfc6750-2-one-method',
  'rfc7009-2.1-access-tokens-of-the-grant',
  'rfc7009-2.1-access-token',
  'rfc9068-2.2.3-scope',

  // Back-channel logout.
  'oidcc-backchannel-logout-discovery-endpoint-verification',
  'oidcc-backchannel-rp-initiated-logout',
  'oidcc-backchannel-rp-initiated-logout/ValidateLogoutTokenSignature',
  'oidcc-backchannel-rp-initiated-logout/ValidateLogoutTokenClaims',
  'oidcc-backchannel-rp-initiated-logout/ValidateLogoutTokenClaims/aud',
  'oidcc-backchannel-rp-initiated-logout/ValidateLogoutTokenClaims/iss',
  'oidcc-backchannel-rp-initiated-logout/ValidateLogoutTokenClaims/jti',
  'oidcc-backchannel-rp-initiated-logout/ValidateLogoutTokenClaims/exp',
  'oidcc-backchannel-rp-initiated-logout/CheckLogoutTokenNoNonce',
  'oidcc-backchannel-rp-initiated-logout/CheckLogoutTokenHasSubOrSid',
  'oidcc-backchannel-rp-initiated-logout/typ',
  'backchannel-2.7-refresh-tokens',

  // The parameters claims, response_mode=form_post and prompt=consent.
  'oidcc-claims-essential',
  'core-3.1.2.1-prompt-consent',
  'core-5.5-claims-malformed',
  'core-5.5.1-claims-sub',
  'oauth-form-post-2',
])
