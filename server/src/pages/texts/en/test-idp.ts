import type { TestIdpFault } from '../../../sso/test-idp/response.js'

/** The words of the built-in identity provider, which those see who build and try. */
export const testIdp = {
  testIdp: {
    heading: 'Test identity provider',
    sentence: 'It asks for no password, and vouches for whomever you name. It exists in the sandbox only.',
    label: 'Or another e-mail address',
    invalidEmail: 'This is not an e-mail address. Type one such as ada@example.com.',
    button: 'Sign in',
    users: 'Who signs in',
    fault: 'The response that is sent',
    faults: {
      none: 'Correct',
      encrypted: 'Correct, and encrypted',
      wrong_audience: 'Wrong: for another service (audience)',
      expired: 'Wrong: expired',
      unsigned: 'Wrong: not signed',
      replayed: 'Wrong from the second time on: the same assertion again (replay)',
      wrapped: 'Wrong: somebody else’s name, wrapped around a signed one',
    } satisfies Record<TestIdpFault, string>,
    answer: {
      heading: 'The test identity provider answers',
      sentence: 'You are taken back to the service.',
      button: 'Continue',
    },
  },
  noTestIdp: {
    heading: 'There is no test identity provider here',
    sentence:
      'It exists in the sandbox, for connections of the provider type test, and answers open requests alone.',
    advice: 'Go back to the application and sign in from there.',
  },
}

export type TestIdpTexts = typeof testIdp
