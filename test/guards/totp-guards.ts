import { contractTest, guard, unitTest } from './guard.js'

const enrollment = 'server/src/sign-in/totp/enrollment.ts'
const validateEnrollment = 'server/src/sign-in/totp/validate-enrollment.ts'
const validateChallenge = 'server/src/sign-in/totp/validate-challenge.ts'
const rows = 'server/src/sign-in/totp/rows.ts'
const deliver = 'server/src/delivery/sms/deliver.ts'
const smsLimits = 'server/src/delivery/sms/sms-limits.ts'
const verifiedPhone = 'server/src/directory/users/verified-phone.ts'

const begun = (title: string) => contractTest('totp-enrollment', `the enrolment of an app ${title}`)
const another = (title: string) =>
  contractTest('totp-enrollment', `another enrolment of a user who has one ${title}`)
const asked = (title: string) => contractTest('totp-challenge', `a challenge ${title}`)
const shown = (title: string) => contractTest('totp-challenge', `a code of the app ${title}`)
const recovery = (title: string) => contractTest('totp-challenge', `a recovery code ${title}`)
const wrong = (title: string) => contractTest('totp-challenge', `five wrong codes ${title}`)
const telephone = (title: string) => contractTest('totp-sms', `the enrolment of a telephone ${title}`)
const texted = (title: string) => contractTest('totp-sms', `a code by text message ${title}`)

const costly = (title: string) => contractTest('totp-sms-limits', `a message that costs somebody ${title}`)
const messages = (title: string) => contractTest('limits', `a text message ${title}`)
const renewal = (title: string) =>
  contractTest('totp-enrollment', `a code to renew the password, of a sign-in before an enrolment ${title}`)

/** Of an enrolment and of the user, at its validation. */
const samePhoneNumber =
  ".where((is) => is.or([is('pending_phone_number', 'is', null), is('pending_phone_number', '=', user.phoneNumber)]), )"

const isBegun = begun('begins with a key URI and five recovery codes, which no later answer repeats')
const isPassed = asked(
  'is passed by the present code of the app, with another request_id and no code of its own',
)
const isTexted = texted('is in the message and in no answer, and passes the challenge once')
const replaces = another(
  'takes the place of the old one with its validation: app, recovery codes and open challenges',
)

/** Who may be enrolled, and which code is good, how often and for how long. */
export const totpGuards = [
  guard({
    name: 'TOTP: mails about forced enrolments',
    file: enrollment,
    find: 'await deps.limits.take(mails, { ...tenant, address: normalizeEmail(addressee.email) })',
    replace: 'normalizeEmail(addressee.email)',
    red: another('429: of 50 that are begun at once three are, and as many mails are sent'),
    green: replaces,
  }),
  guard({
    name: 'TOTP: wrong first codes that end an enrolment',
    file: validateEnrollment,
    find: 'if (isOver) await',
    replace: 'if (failures < 0) await',
    red: begun('ends with the fifth wrong code, also for the right one'),
    green: isBegun,
  }),
  guard({
    name: 'TOTP: count before the comparison, of first codes',
    file: validateEnrollment,
    find: '.set({ pending_failures: sql`pending_failures + 1` })',
    replace: '.set({ pending_failures: 1 })',
    red: begun('of 30 codes that come together, looks at five'),
    green: isBegun,
  }),
  guard({
    name: 'TOTP: expiry of an enrolment that waits',
    file: validateEnrollment,
    find: ".where('pending_expires_at', '>', now())",
    replace: ".where('pending_expires_at', 'is not', null)",
    red: begun('waits an hour for its first code'),
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
    name: 'TOTP: sessions of before another enrolment',
    file: validateEnrollment,
    find: 'if (user.enrolledMethod !== null) await endSessionsOf(deps, trx, tenant, user.id)',
    replace: '',
    also: [
      {
        file: validateEnrollment,
        find: 'import { endFlowsOf, endSessionsOf }',
        replace: 'import { endFlowsOf }',
      },
    ],
    red: another('counts up, and ends the sessions of the user with its validation'),
    green: replaces,
  }),
  guard({
    name: 'TOTP: user of a challenge',
    file: rows,
    find: 'user_id = ${userId} and',
    replace: '${userId}::uuid is not null and',
    red: asked('of another user is not there, whatever its request_id'),
    green: isPassed,
  }),
  guard({
    name: 'TOTP: expiry of a challenge',
    file: rows,
    find: 'and expires_at > ${at}',
    replace: 'and ${at}::timestamptz is not null',
    red: asked('waits ten minutes'),
    green: isPassed,
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
    name: 'TOTP: recovery code, used',
    file: validateChallenge,
    find: 'recovery_codes_sealed: seal(deps.keys.master, context, left),',
    replace: 'recovery_codes_sealed: seal(deps.keys.master, context, left) && sealed,',
    red: recovery('stands for a code once, however it is typed, and the user is told by mail'),
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
    name: 'TOTP: number that is verified',
    file: verifiedPhone,
    find: '.where(sql<boolean>`phone_numbers @> ${primary}::jsonb`)',
    replace: '.where(sql<boolean>`${primary}::text is not null`)',
    also: [{ file: validateEnrollment, find: samePhoneNumber, replace: '' }],
    red: telephone('is void with a number that is not the user’s any more, who has another'),
    green: telephone('verifies the number, and tells it by one event'),
  }),
  guard({
    name: 'TOTP: renewals of the password before an enrolment',
    file: validateEnrollment,
    find: 'await voidRenewals(deps, trx, tenant, user.id)',
    replace: '',
    also: [
      {
        file: validateEnrollment,
        find: "import { voidRenewals } from '../../directory/forget-password.js'",
        replace: '',
      },
    ],
    red: renewal('sets none once the enrolment is validated; one of a link does'),
    green: renewal('of another user is as good as it was'),
  }),
  guard({
    name: 'SMS: countries',
    file: deliver,
    find: 'country === undefined || !countries.includes(country)',
    replace: "country === ''",
    red: telephone('409 without a number; 403 for one of a country that is not listed'),
    green: unitTest(deliver, 'a text message that is only kept may have any number where there is no list'),
  }),
  guard({
    name: 'SMS: premium and special numbers',
    file: deliver,
    find: "if (isSpecialPhoneNumber(phoneNumber)) throw new ApiError('phone_number_not_allowed')",
    replace: '',
    also: [{ file: deliver, find: ', isSpecialPhoneNumber }', replace: ' }' }],
    red: costly('403: goes to no premium or special number of a listed country: +33899123456'),
    green: isTexted,
  }),
  guard({
    name: 'SMS: messages to a user',
    file: smsLimits,
    find: '{ ...organization, address: userId }',
    replace: '{ ...organization, address: `${userId}${phoneNumber}` }',
    red: messages('is one of three an hour to a user, whatever their number'),
    green: messages(
      'is one of three an hour to a number, at whichever organizations and users of the account',
    ),
  }),
  guard({
    name: 'SMS: messages to a number, of the whole account',
    file: smsLimits,
    find: '{ accountId, environment, address: phoneNumber }',
    replace: '{ ...organization, address: phoneNumber }',
    red: costly('429: is one of three to a number, which users of many organizations have'),
    green: isTexted,
  }),
]
