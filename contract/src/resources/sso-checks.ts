/** The parties that can fix the cause of a failed check. */
export const menders = ['identity_provider', 'operator', 'user', 'nobody'] as const
export type Mender = (typeof menders)[number]

interface Check {
  /** The condition of the check. */
  readonly demands: string
  readonly mender: Mender
  /** The fix. */
  readonly remedy: string
}

/** Validation of a SAML response. */
const samlChecks = {
  encoding: {
    demands: 'SAMLResponse is base64 of at most 256 kB.',
    mender: 'identity_provider',
    remedy: 'Send the response once, with the HTTP-POST binding, and encrypt nothing but the assertion.',
  },
  document: {
    demands:
      'The response is well-formed XML without a document type, comments, processing instructions or CDATA, within these limits: 112 kB without encrypted parts, 3,000 elements with 200 different names, 40 levels, 20 attributes per element and 10,000 in total, 100 namespaces of 256 characters around an element.',
    mender: 'identity_provider',
    remedy:
      'If the response is too large, send only the groups that the application needs. No product sends the other constructs: look for an intermediary that altered the response, or for another sender.',
  },
  response: {
    demands:
      'The document is one samlp:Response of version 2.0 that directly contains exactly one assertion.',
    mender: 'identity_provider',
    remedy: 'Send one assertion per response, plain or encrypted, and nothing else.',
  },
  status: {
    demands: 'The status of the response is Success.',
    mender: 'identity_provider',
    remedy:
      'The identity provider refused the sign-in: assign the user to the application there, and check its log.',
  },
  signature_form: {
    demands:
      'The assertion or the response is signed. Every signature is inside the element that it covers, refers only to this element by its unique ID, and uses RSA with SHA-256, SHA-384 or SHA-512 over the exclusive canonical form.',
    mender: 'identity_provider',
    remedy:
      'Sign the assertion or the response with RSA-SHA256 and the digest SHA-256. For a product that supports only SHA-1, set allow_sha1 of the connection.',
  },
  encryption_form: {
    demands:
      'An encrypted assertion uses AES-GCM, or AES-CBC in a response that is signed itself; its only key, inside its KeyInfo, is encrypted with RSA-OAEP (rsa-oaep-mgf1p) and SHA-1. Each part occurs exactly once, at its specified position; nothing else is encrypted.',
    mender: 'identity_provider',
    remedy:
      'Choose AES-256-GCM and rsa-oaep-mgf1p, as in the metadata of the service, or sign the response as well as the assertion.',
  },
  response_issuer: {
    demands: 'Issuer of the response, if present, is the entity ID of the metadata.',
    mender: 'operator',
    remedy:
      'Upload the metadata of the intended identity provider, whose entity ID is the Issuer that it sends.',
  },
  destination: {
    demands: 'Destination is the ACS URL of this connection; required in a signed response.',
    mender: 'identity_provider',
    remedy: 'Enter the ACS URL of this connection exactly as shown, as single sign-on URL and destination.',
  },
  signature: {
    demands:
      'The assertion can be decrypted with the key of the service, and the assertion or the response is signed with a key of the metadata.',
    mender: 'operator',
    remedy:
      'Upload the current metadata: the signing certificate may have changed. Encrypt with the certificate in the metadata of the service, or not at all.',
  },
  assertion: {
    demands:
      'The signed content, after decryption, is one saml:Assertion of version 2.0 that still meets signature_form and encryption_form.',
    mender: 'identity_provider',
    remedy:
      'Sign and encrypt with the algorithms listed under the checks signature_form and encryption_form.',
  },
  issuer: {
    demands: 'Issuer of the assertion is the entity ID of the metadata.',
    mender: 'operator',
    remedy: 'Upload the metadata of the identity provider that issued the assertion.',
  },
  issued_at: {
    demands:
      'IssueInstant is within the last hour, and not later than now, with a clock tolerance of two minutes.',
    mender: 'identity_provider',
    remedy: 'Synchronize the clock of the identity provider with NTP.',
  },
  conditions: {
    demands:
      'The current time is between NotBefore and NotOnOrAfter of the conditions, and before SessionNotOnOrAfter, if present, with a clock tolerance of two minutes.',
    mender: 'identity_provider',
    remedy:
      'Synchronize the clock of the identity provider with NTP, and set the lifetime of assertions to five minutes.',
  },
  audience: {
    demands: 'Every AudienceRestriction contains the entity ID of this connection.',
    mender: 'identity_provider',
    remedy: 'Enter the entity ID of this connection exactly as shown, as audience or SP entity ID.',
  },
  recipient: {
    demands:
      'A bearer confirmation has the ACS URL of this connection as Recipient, a NotOnOrAfter in the future, and no NotBefore.',
    mender: 'identity_provider',
    remedy: 'Enter the ACS URL of this connection exactly as shown, as recipient.',
  },
  subject: {
    demands:
      'The subject has a NameID of at most 512 characters, not of the format transient, and there is an AuthnStatement.',
    mender: 'identity_provider',
    remedy:
      'Send a NameID in the format persistent or emailAddress: a transient one differs at each sign-in, which would create a new user each time.',
  },
  in_response_to: {
    demands: 'The response and the signed assertion have the same InResponseTo, or both have none.',
    mender: 'nobody',
    remedy: 'The response was altered in transit. Sign in again.',
  },
  unsolicited: {
    demands:
      'The response answers a request, or idp_initiated of the connection accepts unsolicited responses.',
    mender: 'operator',
    remedy:
      'Set idp_initiated to bounce, or let users start at the application instead of the portal of the identity provider.',
  },
  replay: {
    demands: 'The assertion has not been used.',
    mender: 'user',
    remedy: 'Sign in again; an assertion is valid once.',
  },
  request: {
    demands: 'The answered request was made for this connection at most ten minutes ago, and is still open.',
    mender: 'user',
    remedy: 'Sign in again; the page of the identity provider was open for too long.',
  },
  browser: {
    demands: 'The browser is the one that started the sign-in.',
    mender: 'user',
    remedy: 'Finish in the browser in which the sign-in was started, with cookies enabled.',
  },
  authenticated_at: {
    demands:
      'If the application requires a fresh sign-in (prompt=login or max_age), AuthnInstant, or auth_time of the ID token, is not earlier than its request, with a clock tolerance of two minutes.',
    mender: 'identity_provider',
    remedy:
      'Configure the identity provider to honor ForceAuthn, or to honor max_age and send auth_time, and synchronize its clock with NTP.',
  },
} as const satisfies Record<string, Check>

/** Validation of an OpenID provider's answer. */
const oidcChecks = {
  oidc_state: {
    demands: 'state belongs to an open sign-in that this connection started at most ten minutes ago.',
    mender: 'user',
    remedy: 'Sign in again; the page of the provider was open for too long, or was answered twice.',
  },
  oidc_browser: {
    demands: 'The browser is the one that started the sign-in.',
    mender: 'user',
    remedy: 'Finish in the browser in which the sign-in was started, with cookies enabled.',
  },
  oidc_answer: {
    demands: 'The provider returns the browser with a code and not with an error.',
    mender: 'identity_provider',
    remedy:
      'The provider refused the sign-in: assign the user to the application there, allow the redirect URI of this connection, and check its log.',
  },
  oidc_discovery: {
    demands:
      'The discovery document of the issuer can be read, within 5 seconds and 256 kB, and contains the same issuer.',
    mender: 'operator',
    remedy: 'Set issuer to exactly the value of issuer in its /.well-known/openid-configuration.',
  },
  oidc_issuer_parameter: {
    demands: 'iss of the answer, if the provider sends it, is the issuer (RFC 9207).',
    mender: 'nobody',
    remedy: 'The answer came from another provider. Sign in again.',
  },
  oidc_token: {
    demands:
      'The provider exchanges the code for tokens, with the client of the connection, its secret and the code_verifier.',
    mender: 'operator',
    remedy: 'Enter a valid client secret; at some providers secrets expire.',
  },
  oidc_id_token: {
    demands:
      'The ID token is signed with a key of the provider and an asymmetric algorithm, has the expected issuer, audience and nonce, and is valid at the current time, with a clock tolerance of two minutes.',
    mender: 'identity_provider',
    remedy: 'Sign ID tokens with RS256 or ES256, and synchronize the clock of the provider with NTP.',
  },
  oidc_token_type: {
    demands:
      'typ in the header of the ID token, if present, is JWT: a logout token or an access token is not an ID token.',
    mender: 'identity_provider',
    remedy: 'Send an ID token as id_token, with typ JWT or without it.',
  },
  oidc_authorized_party: {
    demands:
      'azp of the ID token, if present, is the client of the connection (OpenID Connect Core section 3.1.3.7).',
    mender: 'identity_provider',
    remedy:
      'The token was issued to another client: configure the provider to issue it to the client of the connection.',
  },
  oidc_issued_at: {
    demands:
      'iat of the ID token is at most ten minutes old, the longest duration of a sign-in, and not in the future, with a clock tolerance of two minutes.',
    mender: 'identity_provider',
    remedy:
      'Synchronize the clock of the provider with NTP, and let it issue a new ID token for each sign-in.',
  },
  oidc_subject: {
    demands: 'The ID token has a sub of at most 255 characters.',
    mender: 'identity_provider',
    remedy: 'Send sub as OpenID Connect Core section 2 requires.',
  },
  oidc_hosted_domain: {
    demands: 'With Google: hd is a domain of the connection or of the organization.',
    mender: 'operator',
    remedy:
      'Add the domain to email_domains of the connection. Personal Google accounts have no hd and cannot sign in.',
  },
} as const satisfies Record<string, Check>

/** Authorization of the asserted user after validation, the same for both protocols. */
const authorizationChecks = {
  connection_active: {
    demands: 'The connection is active.',
    mender: 'operator',
    remedy: 'Activate the connection.',
  },
  email: {
    demands:
      'The assertion has an e-mail address: in an attribute with a known name, or as its NameID. With OpenID Connect: the ID token or UserInfo has the claim email.',
    mender: 'identity_provider',
    remedy: 'Send the address as an attribute named email, or as the NameID.',
  },
  email_domain: {
    demands: 'The organization allows sign-ins with addresses of this domain.',
    mender: 'operator',
    remedy: 'Add the domain to allowed_email_domains of the organization.',
  },
  invitation: {
    demands: 'Where the sign-in began with an invitation: the address is the one that was invited.',
    mender: 'operator',
    remedy: 'Invite the address that the user has at the identity provider.',
  },
  linking: {
    demands:
      'One of these: the user is known by NameID, or by issuer and sub; or the connection is authoritative for the domain of the address, and, with an OpenID provider, the address is asserted as verified and, once verified, its user has no other sub at that provider; or no user has the address yet, no other connection names its domain, and other_domains of the connection does not refuse it.',
    mender: 'operator',
    remedy:
      'Add the domain of the address to email_domains of the connection; if it is already there, verify or declare it among the domains of the organization.',
  },
  user_policy: {
    demands:
      'With user_registered, the user exists; with user_provisionned, the user comes from directory sync.',
    mender: 'operator',
    remedy:
      'With user_registered, create the user, or set user_security_type to none. With user_provisionned, nobody can sign in as long as there is no directory sync.',
  },
  seats: {
    demands:
      'For a new user, the organization has fewer users than seats_limit of the connection and of its policy.',
    mender: 'operator',
    remedy: 'Raise seats_limit of the connection, or of the policy of the organization, or delete users.',
  },
  user_active: {
    demands: 'The user is active.',
    mender: 'operator',
    remedy: 'Set active to true on the user.',
  },
  destination_application: {
    demands: 'The application still exists, and still allows the requested redirect URL.',
    mender: 'operator',
    remedy: 'Allow the redirect URL, or set another default redirection.',
  },
} as const satisfies Record<string, Check>

/**
 * Every check of a sign-in by an identity provider, in order; the first that fails ends the sign-in. The record of a login
 * attempt names them, and the troubleshooting guide is generated from them.
 */
export const ssoChecks = { ...samlChecks, ...oidcChecks, ...authorizationChecks }

export type SsoCheck = keyof typeof ssoChecks

/** The names of the checks, in their order. */
export const ssoCheckNames = Object.keys(ssoChecks) as [SsoCheck, ...SsoCheck[]]
