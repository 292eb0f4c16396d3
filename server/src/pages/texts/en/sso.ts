/** The words of the pages between us and an identity provider. */
export const sso = {
  identityProvider: {
    heading: 'You sign in at your organization',
    sentence: 'You are taken to the sign-in page of your organization, and come back here afterwards.',
    /** The identity provider was asked already, and the browser has come back. */
    again: 'Go on to the sign-in page of your organization, or choose another address.',
    button: 'Continue to my organization',
    otherAddress: 'Use another address',
  },
  ssoButton: 'Continue with single sign-on',
  ssoReturn: {
    heading: 'One moment',
    sentence: 'You are being signed in.',
    button: 'Continue',
  },
  ssoRefused: {
    heading: 'You cannot be signed in',
    sentence: 'Your organization has answered, and the answer could not be accepted.',
    advice: 'Try again from the application; if it stays so, give your IT department the reference below.',
  },
  ssoTooLarge: {
    heading: 'You cannot be signed in',
    sentence: 'The answer of your organization is larger than we take.',
    advice: 'Another try does not help: give your IT department the reference below.',
  },
  ssoTooMany: {
    heading: 'Please wait a little',
    sentence: 'Too many answers of your organization have come from your network in the last minutes.',
    advice:
      'Try again in a quarter of an hour; if it stays so, tell your IT department. Nothing is wrong with your account.',
  },
  ssoUnavailable: {
    heading: 'You cannot be signed in this way now',
    sentence: 'The sign-in by your organization is switched off, or is not set up.',
    advice: 'Ask your IT department, and give them the reference below.',
  },
  deadSsoLink: {
    heading: 'This address does not work any more',
    sentence: 'It works once and for a few minutes.',
    advice: 'Go back to the application and sign in from there.',
  },
  unknownConnection: {
    heading: 'There is nothing here',
    sentence: 'No connection to an identity provider has this address.',
    advice: 'Compare the address with the one that the connection shows.',
  },
}

export type SsoTexts = typeof sso
