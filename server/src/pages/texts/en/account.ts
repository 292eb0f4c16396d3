import type { FaultText } from './sign-in.js'
import type { OwnMember } from '../../../sign-in/own-account/own-account.js'

/** The members that have one. */
function hints(known: Partial<Record<OwnMember, string>>): Partial<Record<OwnMember, string>> {
  return known
}

/** What was wrong with a form of the change of an address. */
export type OwnEmailFault =
  | 'missing'
  | 'invalid'
  | 'same'
  | 'not_allowed'
  | 'wrong_code'
  | 'wrong_app_code'
  | 'code_over'
  | 'app_locked'
  | 'passkey_refused'
  | 'taken'
  | 'over'
  | 'too_many'
  | 'too_many_mails'

/** The words of the pages of one's own account. */
export const account = {
  account: {
    heading: 'Your account',
    back: 'Back to your account',
    backTo: (application: string) => `Back to ${application}`,
    saved: 'Your change has been saved.',
    /** Why a sign-in is asked for of a user who is signed in, on its first page. */
    confirmFirst: 'To change your account, confirm that it is you.',
    /** What the list of sections says of them. */
    states: {
      passwordSet: 'Set',
      passwordNotSet: 'Not set',
      on: 'On',
      off: 'Off',
      passkeys: (count: number) => (count === 0 ? 'None' : String(count)),
    },
    sections: {
      profile: {
        heading: 'Profile',
        sentence: 'What applications are told of you: your name, language and address.',
      },
      email: { heading: 'E-mail address', sentence: 'Change the address that you sign in with.' },
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
    email: {
      sentence:
        'You sign in with this address, and we write to it. To change it, you confirm both the old one and the new one.',
      managed: 'Your organization manages your e-mail address. Ask your administrator to change it.',
      stopped: (wait: string) =>
        `Your e-mail address was changed back. To protect your account, it can only be changed again ${wait}.`,
      label: 'New e-mail address',
      button: 'Change the address',
      changed: 'Your e-mail address has been changed.',
      to: (address: string) => `New address: ${address}`,
      oldSentence:
        'First, confirm that this account is yours: we have sent a 6\u2011digit code to your present address. Enter it here.',
      newSentence: 'Now we have sent a 6\u2011digit code to the new address. Enter it here.',
      codeLabel: '6-digit code',
      confirm: 'Continue',
      noAccess: 'Can you no longer read mail at your present address?',
      appLabel: 'Code from your authenticator app',
      appButton: 'Use this code instead',
      passkeyButton: 'Use a passkey instead',
      cancel: 'Do not change it',
      faults: {
        missing: 'Enter the new e-mail address.',
        invalid: 'Enter a valid e-mail address, such as name@example.com.',
        same: 'This is your e-mail address already.',
        not_allowed:
          'E-mail addresses at this domain cannot be used here, or belong to people who sign in through their organization.',
        wrong_code: 'Incorrect code. Check it and try again.',
        wrong_app_code: 'Incorrect code. Wait for the next one in the app and try again.',
        code_over: 'This code has expired. Send a new one.',
        app_locked: 'Too many wrong codes. Wait a quarter of an hour, or use the code from your mail.',
        passkey_refused: 'This passkey was not accepted. Try again, or use the code from your mail.',
        taken: 'Another account here has this address by now. Use another one.',
        over: 'This took too long, or was started in a different browser. Enter the new address again.',
        too_many: (wait) => `Too many attempts. Try again ${wait}.`,
        too_many_mails: (wait) => `We have already sent several e-mails. Try again ${wait}.`,
      } satisfies Record<OwnEmailFault, FaultText>,
    },
    delete: {
      sentence:
        'You will be signed out everywhere, and can no longer sign in with this account. Nobody can undo this. To go on, type the e-mail address of your account.',
      notOffered: 'You cannot delete this account yourself. Ask your administrator.',
      label: 'E-mail address of your account',
      button: 'Delete my account',
      wrong: 'This is not the e-mail address of your account.',
      ask: 'Your organization decides whether your account is deleted. We ask its administrators by e-mail. Until they have decided, nothing changes.',
      askButton: 'Ask for the deletion',
      asked: (ago: string) =>
        `You asked for the deletion of your account ${ago}. Your request is recorded for your organization. Until it has decided, nothing changes.`,
      doneHeading: 'Your account has been deleted',
      done: 'You have been signed out everywhere. You can close this page.',
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
      needsMailbox:
        'To set your first password, show that you receive e-mail at this address: sign out, and ask for a link or a new password when you sign in.',
    },
    secondFactor: {
      notOffered: 'Your organization does not use two-step verification.',
      none: 'Off. You can have a code from your phone asked for as well when you sign in, so that your password or mailbox alone is not enough.',
      on: {
        totp_mobile_app: 'On: you enter a code from your authenticator app.',
        sms: 'On: you enter a code from a text message.',
      },
      replace: 'Set up a new phone',
      remove: 'Turn off',
      removeSentence:
        'You will be asked for no code from your phone, and its recovery codes stop working. You will be signed out everywhere else.',
      removeButton: 'Turn off two-step verification',
      demanded: 'Your organization requires two-step verification, so it cannot be turned off.',
    },
  },
}

/** The words of the link in the mail about a changed address. */
export const emailLink = {
  emailLink: {
    heading: (address: string, organization: string) =>
      `Change your e-mail address at ${organization} back to ${address}`,
    button: 'Change it back',
    hint: 'All devices are signed out. A password, passkeys, linked accounts and two-step verification that were added in the two weeks before the change, or since, are removed. For three days, the address cannot be changed again.',
    unexpected: 'If you have changed the address yourself, close this page. Nothing will happen.',
    /** On the pages after it that advise to sign in. */
    signIn: 'Sign in',
  },
  emailBack: {
    heading: 'Your address is back',
    sentence:
      'Your account has the e-mail address of before again, and all devices were signed out. A password, passkeys, linked accounts and two-step verification that were added in the two weeks before the change, or since, were removed.',
    advice:
      'Sign in and set a new password. On your account page, remove passkeys and phones that you do not recognize.',
  },
  deadEmailLink: {
    heading: 'This link no longer works',
    sentence: 'It works once, for seven days after the change of an e-mail address.',
    advice: 'If you cannot sign in to your account, contact your administrator.',
  },
  emailBackTaken: {
    heading: 'The address cannot be changed back',
    sentence:
      'Another account of the organization has this e-mail address by now. All devices were signed out.',
    advice: 'Contact your administrator at once: someone else may be using your account.',
  },
  emailBackOverruled: {
    heading: 'The address is not changed back',
    sentence:
      'Your administrator has given your account another e-mail address since. All devices were signed out. A password, passkeys, linked accounts and two-step verification that were added in the two weeks before the change, or since, were removed.',
    advice: 'Sign in with the address that your account has now, or contact your administrator.',
  },
  emailBackManaged: {
    heading: 'The address cannot be changed back',
    sentence: 'Your organization manages your e-mail address by now. All devices were signed out.',
    advice: 'Contact your administrator at once: someone else may be using your account.',
  },
}

export type AccountTexts = typeof account
export type EmailLinkTexts = typeof emailLink
