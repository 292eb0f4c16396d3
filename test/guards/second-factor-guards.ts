import { contractTest, guard } from './guard.js'

const pending = 'server/src/sign-in/flows/pending-sign-in.ts'
const setPassword = 'server/src/sign-in/password/set-password.ts'
const hasher = 'server/src/platform/passwords/password-hash.ts'

const states = (title: string) => contractTest('second-factor-states', title)
const waiting = (title: string) => contractTest('totp-sign-in', `a sign-in that waits for a code ${title}`)
const limits = (title: string) => contractTest('sign-in-limits', `a password challenge ${title}`)

const bothFactors = waiting('ends in an authorization code, once the second factor is passed as well')

/** That whoever has a second factor passes both, in one sign-in, and once. */
export const secondFactorGuards = [
  guard({
    name: 'second factor: asked for',
    file: pending,
    find: 'if (await isTotpAskedOf(trx, signIn.tenant, signIn.userId))',
    replace: "if (signIn.userId === '')",
    red: states('nothing has begun: a magic link leads to first factor'),
    green: contractTest(
      'password-challenge',
      'a right password 201: its code retrieves tokens that say how the user signed in',
    ),
  }),
  guard({
    name: 'second factor: asked for after a new password',
    file: setPassword,
    find: 'const code = (await isTotpAskedOf(trx, tenant, userId))',
    replace: "const code = userId === ''",
    red: states('a new password may be set: no well-formed request but a listed move leads on'),
    green: bothFactors,
  }),
  guard({
    name: 'second factor: connection of the first one',
    file: pending,
    find: '.where(isAnyWayOpen())',
    replace: '.where(isAnyWayOpen() && sql<boolean>`true`)',
    red: states('passwords were switched off: no well-formed request but a listed move leads on'),
    green: bothFactors,
  }),
  guard({
    name: 'limit: room for a hash',
    file: hasher,
    find: 'if (total >= room || theirs >= room / 2) {',
    replace: 'if (room === 0) {',
    red: contractTest(
      'sign-in-limits',
      'while there is no room for another hash 429: who is sent away has made no attempt, and signs in when there is',
    ),
    green: limits('201: the right one makes the wrong ones before forgotten'),
  }),
]
