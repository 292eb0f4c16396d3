import { contractTest, guard, protocolTest } from './guard.js'

const limits = 'server/src/delivery/limits/limits.ts'
const attempts = 'server/src/sign-in/flows/attempts.ts'
const counter = 'server/src/delivery/limits/counter.ts'
const mailLimits = 'server/src/delivery/mail/mail-limits.ts'
const challenge = 'server/src/sign-in/magic-link/challenge.ts'

const attempt = (title: string) => contractTest('limits', `an attempt to sign in ${title}`)
const mail = (title: string) => contractTest('message-limits', `a mail with a link ${title}`)

const fifthLocks = attempt('is looked at five times within 15 minutes at an address; the fifth locks it')
const forgottenInTime = attempt('is forgotten after 15 minutes')
const lockedLonger = attempt(
  'is locked out for twice as long each time within a day, and for four hours at most',
)
const apart = (what: string) => attempt(`is counted apart from those of another ${what}`)
const toldBesideKey = mail('201: says beside the limit of the key how many more there may be')

/** Guards of limits: counting of attempts, and information in refusals. */
export const limitGuards = [
  guard({
    name: 'limit: the lock by the last attempt',
    file: attempts,
    find: 'const seconds = await lock(deps, at)',
    replace: 'const seconds = state.resetSeconds',
    red: lockedLonger,
    green: fifthLocks,
  }),
  guard({
    name: 'limit: attempts of another account',
    file: limits,
    find: 'scope: accountId',
    replace: "scope: ''",
    red: apart('account'),
    green: apart('environment'),
  }),
  guard({
    name: 'limit: digests instead of addresses',
    file: limits,
    find: "fingerprints(deps.keys.master, context, whose)[0].toString('base64url')",
    replace: 'whose',
    red: contractTest('limits', 'what is counted does not tell at whose address'),
    green: fifthLocks,
  }),
  guard({
    name: 'limit: the clock of the service',
    file: counter,
    find: 'now().getTime() - libraryNow',
    replace: '0',
    red: forgottenInTime,
    green: fifthLocks,
  }),
  guard({
    name: 'limit: mails to an address without a user',
    file: challenge,
    find: 'checkConnection(addressee, email)',
    replace: 'checkConnection(addressee, email); checkUser(addressee, caller)',
    red: mail('429: an address without a user is counted like one with'),
    green: toldBesideKey,
  }),
  guard({
    name: 'limit: mails of production, which are sent',
    file: mailLimits,
    find: "environment === 'sandbox' ? sandboxMailFactor : 1",
    replace: 'sandboxMailFactor',
    red: mail('201: where the sandbox keeps its mail, thirty within 15 minutes, and three in production'),
    green: toldBesideKey,
  }),
  guard({
    name: 'limit: mails of a sandbox that sends them',
    file: 'server/src/platform/config/config.ts',
    find: "values.SANDBOX_MAIL === 'keep' ? 10 : 1",
    replace: '10',
    red: toldBesideKey,
    green: mail('201: where the sandbox keeps its mail, thirty within 15 minutes, and three in production'),
  }),
  guard({
    name: 'limit: mails of a network, kept ones apart',
    file: mailLimits,
    find: 'isKept ? { ...networkKey(ip), environment } : networkKey(ip)',
    replace: 'networkKey(ip)',
    red: protocolTest(
      'flow-link-limits',
      'limits of the mails of pages where the sandbox keeps its mail, an IP address asks for ten times as many, apart from those of production',
    ),
    green: protocolTest(
      'flow-link-limits',
      'limits of the mails of pages where it sends its mail, all of an IP address are counted together',
    ),
  }),
]
