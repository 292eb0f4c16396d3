import type { Protocol } from '@portico/contract/sso-onboarding'
import type { IssuerFaultCode } from '../../../sso/onboarding/client-upload.js'

export type ClientFault =
  | IssuerFaultCode
  | 'issuer_missing'
  | 'client_id_missing'
  | 'client_secret_missing'
  | 'over'
export type ClientWarning = 'other_host' | 'issuer_shared' | 'in_clear'

/** The words of what is different where a provider speaks OpenID Connect. */
export const oidcSetup = {
  protocol: {
    heading: (product: string) => `How do you want to connect ${product}?`,
    sentence: 'It supports two protocols. Your users will not notice a difference.',
    names: { saml: 'SAML 2.0', oidc: 'OpenID Connect' } satisfies Record<Protocol, string>,
    reasons: {
      saml: 'You choose in its console who can sign in, and nothing needs to be renewed for years.',
      oidc: 'Choose it if your policies require it. The client secret needs to be renewed, at Microsoft at least every two years.',
    } satisfies Record<Protocol, string>,
    recommended: 'Recommended',
    other: 'Another protocol?',
  },
  client: {
    phase: 'Client',
    toClient: 'Enter the client',
    heading: 'Enter your client details',
    sentence:
      'With these three values we reach your provider and authenticate to it. Nothing is used until you have reviewed your provider’s details.',
    issuer: 'Issuer',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    secretHint: 'It is stored encrypted and never shown again, not even to you.',
    secretKept: 'Stored encrypted, not shown',
    button: 'Check the provider',
    stored: 'Current client',
    replace: 'Enter a different client',
    found: 'Details: the issuer',
    faults: {
      issuer_missing: 'Enter the issuer.',
      issuer_invalid:
        'This is not a valid issuer. It must be an https address of a public host, without a query string.',
      issuer_shared:
        'This address is shared by all tenants. Enter the issuer of your own tenant, which contains its ID.',
      issuer_unreachable:
        'We could not find your provider’s configuration at this address. Compare the issuer with your console, and check that it can be reached from the internet.',
      issuer_mismatch:
        'Your provider reports a different issuer. Enter it exactly as shown in your console, including a trailing slash if there is one.',
      discovery_invalid: 'Your provider’s configuration does not support signing in here.',
      client_id_missing: 'Enter the client ID (at most 255 characters).',
      client_secret_missing: 'Enter the client secret (at most 1,000 characters).',
      over: 'This client was already replaced or saved. Enter it again.',
    } satisfies Record<ClientFault, string>,
  },
  clientReview: {
    heading: 'Is this your provider?',
    sentence: 'These are its details. Compare them with your console.',
    authorizationEndpoint: 'Your users sign in at',
    confirm: 'Yes, use this client',
    other: 'Enter a different client',
    willWait:
      'The connection already has a client in use. The new one is saved and used for your tests until the people who invited you activate it.',
    warnings: {
      other_host:
        'Your users sign in at a different host than the issuer’s. This is normal for some providers; make sure that you recognize this host.',
      issuer_shared:
        'Another connection uses a client of the same issuer. This is only correct if both are for the same provider.',
      in_clear: 'The connection to the issuer is not encrypted. Use this for testing only.',
    } satisfies Record<ClientWarning, string>,
  },
  /** In the place of those of metadata. */
  oidc: {
    noClient: 'Enter the client details first.',
    subject: 'Subject (sub)',
    untested:
      'Your client details are saved. Run a test to make sure that your users can sign in; it takes a minute.',
    waits: 'They need to activate the client that you entered last.',
    rollover:
      'Before your client secret expires, come back through your invitation and enter the new one. Nobody can sign in with an expired secret.',
    values: { redirect_uri: 'Redirect URI', scopes: 'Scopes' },
  },
}

export type OidcSetupTexts = typeof oidcSetup
