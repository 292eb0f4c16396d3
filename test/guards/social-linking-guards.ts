import { guard, protocolTest } from './guard.js'

const linked = (title: string) => protocolTest('social-sign-in', `an address that a user has ${title}`)

/** Guards of the link of an account at a social provider. */
export const socialLinkingGuards = [
  guard({
    name: 'passkeys: the user to whom an account at a social provider is linked',
    file: 'server/src/pages/steps/link-account.ts',
    find: "const isOwn = 'refused' in proof || proof.proved.userId === arrival?.userId",
    replace: "const isOwn = 'refused' in proof || arrival !== undefined",
    red: linked('is linked by a passkey of its user, and not by one of a colleague'),
    green: linked('links nobody by the word of the provider, and the user by their password'),
  }),
  guard({
    name: 'passkeys: an account at a social provider that the organization does not use is no way to sign in',
    file: 'server/src/sign-in/methods-of-user.ts',
    find: '${isMeant} and ${isProviderOpen()}',
    replace: '${isMeant}',
    red: linked('keeps its user in where it is all that is left, as long as it is used'),
    green: linked('is linked by a passkey of its user, and not by one of a colleague'),
  }),
  guard({
    name: 'social: an account that outlives single sign-on',
    file: 'server/src/sign-in/flows/social-arrival.ts',
    find: '  if (await isSsoUser(trx, tenant, userId)) return\n',
    replace: '',
    red: protocolTest(
      'social-takeover',
      'an account at a social provider is not linked to whoever comes by single sign-on, as on the account page',
    ),
    green: linked('links nobody by the word of the provider, and the user by their password'),
  }),
]
