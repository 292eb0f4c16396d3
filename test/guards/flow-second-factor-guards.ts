import { guard } from './guard.js'

const validateChallenge = 'server/src/sign-in/totp/validate-challenge.ts'
const pending = 'server/src/sign-in/flows/pending-sign-in.ts'
const totpAsked = 'server/src/directory/sessions/totp-asked.ts'
const finish = 'server/src/sign-in/flows/finish.ts'
const sessionFit = 'server/src/protocols/oauth/session-fit.ts'

const factor = (title: string) => ({ file: 'test/protocols/flow-second-factor.test.ts', title })
const asked = (title: string) => factor(`a code that an application asks for ${title}`)

const before = (title: string) => factor(`a session with one factor ${title}`)
const underWay = (title: string) => factor(`a sign-in that waits after one factor ${title}`)

const ofItsOwn = asked('passes its own challenge, also where a sign-in on the pages has asked since')

/** That the second factor on the pages is passed there, and by everybody who has one. */
export const flowSecondFactorGuards = [
  guard({
    name: 'second factor: challenges of the pages are not the API’s',
    file: validateChallenge,
    find: '.where(isOfFlow(flowId))',
    replace: '.where(isOfFlow(flowId) && sql<boolean>`true`)',
    red: asked('does not pass a sign-in that waits on the pages, which stays open'),
    green: asked('is asked for no sign-in of the pages, whoever knows its id'),
  }),
  guard({
    name: 'second factor: sign-ins of the pages are not the API’s',
    file: pending,
    find: ".where('flow_id', 'is not distinct from', flowId)",
    replace: '.where(sql<boolean>`${flowId}::uuid is null or true`)',
    red: asked('is asked for no sign-in of the pages, whoever knows its id'),
    green: ofItsOwn,
  }),
  guard({
    name: 'second factor: sessions of before the enrolment',
    file: totpAsked,
    find: 'and totp.active and enrollment.user_id',
    replace: 'and totp.active and false and enrollment.user_id',
    red: before('is not enough once the user has enrolled'),
    green: before('does not set up a second factor: the user signs in anew before'),
  }),
  guard({
    name: 'second factor: end of a flow',
    file: finish,
    find: '.where(isSecondFactorPassed())',
    replace: '.where(isSecondFactorPassed() && sql<boolean>`true`)',
    red: underWay('does not end once the organization asks for the second factor'),
    green: underWay('is over once the user has enrolled'),
  }),
  guard({
    name: 'second factor: set up by who signs in anew',
    file: sessionFit,
    find: "return isTotpAsked ? 'step_up' : 'sign_in'",
    replace: "return 'step_up'",
    red: before('does not set up a second factor: the user signs in anew before'),
    green: before('is not enough once the user has enrolled'),
  }),
]
