import { guard, protocolTest } from './guard.js'

const recovers = (title: string) => protocolTest('passkey-recovery', `the recovery of passkeys ${title}`)
const isAdded = recovers('has a sign-in by a link add a passkey in place of those that are lost, once')
const isForMailbox = recovers('is not for a password, and sets up no codes')
const takesCode = recovers('takes the code, besides, of a user who has enrolled one')
const statement = 'server/src/sign-in/flows/recovers-passkeys.ts'

/** Guards of the recovery of lost passkeys. */
export const passkeyRecoveryGuards = [
  guard({
    name: 'recovery of passkeys: by a mailbox',
    file: statement,
    find: "  if (!amr.includes('email')) return false\n",
    replace: '',
    red: isForMailbox,
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: a mailbox that is proved since it was opened',
    file: statement,
    find: "    .where('recovery.inserted_at', '<=', authenticatedAt)\n",
    replace: '',
    red: recovers('is not for a mailbox that was proved before it was opened'),
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: its end',
    file: statement,
    find: "    .where('recovery.expires_at', '>', now())\n",
    replace: '',
    red: recovers(
      'is told by an event, a log event and a mail, and lasts for 24 hours from the last time it was opened',
    ),
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: no step-up of a session',
    file: statement,
    find: ' || sessionId !== null) return false',
    replace: ') return false',
    red: recovers('is not for a session that a code is added to'),
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: by a proof of the sign-in itself',
    file: 'server/src/sign-in/account-flows/enter.ts',
    find: '    if (await recoversPasskeys(deps, trx, of, older)) return\n',
    replace: '    void recoversPasskeys\n    void older\n',
    red: recovers('is not for a mailbox that was proved for an earlier sign-in'),
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: after the code of a user who has one',
    file: 'server/src/sign-in/flows/pending-sign-in.ts',
    find: "isMissing && !isVain && (next === 'totp' || isHeld)\n",
    replace: "isMissing && !isVain && !isRecovering && (next === 'totp' || isHeld)\n",
    red: takesCode,
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: the code, also where it is asked for since',
    file: 'server/src/sign-in/passkeys/enroll-in-flow.ts',
    find: "!user.active || !(held.amr.includes('mfa') || mayEnrollBesides(user))",
    replace: '!user.active',
    red: recovers('is not completed without a code that is asked for meanwhile'),
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: once',
    file: 'server/src/sign-in/passkeys/insert-passkey.ts',
    find: "    await trx.deleteFrom('passkey_recoveries').where(ofOwner(owner)).where('user_id', '=', userId).execute()\n",
    replace: '    void ofOwner\n',
    red: isAdded,
    green: isForMailbox,
  }),
  guard({
    name: 'recovery of passkeys: no codes are set up by it',
    file: 'server/src/sign-in/totp/enroll-in-flow.ts',
    find: '    if (await holdsPasskey(deps, trx, { tenant, userId: flow.userId })) return { record: undefined }\n',
    replace: '',
    red: isForMailbox,
    green: isAdded,
  }),
]
