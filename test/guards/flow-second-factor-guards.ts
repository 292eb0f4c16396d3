import { guard } from './guard.js'

const totpAsked = 'server/src/directory/sessions/totp-asked.ts'

const factor = (title: string) => ({ file: 'test/protocols/flow-second-factor.test.ts', title })

const before = (title: string) => factor(`a session with one factor ${title}`)

/** Guards of the second factor on the hosted pages: required of every enrolled user, and verified in the same flow. */
export const flowSecondFactorGuards = [
  guard({
    name: 'second factor: sessions of before the enrolment',
    file: totpAsked,
    find: 'and totp.active and enrollment.user_id',
    replace: 'and totp.active and false and enrollment.user_id',
    red: before('is not enough once the user has enrolled'),
    green: before('does not set up a second factor: the user signs in anew before'),
  }),
]
