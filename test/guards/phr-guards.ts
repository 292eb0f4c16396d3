import { guard, protocolTest } from './guard.js'

const demanded = (title: string) =>
  protocolTest('phishing-resistant', `an application that demands a sign-in which cannot be phished ${title}`)
const isStrongest = demanded('gets one by a passkey alone, which is told as that where it is asked for')
const passes = protocolTest(
  'passkey-second-factor',
  'a passkey as the second factor stands beside the code of who has both, and either passes',
)

/** Guards of sign-ins that cannot be phished, where an application demands one. */
export const phrGuards = [
  guard({
    name: 'passkeys: a sign-in without one for an application that demands it',
    file: 'server/src/sign-in/flows/finish.ts',
    find: 'demandsPasskey(consumedFlow.claims) && !isPhishingResistant',
    replace: "userId === '' && !isPhishingResistant",
    red: demanded(
      'has who has a passkey and codes use the passkey after the password, whatever the form says',
    ),
    green: isStrongest,
  }),
  guard({
    name: 'passkeys: a session without one for an application that demands it',
    file: 'server/src/protocols/oauth/session-fit.ts',
    find: "  if (isPasskeyRequired) return isPhishingResistant(amr) ? 'enough' : 'second_factor'\n",
    replace: '',
    red: demanded(
      'takes the passkey in addition to a session that has a code, and no other sign-in after it',
    ),
    green: isStrongest,
  }),
  guard({
    name: 'passkeys: an acr that the client has not asked for',
    file: 'server/src/tokens/acr.ts',
    find: 'phr !== undefined && isPhishingResistant(amr)',
    replace: 'isPhishingResistant(amr)',
    red: isStrongest,
    green: passes,
  }),
]
