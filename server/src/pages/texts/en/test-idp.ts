import type { TestIdpFault } from '../../../sso/test-idp/response.js'

/** The words of the built-in identity provider, which those see who build and try. */
export const testIdp = {
  testIdp: {
    heading: 'Test identity provider',
    sentence: 'It signs in any user that you name, without a password. It is only available in the sandbox.',
    label: 'Or another e-mail address',
    invalidEmail: 'Enter a valid e-mail address, such as ada@example.com.',
    button: 'Sign in',
    users: 'User to sign in',
    fault: 'Response to send',
    faults: {
      none: 'Correct',
      encrypted: 'Correct, and encrypted',
      wrong_audience: 'Wrong: for another service (audience)',
      expired: 'Wrong: expired',
      unsigned: 'Wrong: not signed',
      replayed: 'Wrong from the second time on: the same assertion again (replay)',
      wrapped: 'Wrong: another user’s name, wrapped around a signed assertion (XSW)',
    } satisfies Record<TestIdpFault, string>,
    answer: {
      heading: 'Returning from the test identity provider',
      sentence: 'You are being redirected to the service.',
      button: 'Continue',
    },
  },
  noTestIdp: {
    heading: 'There is no test identity provider here',
    sentence:
      'It is only available in the sandbox, for connections of the provider type test, and only answers open requests.',
    advice: 'Go back to the application and sign in again.',
  },
}

export type TestIdpTexts = typeof testIdp
