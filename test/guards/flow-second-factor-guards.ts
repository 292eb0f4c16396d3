import { guard, protocolTest } from './guard.js'

const totpAsked = 'server/src/directory/sessions/totp-asked.ts'

const factor = (title: string) => ({ file: 'test/protocols/flow-second-factor.test.ts', title })

const before = (title: string) => factor(`a session with one factor ${title}`)

const policy = (title: string) =>
  protocolTest('second-factor-policy', `a policy that demands a second factor ${title}`)

/** Guards of the second factor on the hosted pages: required of every enrolled user, and verified in the same flow. */
export const flowSecondFactorGuards = [
  guard({
    name: 'second factor: a link of an answer enrols nobody',
    file: 'server/src/protocols/discoveries/continue.ts',
    find: 'return isLinkReturned || at.getTime()',
    replace: 'void isLinkReturned\n  return at.getTime()',
    red: policy(
      'has a discovery go on at another mail, where its link was in an answer, which proves nobody to be there',
    ),
    green: policy('has a discovery go on at the page that enrols'),
  }),
  guard({
    name: 'second factor: the policy decides when "Not now" is pressed',
    file: 'server/src/sign-in/totp/enroll-in-flow.ts',
    find: ' && !isFactorMissing(await nextFactorOf(deps, db, tenant, userId))',
    replace: ' && (await nextFactorOf(deps, db, tenant, userId)) !== null',
    also: [
      {
        file: 'server/src/sign-in/flows/finish.ts',
        find: "or ${isFactorDueOfUserOf('flow', at, rpId)})",
        replace: ')',
      },
    ],
    red: policy('decides when the button is pressed, not when its page is shown'),
    green: policy('asks nothing of who has a second factor, or comes by SSO'),
  }),
  guard({
    name: 'second factor: the policy decides when a sign-in ends',
    file: 'server/src/sign-in/flows/finish.ts',
    find: "or ${isFactorDueOfUserOf('flow', at, rpId)})",
    replace: ')',
    red: policy('decides once more when the sign-in ends'),
    green: policy('asks nothing of who has a second factor, or comes by SSO'),
  }),
  guard({
    name: 'second factor: the policy decides about sessions that are open',
    file: 'server/src/protocols/oauth/session-fit.ts',
    find: 'const isAsked = isTotpAsked || isEnrollmentDue || isPasskeyAsked',
    replace: 'const isAsked = isTotpAsked || isPasskeyAsked',
    red: policy('lets a session of before go on during the grace, and has it sign in and enrol then'),
    green: policy('asks nothing of who has a second factor, or comes by SSO'),
  }),
  guard({
    name: 'second factor: a new password does not get around the policy',
    file: 'server/src/sign-in/password/set-password.ts',
    find: 'isFactorMissing(await nextFactorOf(deps, trx, tenant, userId))',
    replace: "(await nextFactorOf(deps, trx, tenant, userId)) === 'totp'",
    red: policy('is met in the API before a password or a link leads to a code'),
    green: policy('asks nothing of who has a second factor, or comes by SSO'),
  }),
  guard({
    name: 'second factor: the policy is not met by codes that are off',
    file: 'server/src/directory/sessions/factor-due.ts',
    find: '      and not ${isTotpAskedOfUserOf(row)}\n',
    replace: `      and not exists (
        select from totp_enrollments as enrollment
        where \${ofOwner(owner, 'enrollment')} and enrollment.user_id = member.id
      )\n`,
    red: policy('is not met by codes that the organization has switched off since'),
    green: policy('asks nothing of who has a second factor, or comes by SSO'),
  }),
  guard({
    name: 'second factor: the policy waits for the lock of the settings',
    file: 'server/src/directory/organization-policy/organization-policy.ts',
    find: '    .forShare()\n',
    replace: '',
    red: protocolTest(
      'second-factor-policy',
      'the second factor of an organization is awaited by a policy that demands it while a change switches it off',
    ),
    green: policy('asks nothing of who has a second factor, or comes by SSO'),
  }),
  guard({
    name: 'second factor: sessions of before the enrolment',
    file: totpAsked,
    find: 'and totp.active and enrollment.user_id',
    replace: 'and totp.active and false and enrollment.user_id',
    red: before('is not enough once the user has enrolled'),
    green: before('does not set up a second factor: the user signs in anew before'),
  }),
]
