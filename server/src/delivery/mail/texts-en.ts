import type { MailTexts } from './mail-texts.js'

/** The mails in English. */
export const en: MailTexts = {
  links: {
    sign_in: {
      subject: (organization) => `Sign in to ${organization}`,
      invitation: (organization) => `Use this link to sign in to ${organization}:`,
      button: 'Sign in',
      lifetime: (minutes) =>
        `This link works once and expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Do not share it: anyone who opens it can sign in as you.`,
      unexpected:
        'If you did not ask for this, you can ignore this e-mail. Nobody can sign in without the link.',
    },
    password: {
      subject: (organization) => `Set your password for ${organization}`,
      invitation: (organization) => `Use this link to choose a new password for ${organization}:`,
      button: 'Set your password',
      lifetime: (minutes) =>
        `This link works once and expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`}. Do not share it: anyone who opens it can set your password.`,
      unexpected:
        'If you did not ask for this, you can ignore this e-mail. Your password stays the same, and nobody can change it without the link.',
    },
  },
  adminInvitation: {
    subject: (organization) => `Set up single sign-on for ${organization}`,
    invitation: (organization, service) =>
      `You have been invited to connect the identity provider of ${organization} to ${service}, so that its users sign in to ${service} with the account they already have. Use this link to start, or to continue where you left off:`,
    button: 'Set up single sign-on',
    lifetime: (days) =>
      `This link works for ${days === 1 ? 'one day' : `${days} days`}, as often as you need it. Do not share it. In a new browser we also send you a code by e-mail.`,
    unexpected:
      'If you are not responsible for this, open the link, enter the code and let us know. If you do not recognize it, you can ignore this e-mail: nothing has changed.',
  },
  invitation: {
    subject: (organization) => `${organization} has invited you`,
    invitation: (organization, product) =>
      `${organization} has invited you to ${product}. Use this link to accept the invitation:`,
    ofConsole: {
      subject: (account) => `Join the console of ${account}`,
      invitation: (account, product, inviter) =>
        `${inviter === null ? 'You have been invited' : `${inviter} has invited you`} to the console of the account ${account} on ${product}, where its staff manage organizations, users and sign-ins. Use this link to accept the invitation:`,
    },
    button: 'Accept the invitation',
    lifetime: (days) =>
      `This link works once, for ${days === 1 ? 'one day' : `${days} days`}. Do not share it.`,
    unexpected: 'If you do not know why you were invited, you can ignore this e-mail. Nothing will happen.',
  },
  joinRequests: {
    subject: (organization) => `Requests to join ${organization}`,
    invitation: (organization, people) =>
      `${people === 1 ? 'One person asks' : `${people} people ask`} to join ${organization}. Use this link to approve or deny:`,
    button: 'See the requests',
    lifetime: (days) =>
      `This link works for ${days === 1 ? 'one day' : `${days} days`}. Do not share it. In a new browser we also send you a code by e-mail.`,
    unexpected:
      'You get this e-mail because you have been invited to look after the sign-in of your organization. As long as you decide nothing, nobody joins.',
  },
  joinDecision: {
    approved: {
      subject: (organization) => `You are a member of ${organization}`,
      told: (organization) => `Your request to join ${organization} was approved.`,
      next: (_, product) => `Sign in to ${product} with this e-mail address, as you did when you asked.`,
    },
    denied: {
      subject: (organization) => `Your request to join ${organization}`,
      told: (organization) => `Your request to join ${organization} was not approved.`,
      next: (organization) =>
        `If you think that this is a mistake, ask the people at ${organization} whom you know.`,
    },
  },
  plainLink: 'If the button does not work, copy this link into your browser:',
  notices: {
    password_set: {
      subject: (organization) => `Your password for ${organization} was set`,
      told: (organization) =>
        `A password was set for your account at ${organization}. Your previous password, if you had one, no longer works.`,
    },
    recovery_code_used: {
      subject: (organization) => `A recovery code was used to sign in to ${organization}`,
      told: (organization) =>
        `One of your recovery codes for ${organization} was used instead of a code from your phone. It cannot be used again.`,
    },
    totp_enrolled: {
      subject: (organization) => `Two-step verification was set up at ${organization}`,
      told: (organization) =>
        `Two-step verification was set up for your account at ${organization}. From now on, you enter a code when you sign in.`,
    },
    totp_enrollment_forced: {
      subject: (organization) => `New two-step verification was started at ${organization}`,
      told: (organization) =>
        `Someone started to set up new two-step verification for your account at ${organization}. Your current one works until the new one is confirmed.`,
    },
    recovery_codes_renewed: {
      subject: (organization) => `You have new recovery codes for ${organization}`,
      told: (organization) =>
        `New recovery codes were made for your account at ${organization}. The ones that you had no longer work.`,
    },
    account_deleted: {
      subject: (organization) => `Your account at ${organization} was deleted`,
      told: (organization) =>
        `Your account at ${organization} was deleted on its account page, and you were signed out everywhere.`,
    },
    email_change_tried: {
      subject: (organization) => `Someone wanted to use your e-mail address at ${organization}`,
      told: (organization) =>
        `Someone who is signed in to another account at ${organization} asked to change its e-mail address to yours. Nothing was changed: the address belongs to your account.`,
      unexpected: () =>
        'If this was you, sign in to the account that has this address, or use another one. If not, you can ignore this e-mail.',
    },
    totp_enrollment_removed: {
      subject: (organization) => `Two-step verification was removed at ${organization}`,
      told: (organization) =>
        `Two-step verification was removed from your account at ${organization}. Codes from your phone and your recovery codes no longer work, and you were signed out everywhere.`,
    },
    passkey_added: {
      subject: (organization) => `A passkey was added at ${organization}`,
      told: (organization) =>
        `A passkey was added to your account at ${organization}. Whoever has the device it is on can sign in with it.`,
    },
    passkey_removed: {
      subject: (organization) => `A passkey was removed at ${organization}`,
      told: (organization) =>
        `A passkey was removed from your account at ${organization}, and you were signed out everywhere else.`,
    },
    passkey_disabled: {
      subject: (organization) => `A passkey was blocked at ${organization}`,
      told: (organization) =>
        `A passkey of your account at ${organization} was blocked, because a copy of it seems to have been used. Sign in with another passkey to remove it, or contact your administrator. Then add a new one.`,
    },
    passkey_recovery_opened: {
      subject: (organization) => `You can replace your passkeys at ${organization}`,
      told: (organization) =>
        `Your administrator at ${organization} lets you add a new passkey without using one that you have lost. Within 24 hours, sign in with a link that we send by e-mail, and add it.`,
    },
    passkey_recovery_code_used: {
      subject: (organization) => `A recovery code was used at ${organization}`,
      told: (organization) =>
        `One of your recovery codes for ${organization} was used in place of a passkey. It cannot be used again. The person who used it can add a new passkey to your account.`,
    },
    identity_linked: {
      subject: (organization) => `Another way to sign in to ${organization} was added`,
      told: (organization) =>
        `An account at another provider was linked with your account at ${organization}. Whoever can use it there can sign in with it here.`,
    },
    identity_unlinked: {
      subject: (organization) => `A way to sign in to ${organization} was removed`,
      told: (organization) =>
        `An account at another provider was unlinked from your account at ${organization}, and you were signed out everywhere else. It no longer signs you in.`,
    },
  },
  unexpectedNotice: (organization) =>
    `If this was not you, contact your administrator at ${organization} immediately: someone else may be using your account.`,
  visit: (moment, browser, network) =>
    `When and where: ${moment}, in ${browser ?? 'a browser that we do not know'}, from the network ${network}.`,
  keptPasskeys: (names) =>
    `These passkeys of your account still work: ${names}. Remove those that you do not know on your account page:`,
  ownPage: 'You find your devices and how you sign in on your account page:',
  adminCode: {
    subject: (organization) => `Your code to set up single sign-on for ${organization}`,
    instruction: (organization) =>
      `You opened the invitation to set up single sign-on for ${organization}. Enter this code there:`,
    lifetime: (minutes) =>
      `It expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`} and works only in the browser that asked for it. Do not share it with anyone.`,
    unexpected:
      'If you did not open the invitation, someone else has the link. Nobody can get in without this code. Ask the people who invited you for a new invitation.',
  },
  addressCode: {
    subject: (organization) => `Your code for ${organization}`,
    instruction: (organization) => `Enter this code to confirm your e-mail address at ${organization}:`,
    lifetime: (minutes) =>
      `It expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`} and works only in the browser that asked for it. Do not share it with anyone.`,
    unexpected:
      'If you did not try to sign in, ignore this e-mail. Nobody can sign in with your address without this code.',
  },
  newAddressCode: {
    subject: (organization) => `Your code for ${organization}`,
    instruction: (organization) =>
      `You want to use this e-mail address for your account at ${organization}. Enter this code on your account page:`,
    lifetime: (minutes) =>
      `It expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`} and works only in the browser that asked for it. Do not share it with anyone.`,
    unexpected:
      'If you did not ask for this, ignore this e-mail. Nobody can use your address without this code.',
  },
  oldAddressCode: {
    subject: (organization) => `Your code to change your e-mail address at ${organization}`,
    instruction: (organization, newAddress) =>
      `The e-mail address of your account at ${organization} is to be changed to ${newAddress}. If you asked for this, enter this code on your account page:`,
    lifetime: (minutes) =>
      `It expires in ${minutes === 1 ? 'one minute' : `${minutes} minutes`} and works only in the browser that asked for it. Do not share it with anyone.`,
    unexpected:
      'If you did not ask for this, someone else is signed in to your account. Nothing changes without this code. Sign out all devices on your account page, and set a new password.',
  },
  emailChanged: {
    subject: (organization) => `Your e-mail address at ${organization} was changed`,
    told: (organization, address) =>
      `The e-mail address of your account at ${organization} was changed to ${address}. We will no longer write to you at this address.`,
    invitation: 'If this was not you, use this link to undo the change and sign out all devices:',
    button: 'This was not me',
    lifetime: (days) =>
      `This link works once, for ${days === 1 ? 'one day' : `${days} days`}. Do not share it with anyone.`,
    expected: 'If this was you, you can ignore this e-mail.',
  },
  emailReverted: {
    subject: (organization) => `Your e-mail address at ${organization} was changed back`,
    told: (organization, address) =>
      `The e-mail address of your account at ${organization} was changed back to ${address}, by the link that we had sent there. You were signed out everywhere; a password, passkeys, linked accounts and two-step verification that were added in the two weeks before the change, or since, were removed, and for three days the address cannot be changed again.`,
    unexpected: (organization) =>
      `If the account is yours and you can no longer sign in, contact your administrator at ${organization}.`,
  },
  deletionRequest: {
    subject: (organization) => `Someone at ${organization} asks for their account to be deleted`,
    told: (organization, address) =>
      `The user with the e-mail address ${address} asked on their account page that their account at ${organization} be deleted.`,
    next: 'Nothing happens by itself: delete the user where you manage them, or tell them why not.',
  },
  metadataNotice: {
    subject: (organization) => `Metadata was uploaded for single sign-on of ${organization}`,
    told: (organization, connection) =>
      `An administrator uploaded the metadata of an identity provider for single sign-on of ${organization}, connection ${connection}.`,
    inUse: 'It is in use: this identity provider now decides who can sign in.',
    waits:
      'Nothing has changed for your users yet: the previous metadata stays in use until the people who invited you activate the new one.',
    unexpected:
      'If none of you did this, contact the people who invited you immediately: anyone who can upload metadata can sign in as any user.',
  },
  clientNotice: {
    subject: (organization) => `A client was entered for single sign-on of ${organization}`,
    told: (organization, connection) =>
      `An administrator entered the client of an OpenID provider for single sign-on of ${organization}, connection ${connection}.`,
    inUse: 'It is in use: this provider now decides who can sign in.',
    waits:
      'Nothing has changed for your users yet: the previous client stays in use until the people who invited you activate the new one.',
    unexpected:
      'If none of you did this, contact the people who invited you immediately: anyone who can choose the provider can sign in as any user.',
  },
  domainNotice: {
    subject: (domain) => `The DNS record of ${domain} is missing`,
    told: (domain, organization) =>
      `We can no longer find the DNS record that proves that ${domain} belongs to ${organization}.`,
    record: (name, value) => `Add this TXT record again. Name: ${name}, value: ${value}`,
    lapses: (day) =>
      `Nothing changes until ${day}. If the record is still missing then, we no longer trust addresses at this domain that come from single sign-on or directory sync. Users who have signed in before can still sign in.`,
    lapsed:
      'Until the record is back, we do not trust addresses at this domain that come from single sign-on or directory sync. Users who have signed in before can still sign in; new users may be refused.',
  },
  impersonation: {
    subject: (organization) => `A member of our staff used your account at ${organization}`,
    told: (organization, moment, minutes) =>
      `On ${moment}, a member of our staff signed in to your account at ${organization} for at most ${minutes === 1 ? 'one minute' : `${minutes} minutes`}.`,
    allowed:
      'Your password and your own sessions are not affected. All actions were recorded under their name.',
    unexpected: (organization) =>
      `If you did not expect this, contact your administrator at ${organization}: they can find out why, and can prevent it in the future.`,
  },
  sandbox: 'Test message from a sandbox, not from the real service.',
  sentBy: (product, organization) => `Sent by ${product} for ${organization}`,
}
