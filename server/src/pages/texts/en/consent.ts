/** The words of the page on which a user allows an application. */
export const consent = {
  consent: {
    heading: (application: string, organization: string) =>
      `Allow ${application} to access your account at ${organization}?`,
    change: 'Not you?',
    sentence: 'It will be able to:',
    /** By scope. */
    abilities: {
      openid: 'Confirm your identity',
      profile: 'See your name, picture and language',
      email: 'See your e-mail address',
      phone: 'See your telephone number',
      address: 'See your postal address',
      offline_access: 'Keep access until you or your administrator revokes it',
    },
    returns: {
      toSite: (host: string) => `You will then return to ${host}.`,
      toComputer: 'You will then return to an app on this computer.',
      toApp: (scheme: string) =>
        `You will then return to the app on this device that opens “${scheme}” links.`,
    },
    allow: 'Allow',
    refuse: 'Don’t allow',
  },
}

export type ConsentTexts = typeof consent
