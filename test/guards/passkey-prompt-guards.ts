import { guard, protocolTest } from './guard.js'

const atEnd = (title: string) => protocolTest('passkey-prompt', `a passkey at the end of a sign-in ${title}`)
const isOffered = atEnd('is offered, and added without another sign-in, to who has none')
const isLate = atEnd(
  'is not added ten minutes later, nor before a second factor that is demanded meanwhile; the sign-in goes on',
)
const offer = 'server/src/sign-in/passkeys/offer-in-flow.ts'

/** Guards of the offer of a passkey: to whom, and after what. */
export const passkeyPromptGuards = [
  guard({
    name: 'offer of a passkey: a mailbox that is proved',
    file: offer,
    find: "    .where('users.email_proved_at', 'is not', null)\n",
    replace: '',
    red: atEnd('is not offered before the mailbox is proved, nor where passkeys are off'),
    green: isOffered,
  }),
  guard({
    name: 'offer of a passkey: no step-up of a session',
    file: offer,
    find: "    .where('flow.session_id', 'is', null)\n",
    replace: '',
    red: atEnd('is not offered where a session only gets a factor more'),
    green: isOffered,
  }),
  guard({
    name: 'offer of a passkey: a sign-in of the last minutes',
    file: offer,
    find: "  if (held.authenticated_at === null || !isLately(deps.now(), held.authenticated_at)) return 'over'\n",
    replace: '  void isLately\n',
    red: isLate,
    green: isOffered,
  }),
  guard({
    name: 'offer of a passkey: after every factor that is demanded',
    file: offer,
    find: "  if (!held.amr.includes('mfa') && isFactorMissing(await nextFactorOf(deps, trx, tenant, user.id))) return 'over'\n",
    replace: '  void isFactorMissing\n  void nextFactorOf\n',
    red: isLate,
    green: isOffered,
  }),
  guard({
    name: 'offer of a passkey: one besides a passkey that the user has',
    file: offer,
    find: "  if (await holdsPasskey(deps, trx, { tenant, userId: user.id })) return 'over'\n",
    replace: '  void holdsPasskey\n',
    red: atEnd('lets who has got one meanwhile go on, and says what is wrong with an answer'),
    green: isOffered,
  }),
]
