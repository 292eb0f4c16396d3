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
    declineSummary: 'Not responsible for this?',
    decline:
      'Let us know, and this invitation will end. The people who invited you will be notified and can invite someone else.',
    declineButton: 'I am not responsible for this',
    back: 'Back',
    continue: 'Continue',
  },
  invitation: {
    heading: (organization: string) => `Set up single sign-on for ${organization}`,
    /** For what: the service to which the users are to sign in. */
    sentence: (service: string) =>
      `Connect your organization’s identity provider to ${service}, so that your users sign in with the account they already have. It takes about 15 minutes, step by step, and you can stop and come back at any time.`,
    button: (address: string) => `Continue as ${address}`,
    hint: 'We will send a 6\u2011digit code to this address.',
    notInCharge:
      'Not responsible for this? Continue anyway: you can tell us after you have entered the code.',
    tooManyMails: (wait: string) => `We have already sent you several codes. Try again ${wait}.`,
  },
  adminCode: {
    heading: 'Check your e-mail',
    sentence: (address: string) => `We sent a 6\u2011digit code to ${address}. It expires in 10 minutes.`,
    label: '6-digit code',
    button: 'Continue',
    again: 'Send a new code',
    sent: 'We have sent you a new code. Only the newest one works.',
    faults: {
      missing: 'Enter the code.',
      wrong_code: 'Incorrect code. Enter the one from the newest e-mail.',
      code_over: 'This code has expired. Request a new one.',
      too_many: (wait) => `Too many attempts. Try again ${wait}.`,
      too_many_mails: (wait) => `We have already sent you several codes. Try again ${wait}.`,
    } satisfies Record<AdminCodeFault, FaultText>,
  },
  deadInvitation: {
    heading: 'This invitation no longer works',
    sentence: 'It is more than 30 days old, was replaced by a newer one, or was revoked.',
    advice: 'Look for a newer e-mail, or ask the people who invited you for a new invitation.',
  },
  notInvited: {
    heading: 'Open your invitation',
    sentence: 'You are not signed in to this page in this browser, or you signed in more than 8 hours ago.',
    advice: 'Open the link in your invitation e-mail again. Your progress is saved.',
  },
  declined: {
    heading: 'Thank you for letting us know',
    sentence: 'Your invitation has ended, and we have notified the people who invited you.',
    advice: 'You can close this page.',
  },
  leftOnboarding: {
    heading: 'You are signed out',
    sentence: 'Your progress is saved.',
    advice: 'To continue, open the link in your invitation e-mail again.',
  },
  noSuchConnection: {
    heading: 'Connection not found',
    sentence: 'Your invitation does not include a connection at this address, or the connection was removed.',
    advice: 'Open the link in your invitation e-mail again.',
  },
  connections: {
    heading: 'Your connections',
    sentence:
      'Each connection links one identity provider. Set up the sandbox first if you want to try it out.',
    none: 'There is no connection yet. Ask the people who invited you to create one.',
    environments: { sandbox: 'Sandbox', production: 'Production' },
    states: {
      not_initialized: 'Not started',
      provider_type_chosen: 'In progress',
      xml_provided: 'Provider connected',
    } satisfies Record<OnboardingState, string>,
    open: 'Open',
  },
  provider: {
    heading: 'Which identity provider do you use?',
    sentence: (service: string) =>
      `Your users sign in there to their other applications, and soon to ${service}. We will guide you through its console.`,
    custom: 'Another provider, or your own',
    customOidc: 'Another provider, or your own',
    test: 'Built in, for testing',
    minutes: (minutes: number) => `about ${minutes} minutes`,
    current: 'Chosen',
    other: 'Another identity provider?',
    restarts: 'If you choose another one, you start again from its first step.',
    fixed:
      'Your provider is connected and can no longer be changed here. To change it, ask the people who invited you to reset the onboarding.',
  },
  tutorial: {
    step: (step: number, steps: number) => `Step ${step} of ${steps}`,
    minutes: (minutes: number) => `about ${minutes} minutes in total`,
    path: 'In the menus',
    setting: 'Setting',
    attribute: 'Attribute',
    choose: 'Value',
    filledFrom: 'Filled with',
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
      `Last checked against the public documentation on ${date}. Menu names are those of the English console.`,
  },
}

export type OnboardingTexts = typeof onboarding
