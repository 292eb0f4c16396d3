import { lateForms } from './account-page-guards.js'
import { guard, protocolTest } from './guard.js'

const file = 'passkey-recovery-codes'
const come = (title: string) => protocolTest(file, `the recovery codes of passkeys ${title}`)
const code = (title: string) => protocolTest(file, `a recovery code in place of a passkey ${title}`)
const own = (title: string) => protocolTest(file, `the recovery codes on the account page ${title}`)
const isUsed = code('leads to a page that adds another one, once, and signs nobody in by itself')
const isBlocked = code('takes the place of a passkey that was blocked')
const isLocked = code(
  'is looked at five times, and then for 15 minutes not, right or wrong; the passkey passes',
)
const areMade = come('come with the first passkey that is demanded, are shown once, and are to be saved')
const areOffered = own('are offered to who has a passkey that is demanded, and to nobody else')
const areCounted = own('are counted, and made anew by a fresh session, which is told by mail')

const use = 'server/src/sign-in/passkeys/use-recovery-code.ts'
const codes = 'server/src/sign-in/passkeys/recovery-codes.ts'
const enroll = 'server/src/sign-in/passkeys/enroll-in-flow.ts'
const forget = 'server/src/directory/forget-passkeys.ts'

/** Guards of recovery codes in place of a passkey: whose they are, how often they are good, and what for. */
export const passkeyCodeGuards = [
  guard({
    name: 'recovery codes of passkeys: once',
    file: use,
    find: 'codes_sealed: seal(keys.master, context, left), failures: 0',
    replace: 'failures: 0 * Number(typeof seal === typeof context)',
    red: isUsed,
    green: isBlocked,
  }),
  guard({
    name: 'recovery codes of passkeys: one in a sign-in',
    file: use,
    find: "{ steps: ['totp'] }",
    replace: "{ steps: ['totp', 'enroll'] }",
    // The sign-in that waits is ended by the first.
    also: [
      { file: use, find: "  if (pendingSignInId === null) return 'over'\n", replace: '' },
      {
        file: use,
        find: "  if (used === 'used' && !(await endPendingSignIn(deps, trx, tenant, { pendingSignInId, userId: user.id })))\n    throw signInOver\n",
        replace: '',
      },
    ],
    red: code('is one of two that a sign-in sends at once, and the other one still works'),
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: a first factor that signs in still',
    file: 'server/src/sign-in/flows/pending-sign-in.ts',
    find: "    .where(isAnyWayOpen())\n    .returning('pending.id')",
    replace: "    .returning('pending.id')",
    red: code('is taken of no sign-in whose password signs nobody in by now, and stays good'),
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: the lock after wrong ones',
    file: use,
    find: "  if (failures < maxFailures) return 'wrong'\n",
    replace: "  if (failures < maxFailures + lockMs) return 'wrong'\n",
    red: isLocked,
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: nothing is compared in the lock',
    file: use,
    find: "    .where((is) => is.or([is('locked_until', 'is', null), is('locked_until', '<=', at)]))\n",
    replace: '',
    red: isLocked,
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: a first factor of the last minutes',
    file: use,
    find: '  if (authenticatedAt === null || !isLately(deps.now(), authenticatedAt)) return false\n',
    replace: '  void isLately\n  void authenticatedAt\n',
    red: code('does not refresh a session of more than ten minutes, which signs in anew for it'),
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: a user who is asked for no code of TOTP',
    file: use,
    find: 'return mayEnrollBesides(user) && holdsPasskey',
    replace: 'return user.active && holdsPasskey',
    also: [
      {
        file: use,
        find: "import { mayEnrollBesides } from '../totp/enroll-in-flow.js'\n",
        replace: '',
      },
    ],
    red: code('is not for who has enrolled an app by now'),
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: a user who holds a passkey',
    file: use,
    find: 'return mayEnrollBesides(user) && holdsPasskey(deps, db, { tenant, userId: user.id })',
    replace:
      'return mayEnrollBesides(user) && (db === undefined || tenant !== undefined || holdsPasskey === undefined)',
    red: code('is not used where passkeys are switched off by now'),
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: no second factor',
    file: use,
    find: 'set: { is_recovery_code_used: true, pending_sign_in_id: null },',
    replace: "set: { is_recovery_code_used: true, pending_sign_in_id: null, amr: ['pwd', 'otp', 'mfa'] },",
    red: isUsed,
    green: isBlocked,
  }),
  guard({
    name: 'recovery codes of passkeys: the user of the sign-in',
    file: 'server/src/sign-in/flows/pending-sign-in.ts',
    find: '      is_recovery_code_used: false,\n',
    replace: '',
    red: code('is for the sign-in of its user, and not for who signs in after them in the same browser'),
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: none beside codes of TOTP',
    file: enroll,
    find: "next === 'totp' || (next",
    replace: '(next',
    red: come(
      'come with one that an application or the policy demands, and not where nothing does, nor beside an app',
    ),
    green: areMade,
  }),
  guard({
    name: 'recovery codes of passkeys: those of before, where new ones are made',
    file: codes,
    find: '.doUpdateSet(made))',
    replace: '.doUpdateSet({ failures: made.failures }))',
    red: areMade,
    green: isBlocked,
  }),
  guard({
    name: 'recovery codes of passkeys: a fresh session makes new ones',
    file: 'server/src/sign-in/own-account/own-passkeys.ts',
    find: "  return changeOwnAccount(deps, tenant, session, 'fresh_session', async (within, trx) => {\n    if ((await findPasskeyCodes",
    replace:
      "  return changeOwnAccount(deps, tenant, session, 'session', async (within, trx) => {\n    if ((await findPasskeyCodes",
    also: [lateForms],
    red: areCounted,
    green: areOffered,
  }),
  guard({
    name: 'recovery codes of passkeys: on the account page, none beside codes of TOTP',
    file: codes,
    find: "  if (next === 'totp') return undefined\n",
    replace: '',
    red: areOffered,
    green: areCounted,
  }),
  guard({
    name: 'recovery codes of passkeys: their end with the passkeys',
    file: forget,
    find: '  await forgetPasskeyCodes(trx, tenant, userId)\n',
    replace: '',
    red: code('ends with the passkeys when the owner of the mailbox proves it for the first time'),
    green: isUsed,
  }),
  guard({
    name: 'recovery codes of passkeys: their end with what was added since',
    file: 'server/src/sign-in/own-account/remove-added.ts',
    find: '  await forgetPasskeyCodes(trx, tenant, userId, since)\n',
    replace: '  void forgetPasskeyCodes\n',
    red: protocolTest(
      'account-email',
      'the link of the mail about a changed address removes the passkey and the password that were added for the change, so that the thief has none and the owner is asked for none',
    ),
    green: protocolTest(
      'account-email',
      'the link of the mail about a changed address removes an app and an account elsewhere that were added for the change, and no passkey that was there 14 days before',
    ),
  }),
]
