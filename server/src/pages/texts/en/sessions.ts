/** The words of the pages about where a user is signed in. */
export interface SessionTexts {
  readonly sessions: {
    readonly heading: string
    readonly sentence: string
    readonly current: string
    readonly onSystem: (browser: string, system: string) => string
    readonly unknownDevice: string
    readonly lastUsed: (when: string) => string
    readonly signedIn: (when: string) => string
    readonly end: string
    readonly endOthers: string
    readonly signOut: string
    readonly onlyOne: string
  }
  readonly signOut: {
    readonly heading: string
    readonly sentence: (organization: string) => string
    readonly button: string
    readonly doneHeading: string
    readonly done: string
  }
}

export const sessions: SessionTexts = {
  sessions: {
    heading: 'Where you are signed in',
    sentence: 'If there is a device that you do not know, sign it out and change your password.',
    current: 'This device',
    onSystem: (browser, system) => `${browser} on ${system}`,
    unknownDevice: 'Unknown device',
    lastUsed: (when) => `Last used ${when}`,
    signedIn: (when) => `Signed in ${when}`,
    end: 'Sign out',
    endOthers: 'Sign out everywhere else',
    signOut: 'Sign out here',
    onlyOne: 'You are signed in nowhere else.',
  },
  signOut: {
    heading: 'Sign out?',
    sentence: (organization) => `You will be signed out of ${organization} in this browser.`,
    button: 'Sign out',
    doneHeading: 'You are signed out',
    done: 'You can close this page.',
  },
}
