import { contractTest, guard } from './guard.js'

const validateEnrollment = 'server/src/sign-in/totp/validate-enrollment.ts'
const validateChallenge = 'server/src/sign-in/totp/validate-challenge.ts'
const removeEnrollment = 'server/src/sign-in/totp/remove-enrollment.ts'
const smsLimits = 'server/src/delivery/sms/sms-limits.ts'

const begun = (title: string) => contractTest('totp-enrollment', `the enrolment of an app ${title}`)
const asked = (title: string) => contractTest('totp-challenge', `a challenge ${title}`)
const shown = (title: string) => contractTest('totp-challenge', `a code of the app ${title}`)
const wrong = (title: string) => contractTest('totp-challenge', `five wrong codes ${title}`)
const removed = (title: string) => contractTest('totp-removal', `the removal of an enrolment ${title}`)
const texted = (title: string) => contractTest('totp-sms', `a code by text message ${title}`)

const costly = (title: string) => contractTest('totp-sms-limits', `a message that costs somebody ${title}`)
const messages = (title: string) => contractTest('message-limits', `a text message ${title}`)

const isBegun = begun('begins with a key URI and five recovery codes, which no later answer repeats')
const isPassed = asked(
  'is passed by the present code of the app, with another request_id and no code of its own',
)
const isTexted = texted('is in the message and in no answer, and passes the challenge once')

const isRemoved = removed('answers what is removed, and no code is asked at the next sign-in')

/** Guards of the second factor: enrolment, and validity and single use of codes. */
export const totpGuards = [
  guard({
    name: 'TOTP: count before the comparison, of first codes',
    file: validateEnrollment,
    find: '.set({ pending_failures: sql`pending_failures + 1` })',
    replace: '.set({ pending_failures: 1 })',
    red: begun('of 30 codes that come together, looks at five'),
    green: isBegun,
  }),
  guard({
    name: 'TOTP: first code that signs in as well',
    file: validateEnrollment,
    find: 'last_step: step,',
    replace: 'last_step: 0,',
    red: begun('takes its first code once: it does not sign in as well'),
    green: isBegun,
  }),
  guard({
    name: 'TOTP: step of a code, earlier than a used one',
    file: validateChallenge,
    find: ".where('last_step', '<', String(step))",
    replace: ".where('last_step', '<>', String(step))",
    red: shown('is worth nothing once a later one was used'),
    green: isPassed,
  }),
  guard({
    name: 'TOTP: count before the comparison',
    file: validateChallenge,
    find: '.set({ failures: sql`failures + 1` })',
    replace: '.set({ failures: 1 })',
    red: wrong('are five of thirty that come together'),
    green: isPassed,
  }),
  guard({
    name: 'TOTP: open challenges of a removed enrolment',
    file: removeEnrollment,
    find: '    await updateOpenChallenges(trx, tenant, { userId: user.id, at }).set({ voided_at: at }).execute()\n',
    replace: '',
    // Another enrolment voids what is left of the one before, too.
    also: [
      {
        file: validateEnrollment,
        find: '  await updateOpenChallenges(trx, tenant, { userId: user.id, at }).set({ voided_at: at }).execute()\n',
        replace: '',
      },
    ],
    red: removed('takes recovery codes, open challenges and a replacement that was begun along'),
    green: isRemoved,
  }),
  guard({
    name: 'TOTP: sessions of before a removal',
    file: removeEnrollment,
    find: '    await endSessionsOf(deps, trx, tenant, user.id, kept)\n',
    replace: '',
    red: removed('ends the sessions of the user, and those of nobody else'),
    green: isRemoved,
  }),
  guard({
    name: 'TOTP: a renewal of before a removal',
    file: removeEnrollment,
    find: '    await voidRenewals(deps, trx, tenant, user.id)\n',
    replace: '',
    red: removed('voids a code to renew the password that both factors have given'),
    green: isRemoved,
  }),
  guard({
    name: 'SMS: messages to a user',
    file: smsLimits,
    find: 'await limits.take(messages, userKey({ ...organization, userId }))',
    replace: 'await limits.take(messages, userKey({ ...organization, userId: `${userId}${phoneNumber}` }))',
    red: messages('is one of three an hour to a user, whatever their number'),
    green: messages(
      'is one of three an hour to a number, at whichever organizations and users of the account',
    ),
  }),
  guard({
    name: 'SMS: messages to a number, of the whole account',
    file: smsLimits,
    find: 'numberKey({ ...organization, phoneNumber })',
    replace: '{ ...organization, address: phoneNumber }',
    red: costly('429: is one of three to a number, which users of many organizations have'),
    green: isTexted,
  }),
]
