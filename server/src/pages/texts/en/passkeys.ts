export type OwnPasskeyFault = 'refused' | 'not_allowed' | 'taken' | 'full' | 'last' | 'demanded' | 'bad_name'

/** The words about passkeys. */
export const passkeys = {
  passkeys: {
    /** On the page of a sign-in. */
    button: 'Sign in with a passkey',
    notUsed: 'No passkey was used. Try again, or sign in another way.',
    /** As the second factor. */
    second: {
      heading: 'Confirm that it is you',
      sentence: 'Use a passkey that you have added to your account.',
      /** Where the account page asks for it, of who is signed in. */
      forChange: 'To change your account, use a passkey that you have added to it.',
      button: 'Use a passkey',
      instead: 'Use a passkey instead',
      needsScript: 'To use a passkey, allow scripts for this page, and load it again.',
      anew: 'Sign in again',
      lost: 'Lost your passkey? Contact your administrator.',
    },
    /** In place of a passkey that is lost or blocked. */
    code: {
      sentence:
        'Enter one of the recovery codes that you saved. Each code works once. On the next page, you add a new passkey.',
      lost: 'No recovery codes left? Contact your administrator.',
    },
    /** Where the only passkey of a user was blocked as a copy. */
    blocked: {
      heading: 'Your passkey was blocked',
      sentence: 'A copy of it seems to have been used, so it is no longer accepted.',
      advice: 'Contact your administrator, who can remove it. Then you can add a new one.',
      byCode: 'With one of your recovery codes, you can add a new one.',
    },
    /** Where a second factor is demanded, and the user has none. */
    enroll: {
      byApplication:
        'This application requires two-step verification. When you sign in, you will also use a passkey, so that your password or mailbox alone is not enough.',
      byOrganization: (organization: string) =>
        `${organization} requires two-step verification. When you sign in, you will also use a passkey, so that your password or mailbox alone is not enough.`,
      instead: 'Add a passkey instead',
    },
    /** Where an application takes nothing that can be phished. */
    demanded: {
      heading: 'Add a passkey',
      sentence:
        'This application takes a passkey only. A password or a code is not enough, since another site could ask you for it.',
    },
    /** Where an operator has opened the recovery of lost passkeys, or a recovery code was used. */
    recover: {
      operator: {
        heading: 'Add a new passkey',
        sentence:
          'Your administrator lets you add a new passkey in place of one that you have lost. With it, you can remove the lost one on your account page.',
      },
      code: {
        heading: 'Add a new passkey',
        sentence:
          'Your recovery code was right, and cannot be used again. Add a new passkey to sign in. With it, you can remove the one that you have lost on your account page.',
      },
    },
    /** At the end of a sign-in, where nothing demands one. */
    offered: {
      heading: 'Sign in faster next time',
      sentence: (organization: string) =>
        `You can add a passkey to your account at ${organization}. With it, you sign in with your fingerprint, your face or the PIN of your device, without a password.`,
      after: 'You can rename it or remove it on your account page, and add one there at any time.',
    },
    own: {
      what: 'A passkey signs you in with your fingerprint, your face or the PIN of your device, without a password.',
      whatBesides:
        'A passkey confirms your sign-in with your fingerprint, your face or the PIN of your device, in place of a code.',
      notOffered: 'Your organization does not use passkeys.',
      needsScript: 'To add a passkey, allow scripts for this page.',
      add: 'Add a passkey',
      notAdded: 'No passkey was added. Try again, or use another device.',
      held: 'This device or security key has a passkey of your account already. To add another one, use another device.',
      onlyFactor:
        'Your organization requires two-step verification, and this passkey is your only means. You have no recovery codes: get some, or add another passkey on another device, so that you can sign in if you lose this one.',
      codesLeft: (count: number) =>
        count === 1
          ? 'You have one recovery code left. With it, you can add a passkey in place of one that you have lost.'
          : `You have ${count} recovery codes left. With each of them, you can add a passkey in place of one that you have lost.`,
      noCodes:
        'You have no recovery codes. With them, you can add a passkey in place of one that you have lost.',
      codesRest:
        'While a code from your phone is asked for, the recovery codes of your passkeys are not: use those of two-step verification.',
      getCodes: 'Get recovery codes',
      unnamed: 'Passkey',
      added: (ago: string) => `Added ${ago}.`,
      lastUsed: (ago: string) => `Last used ${ago}.`,
      neverUsed: 'Not used yet.',
      synced: 'Kept by your password manager.',
      onDevice: 'Kept on one device.',
      disabled: 'Blocked: a copy of it seems to have been used. Remove it.',
      rename: 'Rename',
      name: 'Name',
      save: 'Save',
      remove: 'Remove',
      removeSentence: 'It will no longer be accepted here, and you will be signed out everywhere else.',
      removeButton: 'Remove this passkey',
      faults: {
        refused: 'This passkey could not be added. Try again.',
        not_allowed:
          'Your organization does not allow passkeys that a password manager copies to other devices. Use a security key, or the device itself.',
        taken: 'This passkey has been added already.',
        full: 'You have as many passkeys as you can have. Remove one first.',
        last: 'Without this passkey you could no longer sign in. Add another one first.',
        demanded:
          'Your organization requires two-step verification, and this passkey is your only means. Add another one first.',
        bad_name: 'Enter a name of at most 60 characters.',
      } satisfies Record<OwnPasskeyFault, string>,
    },
  },
}

export type PasskeyTexts = typeof passkeys
