/** The words of the pages of one's own account. */
export const account = {
  account: {
    heading: 'Your account',
    back: 'Back to your account',
    saved: 'Your change has been saved.',
    sections: {
      profile: { heading: 'Name', sentence: 'How you are called in applications.' },
      password: { heading: 'Password', sentence: 'Set a password, or change it.' },
      'second-factor': {
        heading: 'Two-step verification',
        sentence: 'A code from your phone when you sign in, and recovery codes.',
      },
      passkeys: { heading: 'Passkeys', sentence: 'Sign in with your fingerprint, your face or a PIN.' },
    },
    sessions: { heading: 'Devices', sentence: 'Where you are signed in.' },
    profile: {
      labels: { given_name: 'First name', family_name: 'Last name', nickname: 'Nickname' },
      button: 'Save',
      tooLong: 'Use at most 100 characters.',
      managed: 'Your organization manages your name. Ask your administrator to change it.',
      none: '–',
    },
    password: {
      othersEnd: 'You will be signed out everywhere else.',
      saved: 'Your password has been saved. You have been signed out everywhere else.',
      notOffered: 'You do not sign in with a password here.',
    },
    secondFactor: {
      notOffered: 'Your organization does not use two-step verification.',
      none: 'When you sign in, you also enter a code from your phone, so that your password or mailbox alone is not enough.',
      on: {
        totp_mobile_app: 'On: you enter a code from your authenticator app.',
        sms: 'On: you enter a code from a text message.',
      },
      replace: 'Set up a new phone',
      remove: 'Turn off',
      demanded: 'Your organization requires two-step verification, so it cannot be turned off.',
    },
  },
}

export type AccountTexts = typeof account
