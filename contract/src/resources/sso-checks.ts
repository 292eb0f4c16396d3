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
    remedy: 'Send the response by the HTTP-POST binding, unencrypted but for the assertion, and once.',
  },
  document: {
    demands:
      'The document is well-formed XML without a document type, comments, processing instructions or CDATA, within 112 kB (what is encrypted apart), 600 elements, 20 levels, and attributes of 20 each and 2,000 in all.',
    mender: 'identity_provider',
    remedy:
      'Where it is too large, send fewer groups: those that the application needs. No product sends any of the others: see what stands between the identity provider and here, and what else has written it.',
  },
  response: {
    demands: 'It is one samlp:Response of version 2.0 with exactly one assertion in its place.',
    mender: 'identity_provider',
    remedy: 'Send one assertion per response, plain or encrypted, and nothing else.',
  },
  status: {
    demands: 'The identity provider says Success.',
    mender: 'identity_provider',
    remedy:
      'The identity provider has refused the sign-in: assign the user to the application there, and see its own log.',
  },
  signature_form: {
    demands:
      'The assertion is signed, or the response around it; every signature stands in what it covers, names it as its one reference by an ID that nothing else has, and is made by RSA with SHA-256, SHA-384 or SHA-512 over the exclusive canonical form.',
    mender: 'identity_provider',
    remedy:
      'Have the assertion signed, or the response, by RSA-SHA256 with SHA-256 as the digest. What can do SHA-1 alone needs allow_sha1 of the connection.',
  },
  encryption_form: {
    demands:
      'An encrypted assertion is encrypted by AES-GCM, or by AES-CBC in a response that is signed itself; its one key, inside its KeyInfo, by RSA-OAEP (rsa-oaep-mgf1p) with SHA-1. Each part is there once and in its place; nothing else is encrypted.',
    mender: 'identity_provider',
    remedy:
      'Choose AES-256-GCM and rsa-oaep-mgf1p, as our metadata say, or have the response signed as well as the assertion.',
  },
  response_issuer: {
    demands: 'The response, where it names an issuer, names the entity ID of the metadata.',
    mender: 'operator',
    remedy:
      'Upload the metadata of the identity provider that is meant; its entity ID is what it sends as Issuer.',
  },
  destination: {
    demands: 'Destination is the ACS URL of this connection; a signed response has one.',
    mender: 'identity_provider',
    remedy: 'Enter the ACS URL of this connection, to the letter, as single sign-on URL and destination.',
  },
  signature: {
    demands:
      'The assertion can be decrypted by our key, and it, or the response around it, is signed by a key of the metadata.',
    mender: 'operator',
    remedy:
      'Upload the present metadata: the signing certificate may have changed. Encrypt to the certificate in our metadata, or not at all.',
  },
  assertion: {
    demands: 'What is signed is one saml:Assertion of version 2.0 in the same form as before decryption.',
    mender: 'identity_provider',
    remedy: 'Sign and encrypt with the algorithms that the checks signature_form and encryption_form name.',
  },
  issuer: {
    demands: 'The assertion is issued by the entity ID of the metadata.',
    mender: 'operator',
    remedy: 'Upload the metadata of the identity provider that has issued it.',
  },
  issued_at: {
    demands: 'IssueInstant is within the last hour, and not later than now, two minutes allowed for clocks.',
    mender: 'identity_provider',
    remedy: 'Set the clock of the identity provider by NTP.',
  },
  conditions: {
    demands:
      'Now is between NotBefore and NotOnOrAfter of the conditions, and before a SessionNotOnOrAfter, two minutes allowed for clocks.',
    mender: 'identity_provider',
    remedy: 'Set the clock of the identity provider by NTP, and let assertions live for five minutes.',
  },
  audience: {
    demands: 'Every AudienceRestriction names the entity ID of this connection.',
    mender: 'identity_provider',
    remedy: 'Enter the entity ID of this connection, to the letter, as audience or SP entity ID.',
  },
  recipient: {
    demands:
      'A bearer confirmation has the ACS URL of this connection as Recipient, a NotOnOrAfter that is not past, and no NotBefore.',
    mender: 'identity_provider',
    remedy: 'Enter the ACS URL of this connection, to the letter, as recipient.',
  },
  subject: {
    demands:
      'The subject has a NameID of at most 512 characters, not of the format transient, and there is an AuthnStatement.',
    mender: 'identity_provider',
    remedy:
      'Send a NameID in the format persistent or emailAddress: one of the format transient is another at each sign-in, and would make a new user each time.',
  },
  in_response_to: {
    demands: 'The response and the signed assertion answer the same request, or neither answers one.',
    mender: 'nobody',
    remedy: 'Somebody has altered the response on its way. Sign in anew.',
  },
  unsolicited: {
    demands: 'A response that answers no request is taken, as idp_initiated of the connection says.',
    mender: 'operator',
    remedy:
      'Set idp_initiated to bounce, or have users begin at the application instead of the portal of the identity provider.',
  },
  replay: {
    demands: 'The assertion has not been used.',
    mender: 'user',
    remedy: 'Sign in anew; an assertion is good once.',
  },
  request: {
    demands: 'The request that it answers was made for this connection at most ten minutes ago, and is open.',
    mender: 'user',
    remedy: 'Sign in anew; the page of the identity provider was open for too long.',
  },
  browser: {
    demands: 'The browser is the one that has begun the sign-in.',
    mender: 'user',
    remedy: 'Finish in the browser in which you have begun, with cookies allowed.',
  },
  authenticated_at: {
    demands:
      'Where the application demands a fresh sign-in (prompt=login or max_age), AuthnInstant, or auth_time of the ID token, is not before it has asked, two minutes allowed for clocks.',
    mender: 'identity_provider',
    remedy:
      'Have the identity provider obey ForceAuthn, or max_age and send auth_time, and set its clock by NTP.',
  },
} as const satisfies Record<string, Check>

/** Validation of an OpenID provider's answer. */
const oidcChecks = {
  oidc_state: {
    demands:
      'state is of a sign-in that this connection has begun at most ten minutes ago, and that is open.',
    mender: 'user',
    remedy: 'Sign in anew; the page of the provider was open for too long, or was answered twice.',
  },
  oidc_browser: {
    demands: 'The browser is the one that has begun the sign-in.',
    mender: 'user',
    remedy: 'Finish in the browser in which you have begun, with cookies allowed.',
  },
  oidc_answer: {
    demands: 'The provider sends the browser back with a code, and not with an error.',
    mender: 'identity_provider',
    remedy:
      'The provider has refused the sign-in: assign the user to the application there, allow the redirect URI of this connection, and see its own log.',
  },
  oidc_discovery: {
    demands:
      'The discovery document of the issuer can be read, within 5 seconds and 256 kB, and names the issuer itself.',
    mender: 'operator',
    remedy: 'Compare issuer with the member issuer of its /.well-known/openid-configuration, to the letter.',
  },
  oidc_issuer_parameter: {
    demands: 'iss of the answer, where the provider sends one, is the issuer (RFC 9207).',
    mender: 'nobody',
    remedy: 'Another provider has answered in the place of this one. Sign in anew.',
  },
  oidc_token: {
    demands: 'The provider exchanges the code for tokens, with our client, its secret and our code_verifier.',
    mender: 'operator',
    remedy: 'Enter a client secret that is valid at present; they expire at some providers.',
  },
  oidc_id_token: {
    demands:
      'The ID token is signed by a key of the provider, by an asymmetric algorithm, and is of our issuer, client and nonce, and of now, two minutes allowed for clocks.',
    mender: 'identity_provider',
    remedy: 'Have ID tokens signed by RS256 or ES256, and set the clock of the provider by NTP.',
  },
  oidc_token_type: {
    demands:
      'typ in the header of the ID token is JWT, where there is one: a logout token or an access token is none.',
    mender: 'identity_provider',
    remedy: 'Send an ID token as id_token, with typ JWT or without it.',
  },
  oidc_authorized_party: {
    demands: 'azp of the ID token, where there is one, is our client (OpenID Connect Core section 3.1.3.7).',
    mender: 'identity_provider',
    remedy: 'The token was made for another client: have the provider issue it to the one of the connection.',
  },
  oidc_issued_at: {
    demands:
      'iat of the ID token is not older than the ten minutes that a sign-in may take, and not of the future, two minutes allowed for clocks.',
    mender: 'identity_provider',
    remedy: 'Set the clock of the provider by NTP, and have it make an ID token for each sign-in.',
  },
  oidc_subject: {
    demands: 'The ID token has a sub of at most 255 characters.',
    mender: 'identity_provider',
    remedy: 'Send sub as OpenID Connect Core section 2 says.',
  },
  oidc_hosted_domain: {
    demands: 'Of Google: hd is a domain of the connection or of the organization.',
    mender: 'operator',
    remedy:
      'Add the domain to email_domains of the connection. A private account of Google has none, and signs nobody in.',
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
      'The assertion has an e-mail address: in an attribute of a known name, or as its NameID. Of OpenID Connect: the ID token has it, or UserInfo, as email.',
    mender: 'identity_provider',
    remedy: 'Send the address as an attribute called email, or as the NameID.',
  },
  email_domain: {
    demands: 'The organization lets addresses of this domain sign in.',
    mender: 'operator',
    remedy: 'Add the domain to allowed_email_domains of the organization.',
  },
  linking: {
    demands:
      'The user is known by the NameID, or by issuer and sub; or their address is of a domain of the organization, so that the connection may speak for it, and an OpenID provider says that it was verified and, once their address is verified, knows them by no other sub; or it is nobody’s yet.',
    mender: 'operator',
    remedy: 'Add the domain of the address to allowed_email_domains of the organization.',
  },
  user_policy: {
    demands:
      'The user is in the directory where the policy is user_registered, and comes from directory sync where it is user_provisionned.',
    mender: 'operator',
    remedy:
      'Where it is user_registered, create the user; or set user_security_type to none. user_provisionned admits nobody as long as there is no directory sync.',
  },
  seats: {
    demands: 'The organization has fewer users than seats_limit, where the user is new.',
    mender: 'operator',
    remedy: 'Raise seats_limit, or delete users.',
  },
  user_active: {
    demands: 'The user is active.',
    mender: 'operator',
    remedy: 'Set active to true on the user.',
  },
  destination_application: {
    demands: 'The application is still there, and still allows the redirect URL that was asked for.',
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
