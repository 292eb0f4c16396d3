import { guard } from './guard.js'

const totpAsked = 'server/src/directory/sessions/totp-asked.ts'

const factor = (title: string) => ({ file: 'test/protocols/flow-second-factor.test.ts', title })

const before = (title: string) => factor(`a session with one factor ${title}`)

/** That the second factor on the pages is passed there, and by everybody who has one. */
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
