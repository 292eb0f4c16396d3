import { guard, protocolTest } from './guard.js'

const recovery = 'server/src/directory/sessions/passkey-recovery.ts'
const recovers = (title: string) => protocolTest('passkey-recovery', `the recovery of passkeys ${title}`)
const isAdded = recovers('has who signs in by a link add one in place of those that are lost, once')
const isForMailbox = recovers(
  'is not for a password, nor for a mailbox that was proved before, nor for a code in place of a passkey',
)

/** Guards of the recovery of lost passkeys. */
export const passkeyRecoveryGuards = [
  guard({
    name: 'recovery of passkeys: by a mailbox',
    file: recovery,
    find: "('email' = any(${amr}) and ",
    replace: '(${amr} is not null and ',
    red: isForMailbox,
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: proved since it was opened',
    file: recovery,
    find: '\n      and recovery.inserted_at <= ${since}',
    replace: '\n      and ${since} is not null',
    red: recovers('is not met on the account page by a session of before'),
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: its end',
    file: recovery,
    find: '      and recovery.expires_at > ${at}\n',
    replace: '      and ${at}::timestamptz is not null\n',
    red: recovers(
      'is told by an event, a log event and a mail, and lasts for 24 hours from the last time it was opened',
    ),
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: once',
    file: 'server/src/sign-in/passkeys/insert-passkey.ts',
    find: "  await trx.deleteFrom('passkey_recoveries').where(ofOwner(owner)).where('user_id', '=', userId).execute()\n",
    replace: '',
    red: isAdded,
    green: recovers('is not met on the account page by a session of before'),
  }),
  guard({
    name: 'recovery of passkeys: for nothing but a passkey',
    file: 'server/src/pages/steps/enroll.ts',
    find: 'mayEnroll(user) && !isRecovery ?',
    replace: 'mayEnroll(user) ?',
    red: isForMailbox,
    green: isAdded,
  }),
  guard({
    name: 'recovery of passkeys: by a proof of the sign-in itself',
    file: 'server/src/sign-in/account-flows/enter.ts',
    find: '    if (await isPasskeyRecoveryOpen(deps, trx, { tenant, userId: user.id })) return\n',
    replace: '',
    red: recovers('is not met by a mailbox that was proved for an earlier sign-in'),
    green: isAdded,
  }),
]
