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
    heading: (product: string) => `How shall ${product} be connected?`,
    sentence: 'It speaks two languages for signing in. Your people see no difference between them.',
    names: { saml: 'SAML 2.0', oidc: 'OpenID Connect' } satisfies Record<Protocol, string>,
    reasons: {
      saml: 'You choose in its console who may sign in, and nothing has to be renewed for years.',
      oidc: 'Good where your own rules ask for it. A client secret has to be renewed, at the latest every two years at Microsoft.',
    } satisfies Record<Protocol, string>,
    recommended: 'Recommended',
    other: 'Another protocol?',
  },
  client: {
    phase: 'Client',
    toClient: 'Enter the client',
    heading: 'Enter the client of your provider',
    sentence:
      'These three values tell us whom to ask, and prove to your provider that it is us. Nothing is in use before you have looked at what your provider says of itself.',
    issuer: 'Issuer',
    clientId: 'Client ID',
    clientSecret: 'Client secret',
    secretHint: 'It is stored encrypted and shown to nobody, not even to you.',
    secretKept: 'Stored encrypted, and not shown',
    button: 'Read the provider',
    stored: 'Entered so far',
    replace: 'Enter another one',
    found: 'In detail: the issuer',
    faults: {
      issuer_missing: 'Enter the issuer.',
      issuer_invalid:
        'This cannot be the issuer here. It is an https address of a public host, without a question mark.',
      issuer_shared:
        'This address stands for all tenants together. Enter the issuer of your own tenant, with its ID.',
      issuer_unreachable:
        'Your provider does not describe itself at this address. Compare the issuer with your console, and see that it can be reached from the internet.',
      issuer_mismatch:
        'Your provider calls itself something else. Enter the issuer to the letter, also with a slash at its end where it has one.',
      discovery_invalid: 'What your provider says of itself cannot be used for signing in here.',
      client_id_missing: 'Enter the client ID, of at most 255 characters.',
      client_secret_missing: 'Enter the client secret, of at most 1,000 characters.',
      over: 'This client was replaced or stored already. Enter it again.',
    } satisfies Record<ClientFault, string>,
  },
  clientReview: {
    heading: 'Is this your provider?',
    sentence: 'This is what it says of itself. Compare it with your console.',
    authorizationEndpoint: 'Your people sign in at',
    confirm: 'Yes, use this client',
    other: 'Enter another one',
    willWait:
      'The connection has a client in use already. This one is stored beside it and used for your tests, until the people who invited you put it into use.',
    warnings: {
      other_host:
        'Your people sign in at another host than the issuer’s. That is usual with some providers; see that you know this host.',
      issuer_shared:
        'Another connection has a client of the same issuer. That is right only if both are for the same provider.',
      in_clear: 'The issuer is reached without encryption, which is good for trying things out alone.',
    } satisfies Record<ClientWarning, string>,
  },
  /** In the place of those of metadata. */
  oidc: {
    noClient: 'Enter the client first: without it nobody can be asked.',
    subject: 'Subject (sub)',
    untested:
      'The client of your provider is stored. Whether your people can sign in, only a test shows; it takes a minute.',
    waits: 'They have to put the client into use that you entered last.',
    rollover:
      'Before your client secret ends, come back by your invitation and enter the new one. Nobody can sign in with a secret that has ended.',
    values: { redirect_uri: 'Redirect URI', scopes: 'Scopes' },
  },
}

export type OidcSetupTexts = typeof oidcSetup
