/** The words of the pages between us and an identity provider. */
export const sso = {
  identityProvider: {
    heading: 'Sign in with your organization',
    sentence: 'We will take you to the sign-in page of your organization and back.',
    /** The identity provider was asked already, and the browser has come back. */
    again: 'Continue to the sign-in page of your organization, or use another address.',
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
    heading: 'You cannot sign in',
    sentence: 'We could not accept the sign-in from your organization.',
    advice:
      'Try again from the application. If it keeps happening, send the reference below to your IT department.',
  },
  ssoTooLarge: {
    heading: 'You cannot sign in',
    sentence: 'The response from your organization is too large.',
    advice: 'Trying again will not help. Send the reference below to your IT department.',
  },
  ssoTooMany: {
    heading: 'Too many attempts',
    sentence: 'There have been too many sign-in attempts from your network in the last few minutes.',
    advice:
      'Try again in 15 minutes. If it keeps happening, tell your IT department. There is nothing wrong with your account.',
  },
  ssoUnavailable: {
    heading: 'Single sign-on is not available',
    sentence: 'Single sign-on for your organization is turned off or not set up.',
    advice: 'Contact your IT department and send them the reference below.',
  },
  deadSsoLink: {
    heading: 'This link no longer works',
    sentence: 'It works once, and only for a few minutes.',
    advice: 'Go back to the application and sign in again.',
  },
  unknownConnection: {
    heading: 'Page not found',
    sentence: 'There is no SSO connection at this address.',
    advice: 'Compare the address with the one shown for the connection.',
  },
}

export type SsoTexts = typeof sso
