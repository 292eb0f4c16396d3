import { guard, protocolTest } from './guard.js'

const router = 'server/src/pages/sign-in/router.ts'
const pending = 'server/src/sign-in/flows/pending-sign-in.ts'
const idpInitiated = 'server/src/sign-in/flows/idp-initiated.ts'
const inFlow = (title: string) => protocolTest('flow-attacks', title)
const signsIn = (title: string) => protocolTest('sign-in-flow', title)
const byPassword = signsIn(
  'a sign-in on the pages by password ends at the application with a code for tokens, with state and iss',
)

const endsOf = (title: string) => protocolTest('saml-idp-initiated', `where it ends ${title}`)
const takesCode = protocolTest(
  'saml-idp-initiated',
  'a response that nobody asked for signs in where the connection accepts it, with a code that needs no verifier',
)

/** Guards of a flow from its first page to its single completion. */
export const flowGuards = [
  guard({
    name: 'flow: the next step',
    file: router,
    find: 'const { actions } = stepPages[request.flow.step]',
    replace:
      'const actions = Object.assign({}, ...Object.values(stepPages).map((page) => page.actions)) as typeof stepPages.ready.actions',
    also: [{ file: router, find: 'Object.hasOwn(actions, name)', replace: 'name in actions' }],
    red: inFlow(
      'step skipping at the second factor is refused, whatever is pressed, and leaves it where it is',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: consent before the end',
    file: 'server/src/sign-in/flows/step.ts',
    find: "step: to === 'ready' ? stepBeforeEnd : to",
    replace: 'step: to',
    red: protocolTest(
      'consent',
      'prompt=consent shows what the application will be able to do, and gives a code once it is allowed',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: a consent prolongs no session',
    file: 'server/src/sign-in/flows/finish.ts',
    find: '      and sessions.id = flow.session_id\n      and (\n        flow.auth',
    replace: '      and false and (\n        flow.auth',
    red: protocolTest(
      'consent',
      'prompt=consent asks a browser that is signed in for nothing else, each time anew, and keeps its session as it was',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: no code for a sign-in that an application has not begun, where it has to',
    file: idpInitiated,
    find: "if (flow.code_exchange !== 'pkce' && flow.client_authentication === 'none') return undefined",
    replace: 'return undefined',
    red: endsOf(
      'without initiate_login_uri the user is signed in on a page, and the log says what is missing: it needs PKCE',
    ),
    green: takesCode,
  }),
  guard({
    name: 'flow: where sign-ins of identity providers end, and no others',
    file: idpInitiated,
    find: 'if (!flow.is_idp_initiated) return undefined',
    replace: '',
    red: endsOf('a sign-in that the application has begun ends with its code'),
    green: takesCode,
  }),
  guard({
    name: 'flow: the policy of the pages before',
    file: idpInitiated,
    find: 'case when flow.is_idp_initiated then applications.initiate_login_uri end, ',
    replace: '',
    red: endsOf('the pages on the way let their forms lead there'),
    green: takesCode,
  }),
  guard({
    name: 'flow: second factor of who has one',
    file: pending,
    find: "const step = isAsked ? 'totp' : isEnrolling && !isVain ? 'enroll' : passed",
    replace: "const step: Step = isMfaRequired ? 'enroll' : stepAfterFactors(isRenewalDue)",
    red: signsIn('a sign-in on the pages by password and the app'),
    green: byPassword,
  }),
]
