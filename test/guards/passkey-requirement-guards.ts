import { guard, protocolTest } from './guard.js'

const due = 'server/src/directory/sessions/factor-due.ts'
const pending = 'server/src/sign-in/flows/pending-sign-in.ts'
const demanded = (title: string) =>
  protocolTest('passkey-requirement', `an organization that demands passkeys ${title}`)
const last = (title: string) =>
  protocolTest('passkey-requirement', `the last passkey of who has no code ${title}`)
const byApi = (title: string) =>
  protocolTest('passkey-requirement', `the API of an organization that demands passkeys ${title}`)
const byPolicy = (title: string) =>
  protocolTest('passkey-requirement', `an organization whose policy demands a second factor ${title}`)
const isAdded = demanded('has who has none add one, which may be put off as long as the grace lasts')
const isAsked = demanded('asks for it after a password and after a link, and not after itself')
const isTakenInAddition = demanded(
  'has a session of before take the passkey in addition, and one of who has none sign in anew',
)

/** Guards of organizations that demand passkeys of their users. */
export const passkeyRequirementGuards = [
  guard({
    name: 'passkeys that are demanded: asked of who has one',
    file: pending,
    find: "  if (asked?.is_passkey_asked === true) return { ...demand, next: 'passkey' }\n",
    replace: '',
    red: isAsked,
    green: isAdded,
  }),
  guard({
    name: 'passkeys that are demanded: by the policy of a second factor',
    file: due,
    find: "${ofOwner(ownerOfRow(row), 'policy')} and policy.second_factor = 'required'`)",
    replace: "${ofOwner(ownerOfRow(row), 'policy')} and policy.second_factor = 'never'`)",
    red: byPolicy('asks who has a passkey alone for it in its grace, in the API and of an open session, too'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys that are demanded: asked of open sessions',
    file: 'server/src/protocols/oauth/session-fit.ts',
    find: 'const isAsked = isTotpAsked || isEnrollmentDue || isPasskeyAsked',
    replace: 'const isAsked = isTotpAsked || isEnrollmentDue || isPasskeyAsked === undefined',
    red: isTakenInAddition,
    green: isAdded,
  }),
  guard({
    name: 'passkeys that are demanded: decided once more when a sign-in ends',
    file: due,
    find: 'least(${enrollByOfUserOf(row, rpId)}, ${addPasskeyByOfUserOf(row, rpId)})',
    replace: '${enrollByOfUserOf(row, rpId)}',
    red: demanded('decides once more when the sign-in ends'),
    green: isAsked,
  }),
  guard({
    name: 'passkeys that are demanded: a grace that a second request does not begin anew',
    file: 'server/src/sign-in/passkeys/connection.ts',
    find: 'then coalesce(required_at, ${at}::timestamptz) end`',
    replace: 'then ${at}::timestamptz end`',
    red: demanded('counts the grace from the switch, or from a later creation of the user'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys that are demanded: a new password does not get around them',
    file: pending,
    find: "return next !== undefined && next !== 'offer'",
    replace: "return next === 'totp' || next === 'enroll'",
    red: byApi('says the same of a link in its redirect, and a password that is set signs nobody in'),
    green: isAdded,
  }),
  guard({
    name: 'passkeys that are demanded: the last one',
    file: 'server/src/sign-in/own-account/own-passkeys.ts',
    find: "    if (await isDemandedPasskey(within, trx, tenant, { userId, id })) return 'demanded'\n",
    replace: '',
    red: last('is not removed by its user while passkeys or a second factor are demanded, and by the API'),
    green: last('is removed where nothing demands it, or another one is there'),
  }),
  guard({
    name: 'passkeys that are demanded: a code in their place',
    file: 'server/src/sign-in/own-account/own-account.ts',
    find: "${arePasskeysDemandedOf('users')} and not ${isPasskeyUsableByUserOf",
    replace: "${arePasskeysDemandedOf('users')} and ${isPasskeyUsableByUserOf",
    red: last('leaves a code where it is, which its user does not turn off'),
    green: isAdded,
  }),
]
