import type { FaultText } from './sign-in.js'

export type ProveAddressFault =
  | 'missing'
  | 'invalid'
  | 'not_allowed'
  | 'wrong_code'
  | 'code_over'
  | 'too_many'
  | 'too_many_mails'

export type LinkedFault = 'denied' | 'taken' | 'refused' | 'unavailable' | 'last' | 'too_many'

/** The words of the pages of a sign-in with a social provider. */
export const social = {
  social: {
    button: (provider: string) => `Continue with ${provider}`,
    denied: 'You did not sign in there. Try again, or choose another way.',
    lastUsed: 'Last used in this browser:',
  },
  socialProvider: {
    heading: (provider: string) => `Continue with ${provider}`,
    sentence: (provider: string) => `You are being redirected to ${provider}.`,
    again: (provider: string) =>
      `You have been redirected to ${provider}. Continue there, or choose another way.`,
    button: (provider: string) => `Go to ${provider}`,
    otherWay: 'Sign in another way',
  },
  proveAddress: {
    heading: 'Confirm your e-mail address',
    sentence: 'We have sent you an e-mail with a 6\u2011digit code. Enter it here to continue.',
    codeLabel: '6-digit code',
    button: 'Continue',
    nameSentence: 'We need an e-mail address that you can read mail at.',
    label: 'E-mail address',
    nameButton: 'Send me a code',
    nothingArrived: 'No e-mail? Check your spam folder first.',
    resend: 'Send a new code',
    resent: 'We have sent you a new code. Only the newest one works.',
    faults: {
      missing: 'Enter your e-mail address.',
      invalid: 'Enter a valid e-mail address, such as name@example.com.',
      not_allowed:
        'E-mail addresses at this domain cannot be used here. Enter the one that your organization gave you.',
      wrong_code: 'Incorrect code. Check it and try again.',
      code_over: 'This code has expired. Send a new one.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_mails: (wait) => `We have already sent you several e-mails. Try again ${wait}.`,
    } satisfies Record<ProveAddressFault, FaultText>,
  },
  linkAccount: {
    heading: 'You already have an account',
    sentence: (provider: string) =>
      `There is an account with your e-mail address here. Sign in to it once to link it with ${provider}. From then on, ${provider} signs you in.`,
    button: (provider: string) => `Sign in and link ${provider}`,
    mailLink: (provider: string) => `E-mail me a link and link ${provider}`,
    passkey: (provider: string) => `Use a passkey and link ${provider}`,
    noWay: 'Nobody can sign in to this account here. Ask the people who run the application.',
  },
  linked: {
    what: 'You can sign in here with an account that you have elsewhere.',
    notOffered: 'Your organization does not use other providers.',
    lastUsed: (ago: string) => `Last used ${ago}.`,
    link: (provider: string) => `Link ${provider}`,
    unlink: 'Unlink',
    unlinkSentence: 'It will no longer sign you in here, and you will be signed out everywhere else.',
    unlinkButton: 'Unlink this account',
    faults: {
      denied: 'You did not sign in there, so nothing was linked.',
      taken: 'This account signs somebody else in here. Choose another one there.',
      refused: 'This account could not be linked. Try again.',
      unavailable: 'You cannot use this provider right now.',
      last: 'Without this account you could no longer sign in. Set a password or add a passkey first.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
    } satisfies Record<LinkedFault, FaultText>,
  },
  socialRefused: {
    heading: 'You cannot sign in',
    sentence: 'We could not accept the sign-in with this provider.',
    advice:
      'Try again, or sign in another way. If it keeps happening, send the reference below to the people who run the application.',
  },
  socialUnavailable: {
    heading: 'This provider is not available',
    sentence: 'You cannot sign in with this provider right now.',
    advice: 'Go back and sign in another way.',
  },
  unknownSocialProvider: {
    heading: 'Page not found',
    sentence: 'There is no social provider at this address.',
    advice: 'Compare the address with the redirect URI of the provider.',
  },
  testProvider: {
    heading: 'Test provider',
    sentence: 'It signs in anybody whom you name, without a password. It is only available in the sandbox.',
    subject: 'Account at the provider',
    email: 'E-mail address',
    verified: 'The provider vouches for the address',
    fault: 'Answer to send',
    button: 'Continue',
    invalid: 'Enter a valid e-mail address and the name of an account.',
    faults: {
      none: 'A right one',
      denied: 'The user declines',
      no_email: 'Without an address',
      private_relay: 'With a relay address that hides this one',
      other_subject_same_email: 'Of another account with this address',
      wrong_state: 'With another state',
      wrong_nonce: 'With another nonce',
      wrong_audience: 'For another client',
      wrong_issuer: 'Of another issuer',
      expired: 'Expired',
      unsigned: 'Not signed',
      invalid_client: 'Our client is refused',
      token_endpoint_down: 'The token endpoint does not answer',
    },
  },
}

export type SocialTexts = typeof social
