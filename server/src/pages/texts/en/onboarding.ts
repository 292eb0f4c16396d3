import type { OnboardingState } from '@portico/contract/sso-onboarding'
import type { FaultText } from './sign-in.js'

/** The parts of the onboarding, in their order. */
export const onboardingPhases = ['provider', 'tutorial', 'metadata', 'test', 'done'] as const
export type OnboardingPhase = (typeof onboardingPhases)[number]

export type AdminCodeFault = 'missing' | 'wrong_code' | 'code_over' | 'too_many' | 'too_many_mails'

/** The words of the pages on which an administrator sets single sign-on up, but for metadata and tests. */
export const onboarding = {
  onboarding: {
    phases: {
      provider: 'Provider',
      tutorial: 'Set up',
      metadata: 'Metadata',
      test: 'Test',
      done: 'Done',
    } satisfies Record<OnboardingPhase, string>,
    progress: 'Progress',
    signedInAs: 'Signed in as',
    leave: 'Sign out',
    allConnections: 'All connections',
    declineSummary: 'Not in charge of this?',
    decline:
      'Say so, and this invitation ends. The people who invited you are told, and can invite somebody else.',
    declineButton: 'I am not in charge',
    back: 'Back',
    continue: 'Continue',
  },
  invitation: {
    heading: (organization: string) => `Set up single sign-on for ${organization}`,
    /** For what: the service to which the users are to sign in. */
    sentence: (service: string) =>
      `You connect the identity provider of your organization to ${service}, step by step, so that your people sign in there with the account they have. It takes some 15 minutes, and you can stop and come back whenever you like.`,
    button: (address: string) => `Continue as ${address}`,
    hint: 'A code of 6 digits is sent to this address.',
    notInCharge:
      'Not in charge of this? Continue all the same: you can say so once you have entered the code.',
    tooManyMails: (wait: string) => `Several codes are on their way already. Ask for another one ${wait}.`,
  },
  adminCode: {
    heading: 'Check your e-mail',
    sentence: (address: string) => `A code of 6 digits is on its way to ${address}. It works for 10 minutes.`,
    label: '6-digit code',
    button: 'Continue',
    again: 'Send another code',
    sent: 'Another code is on its way. Only the newest one works.',
    faults: {
      missing: 'Enter the code.',
      wrong_code: 'This code does not work. Enter the one from the newest e-mail.',
      code_over: 'This code does not work any more. Ask for another one.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_mails: (wait) => `Several codes are on their way already. Ask for another one ${wait}.`,
    } satisfies Record<AdminCodeFault, FaultText>,
  },
  deadInvitation: {
    heading: 'This invitation does not work any more',
    sentence: 'It is older than 30 days, was replaced by a newer one, or was ended.',
    advice: 'Look for a newer e-mail, or ask the people who invited you for another invitation.',
  },
  notInvited: {
    heading: 'Open your invitation',
    sentence: 'Nobody is signed in to this page in this browser, or it was more than 8 hours ago.',
    advice: 'Open the link in your invitation e-mail once more. What you have done so far is kept.',
  },
  declined: {
    heading: 'Thank you for telling us',
    sentence: 'Your invitation has ended, and the people who invited you are told.',
    advice: 'You can close this page.',
  },
  leftOnboarding: {
    heading: 'You are signed out',
    sentence: 'What you have done so far is kept.',
    advice: 'To go on, open the link in your invitation e-mail once more.',
  },
  noSuchConnection: {
    heading: 'There is no such connection',
    sentence: 'Your invitation is not for a connection of this address, or it was removed.',
    advice: 'Open the link in your invitation e-mail once more.',
  },
  connections: {
    heading: 'Your connections',
    sentence: 'Each connects one identity provider. Set up the sandbox first if you want to try things out.',
    none: 'There is no connection yet. The people who invited you have to create one.',
    environments: { sandbox: 'Sandbox', production: 'Production' },
    states: {
      not_initialized: 'Not begun',
      provider_type_chosen: 'Being set up',
      xml_provided: 'Provider connected',
    } satisfies Record<OnboardingState, string>,
    open: 'Open',
  },
  provider: {
    heading: 'Which identity provider do you use?',
    sentence: (service: string) =>
      `It is where your people sign in to their other applications, and will sign in to ${service}. You get the steps for its console.`,
    custom: 'Another one, or your own',
    customOidc: 'Another one, or your own',
    test: 'Built in, to try things out',
    minutes: (minutes: number) => `about ${minutes} minutes`,
    current: 'Chosen',
    other: 'Another identity provider?',
    restarts: 'Choosing another one begins its steps from the first.',
    fixed:
      'Your provider is connected, so the choice stands. To change it, ask the people who invited you to reset the onboarding.',
  },
  tutorial: {
    step: (step: number, steps: number) => `Step ${step} of ${steps}`,
    minutes: (minutes: number) => `about ${minutes} minutes in all`,
    path: 'In the menus',
    setting: 'Setting',
    attribute: 'Attribute',
    choose: 'Value',
    filledFrom: 'Filled from',
    note: 'Note:',
    copy: 'Copy',
    copied: 'Copied',
    spMetadata: 'Download our metadata',
    spCertificate: 'Download our certificate',
    spMetadataHint: 'XML, with every value that a console may ask for',
    spCertificateHint: 'PEM, for signatures and encryption',
    previous: 'Back',
    next: 'Next step',
    toMetadata: 'Upload the metadata',
    allValues: 'All values at a glance',
    values: {
      entity_id: 'Entity ID',
      acs_url: 'ACS URL',
      metadata_url: 'Metadata URL',
      name_id_format: 'NameID format',
    },
    goodToKnow: 'Good to know',
    checked: (date: string) =>
      `Last held against the public documentation on ${date}. Names of menus are those of the English console.`,
  },
}

export type OnboardingTexts = typeof onboarding
