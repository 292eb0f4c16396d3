import type { OwnMember } from '../../../sign-in/own-account/own-account.js'

/** The members that have one. */
function hints(known: Partial<Record<OwnMember, string>>): Partial<Record<OwnMember, string>> {
  return known
}

/** The words of the pages of one's own account. */
export const account = {
  account: {
    heading: 'Your account',
    back: 'Back to your account',
    backTo: (application: string) => `Back to ${application}`,
    saved: 'Your change has been saved.',
    sections: {
      profile: {
        heading: 'Profile',
        sentence: 'What applications are told of you: your name, language and address.',
      },
      password: { heading: 'Password', sentence: 'Set a password, or change it.' },
      'second-factor': {
        heading: 'Two-step verification',
        sentence: 'A code from your phone when you sign in, and recovery codes.',
      },
      passkeys: { heading: 'Passkeys', sentence: 'Sign in with your fingerprint, your face or a PIN.' },
      linked: { heading: 'Other accounts', sentence: 'Sign in with an account that you have elsewhere.' },
      sessions: { heading: 'Devices', sentence: 'Where you are signed in.' },
      data: { heading: 'Your data', sentence: 'Download what is stored about you.' },
      delete: { heading: 'Delete your account', sentence: 'For good, and everywhere.' },
    },
    profile: {
      labels: {
        given_name: 'First name',
        family_name: 'Last name',
        nickname: 'Nickname',
        locale: 'Language',
        zoneinfo: 'Time zone',
        picture: 'Picture',
        street_address: 'Street and number',
        postal_code: 'Postal code',
        locality: 'Town',
        region: 'Region',
        country: 'Country',
      },
      hints: hints({
        locale: 'A language tag, such as en-GB.',
        zoneinfo: 'Such as Europe/London.',
        picture: 'The address of a picture, which begins with https://.',
      }),
      faults: {
        given_name: 'Use at most 100 characters.',
        family_name: 'Use at most 100 characters.',
        nickname: 'Use at most 100 characters.',
        locale: 'Enter a language tag, such as en-GB.',
        zoneinfo: 'Enter a time zone, such as Europe/London.',
        picture: 'Enter an address that begins with https:// and has at most 2,000 characters.',
        street_address: 'Use at most 300 characters.',
        postal_code: 'Use at most 30 characters.',
        locality: 'Use at most 100 characters.',
        region: 'Use at most 100 characters.',
        country: 'Use at most 100 characters.',
      },
      button: 'Save',
      managed: 'Your organization manages your profile. Ask your administrator to change it.',
      none: '–',
    },
    delete: {
      sentence:
        'You will be signed out everywhere, and can no longer sign in with this account. Nobody can undo this. To go on, type the e-mail address of your account.',
      notOffered: 'You cannot delete this account yourself. Ask your administrator.',
      label: 'E-mail address of your account',
      button: 'Delete my account',
      wrong: 'This is not the e-mail address of your account.',
    },
    data: {
      sentence:
        'You get a file with what is stored about you here: your profile, your sign-ins and their devices, and what was changed. It names nobody else.',
      notOffered: 'Your organization does not offer this. Ask your administrator for your data.',
      button: 'Download',
      faults: {
        too_many: (wait: string) => `You can download your data three times a day. Try again ${wait}.`,
      },
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
