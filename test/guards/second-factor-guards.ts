import { contractTest, guard } from './guard.js'

const pending = 'server/src/sign-in/flows/pending-sign-in.ts'
const verification = 'server/src/sign-in/password/verification.ts'
const endSessions = 'server/src/directory/end-sessions.ts'
const setPassword = 'server/src/sign-in/password/set-password.ts'
const changeUser = 'server/src/directory/users/change-user.ts'
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
    name: 'second factor: the one use of a sign-in that waits',
    file: pending,
    find: ".where('pending.used_at', 'is', null)",
    replace: '',
    red: waiting('ends once, however many challenges were made of it'),
    green: bothFactors,
  }),
  guard({
    name: 'second factor: used_at of the sign-in of a challenge',
    file: pending,
    find: ".where('used_at', 'is', null) .where('expires_at', '>', now())",
    replace: ".where('expires_at', '>', now())",
    red: waiting(
      '422: one of another user, one that is over or used, and one that never was, are answered alike',
    ),
    green: bothFactors,
  }),
  guard({
    name: 'second factor: expiry of the sign-in of a challenge',
    file: pending,
    find: ".where('used_at', 'is', null) .where('expires_at', '>', now())",
    replace: ".where('used_at', 'is', null)",
    red: waiting(
      '422: one of another user, one that is over or used, and one that never was, are answered alike',
    ),
    green: bothFactors,
  }),
  guard({
    name: 'second factor: user of the sign-in of a challenge',
    file: pending,
    find: ".where('id', '=', pendingSignInId) .where('user_id', '=', userId)",
    replace: ".where('id', '=', pendingSignInId)",
    red: waiting(
      '422: one of another user, one that is over or used, and one that never was, are answered alike',
    ),
    green: bothFactors,
  }),
  guard({
    name: 'second factor: allowed e-mail domains',
    file: pending,
    find: 'if (!isEmailDomainAllowed(consumedFlow.allowed_email_domains, consumedFlow.email_normalized)) return undefined',
    replace: '',
    red: states('the address may not sign in any more: no well-formed request but a listed move leads on'),
    green: bothFactors,
  }),
  guard({
    name: 'second factor: sign-ins that wait end with the password before',
    file: endSessions,
    find: 'await voidPendingSignIns(deps, trx, tenant, userId)',
    replace: '',
    red: states('another password was set: no well-formed request but a listed move leads on'),
    green: bothFactors,
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
    name: 'password: codes end with a deactivation',
    file: changeUser,
    find: 'await voidPasswordRequests(deps, trx, tenant, normalizeEmail(row.email))',
    replace: '',
    red: contractTest(
      'sign-in-states',
      'the user was deactivated for a while: no well-formed request but a listed move leads on',
    ),
    green: contractTest('sign-in-states', 'its link was opened: password: the code leads to code'),
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
  guard({
    name: 'limit: the right password while the address is locked',
    file: verification,
    find: "if (attempt.isLocked) return 'address_locked'",
    replace: '',
    red: limits('201: after five wrong ones the right password is answered as wrong, byte for byte'),
    green: limits('201: the right one makes the wrong ones before forgotten'),
  }),
]
