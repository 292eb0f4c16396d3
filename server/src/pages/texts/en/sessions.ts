/** The words of the pages about where a user is signed in. */
export const sessions = {
  sessions: {
    heading: 'Where you are signed in',
    sentence: 'If you do not recognize a device, sign it out and change your password.',
    current: 'This device',
    onSystem: (browser: string, system: string) => `${browser} on ${system}`,
    unknownDevice: 'Unknown device',
    lastUsed: (when: string) => `Last used ${when}`,
    signedIn: (when: string) => `Signed in ${when}`,
    signedInTo: (application: string, when: string) => `Signed in to ${application} ${when}`,
    end: 'Sign out',
    endOthers: 'Sign out of all other devices',
    signOut: 'Sign out of this device',
    onlyOne: 'You are not signed in anywhere else.',
  },
  signOut: {
    heading: 'Sign out?',
    sentence: (organization: string) => `You will be signed out of ${organization} in this browser.`,
    button: 'Sign out',
    forgetHeading: 'Forget this address?',
    forgetSentence:
      'You are signed out, but still recognized on this device: you could sign in again without an e-mail. If other people use the device, forget the address.',
    forget: 'Forget it',
    doneHeading: 'You are signed out',
    done: 'You can close this page.',
  },
}

export type SessionTexts = typeof sessions
