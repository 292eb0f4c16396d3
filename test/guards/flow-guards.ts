import { guard, protocolTest } from './guard.js'

const finish = 'server/src/sign-in/flows/finish.ts'
const flow = 'server/src/sign-in/flows/flow.ts'
const step = 'server/src/sign-in/flows/step.ts'
const router = 'server/src/pages/sign-in/router.ts'
const csrf = 'server/src/pages/frame/csrf.ts'
const pending = 'server/src/sign-in/flows/pending-sign-in.ts'
const network = 'server/src/platform/outbound/address.ts'

const sessions = (title: string) => protocolTest('browser-session', title)
const attacks = (title: string) => protocolTest('sign-in-attacks', title)
const inFlow = (title: string) => protocolTest('flow-attacks', title)
const signsIn = (title: string) => protocolTest('sign-in-flow', title)
const perIp = (title: string) => protocolTest('attempts-per-ip', title)
const byPassword = signsIn(
  'a sign-in on the pages by password ends at the application with a code for tokens, with state and iss',
)

/** Who may do what in a flow, from its first page to its one end. */
export const flowGuards = [
  guard({
    name: 'flow: an hour',
    file: flow,
    find: ".where('flow.expires_at', '>', key.at)",
    replace: '',
    also: [{ file: step, find: ".where('expires_at', '>', now())", replace: '' }],
    red: inFlow('a flow is over an hour after it has begun; its second factor has ten minutes'),
    green: byPassword,
  }),
  guard({
    name: 'flow: csrf',
    file: csrf,
    find: 'return isCsrfFieldOf(secret, token, textOf(formOf(req).csrf)) ? secret : undefined',
    replace: 'return token === "" ? undefined : secret',
    red: attacks('a form without csrf is refused, and does nothing'),
    green: byPassword,
  }),
  guard({
    name: 'flow: a form of our own page',
    file: csrf,
    find: 'if (secret === undefined || !isSentByOurPage(req.headers, baseUrl)) return undefined',
    replace: 'if (secret === undefined || baseUrl === "") return undefined',
    red: attacks('a form from another site is refused, and does nothing'),
    green: byPassword,
  }),
  guard({
    name: 'flow: the next step',
    file: router,
    find: 'const { actions } = stepPages[scene.flow.step]',
    replace:
      'const actions = Object.assign({}, ...Object.values(stepPages).map((page) => page.actions)) as typeof stepPages.ready.actions',
    also: [{ file: router, find: 'Object.hasOwn(actions, name)', replace: 'name in actions' }],
    red: inFlow(
      'step skipping at the second factor is refused, whatever is pressed, and leaves it where it is',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: its one end',
    file: finish,
    find: ".where('flow.step', '=', 'ready') .where('flow.used_at', 'is', null)",
    replace: ".where('flow.step', '=', 'ready')",
    also: [
      { file: flow, find: ".where('flow.used_at', 'is', null)", replace: '' },
      { file: step, find: ".where('used_at', 'is', null)", replace: '' },
    ],
    red: inFlow('a flow ends once, and its forms and pages are worth nothing then'),
    green: byPassword,
  }),
  guard({
    name: 'flow: active user at its end',
    file: finish,
    find: "if (!user.active) return 'user_inactive'",
    replace: '',
    also: [
      {
        file: 'server/src/sign-in/totp/challenge.ts',
        find: "if (!active) throw new ApiError('user_inactive')",
        replace: '',
      },
      {
        file: 'server/src/directory/end-sessions.ts',
        find: 'await voidPendingSignIns(deps, trx, tenant, userId) await endFlowsOf(deps, trx, tenant, userId, keptFlowId)',
        replace: 'await Promise.resolve([voidPendingSignIns, keptFlowId])',
      },
    ],
    red: inFlow(
      'what changes while somebody signs in is looked at before the second factor: the user is deactivated',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: session that a step-up adds to',
    file: finish,
    find: '.where(isSessionStillOpen())',
    replace: '.where(sql<boolean>`(${isSessionStillOpen()} or true)`)',
    red: sessions('acr mfa is not had by a session that has ended while its second factor was asked for'),
    green: byPassword,
  }),
  guard({
    name: 'flow: second factor of who has one',
    file: pending,
    find: "const step = isTotpAsked ? 'totp' : isMissing ? 'enroll' : stepAfterFactors(isRenewalDue)",
    replace: "const step: Step = isMfaRequired ? 'enroll' : stepAfterFactors(isRenewalDue)",
    red: signsIn('a sign-in on the pages by password and the app'),
    green: byPassword,
  }),
  guard({
    name: 'limit: a network of IPv6',
    file: network,
    find: 'if (parsed instanceof ipaddr.IPv4) return parsed.toString()',
    replace: 'if (address !== "") return parsed.toString()',
    red: perIp('of IPv6 a whole /64 is one'),
    green: byPassword,
  }),
]
