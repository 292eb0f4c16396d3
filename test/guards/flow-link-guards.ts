import { guard } from './guard.js'
import type { NamedTest } from './vitest-run.js'

const arrival = 'server/src/sign-in/magic-link/flow-arrival.ts'
const passCode = 'server/src/sign-in/magic-link/verify-link-code.ts'
const flowLink = 'server/src/sign-in/magic-link/flow-link.ts'
const insertLink = 'server/src/sign-in/magic-link/insert-link.ts'
const hold = 'server/src/sign-in/flows/lock-flow.ts'
const setAtPage = 'server/src/sign-in/password/set-at-page.ts'
const request = 'server/src/sign-in/password/request.ts'
const enroll = 'server/src/sign-in/totp/enroll-in-flow.ts'
const endSessions = 'server/src/directory/end-sessions.ts'
const setPasswordRouter = 'server/src/pages/set-password/router.ts'

const inFile =
  (name: string) =>
  (title: string): NamedTest => ({ file: `test/protocols/${name}.test.ts`, title })
const links = inFile('flow-links')
const passwords = inFile('flow-passwords')
const enrollment = inFile('flow-enrollment')

const own = (title: string) => links(`a link in the browser that asked for it ${title}`)
const dead = (title: string) => links(`a link of a flow is dead ${title}`)
const other = (title: string) => links(`a link that is opened in another browser ${title}`)
const page = (title: string) => passwords(`the page that sets a password ${title}`)
const forgotten = (title: string) => passwords(`a forgotten password ${title}`)
const nobody = (title: string) => enrollment(`nobody enrols a user on the pages ${title}`)

const signsIn = own('signs in, once')
const typed = other('lets its code be typed in groups')
const sets = forgotten('is set by a link in the same browser, where the sign-in then goes on')
const enrols = enrollment(
  'an enrolment on the way to an application that demands a second factor shows the key, takes the first code, shows recovery codes once, and signs in with both factors',
)

/** What a link of a sign-in on our pages lets in, and what its password and its second factor do. */
export const flowLinkGuards = [
  guard({
    name: 'flow: browser of its link',
    file: arrival,
    find: 'if (!held.is_own_browser) {',
    replace: "if (spent.id === '') {",
    red: other('says so, signs nobody in there, and shows a code that signs in where it was asked for'),
    green: signsIn,
  }),
  guard({
    name: 'flow: browser of its link, in the statement',
    file: hold,
    find: 'coalesce(browser_hash = ${key.browserHash}::bytea, false)',
    replace: '(${key.browserHash}::bytea is null or true)',
    red: other('says so, signs nobody in there, and shows a code that signs in where it was asked for'),
    green: signsIn,
  }),
  guard({
    name: 'flow: step of its link',
    file: arrival,
    find: "steps: ['link_sent'], browserHash",
    replace: "steps: ['link_sent', 'password', 'identifier'], browserHash",
    also: [
      {
        file: arrival,
        find: 'if (held === undefined || held.email_normalized !== consumedLink.email_normalized)',
        replace: 'if (held === undefined)',
      },
    ],
    red: dead('when the flow has another address by now: in its own browser'),
    green: signsIn,
  }),
  guard({
    name: 'flow: active user of its link',
    file: arrival,
    find: 'if (user?.active !== true) return fail(',
    replace: 'if (user === undefined) return fail(',
    red: dead('when the user was switched off: in its own browser'),
    green: signsIn,
  }),
  guard({
    name: 'flow: an older link',
    file: insertLink,
    find: 'offset ${flowId === null ? maxOpenLinks - 1 : 0}',
    replace: 'offset ${maxOpenLinks - 1}',
    red: dead('when another one was asked for since: in its own browser'),
    green: signsIn,
  }),
  guard({
    name: 'flow: tries of its code, counted',
    file: passCode,
    find: '.set({ link_code_failures: sql`link_code_failures + 1` })',
    replace: '.set({ link_code_failures: sql`link_code_failures` })',
    red: other('has a code that is void after five wrong ones, and another link is asked for'),
    green: typed,
  }),
  guard({
    name: 'flow: tries of its code, no more than five',
    file: passCode,
    find: ".where('link_code_failures', '<', maxFailures)",
    replace: '',
    also: [{ file: passCode, find: "if (outcome === 'void') await voidCode(deps, trx, flow)", replace: '' }],
    red: other('has a code that is void after five wrong ones, and another link is asked for'),
    green: typed,
  }),
  guard({
    name: 'flow: comparison of its code',
    file: passCode,
    find: 'if (!isLinkCode(shown, typed)) {',
    replace: "if (typed === '') {",
    red: other('has a code that is void after five wrong ones, and another link is asked for'),
    green: typed,
  }),
  guard({
    name: 'flow: address of its code, with the one that a new link voids',
    file: passCode,
    find: 'if (held === undefined || held.email_normalized !== consumedLink.email_normalized)',
    replace: 'if (held === undefined)',
    also: [
      {
        file: flowLink,
        find: 'link_code_sealed: null, link_code_expires_at: null, link_code_failures: 0,',
        replace: '',
      },
    ],
    red: other('signs nobody in at another address that the flow has gone on to'),
    green: typed,
  }),
  guard({
    name: 'flow: end with the sessions of its user',
    file: endSessions,
    find: 'await endFlowsOf(deps, trx, tenant, userId, keptFlowId)',
    replace: 'void keptFlowId',
    also: [
      {
        file: endSessions,
        find: 'await voidPendingSignIns(deps, trx, tenant, userId)',
        replace: 'void voidPendingSignIns',
      },
    ],
    red: links(
      'what ends sign-ins of a user ends those on the pages a deactivation, though it is taken back',
    ),
    green: signsIn,
  }),
  guard({
    name: 'password at the page: the organization of its code',
    file: setAtPage,
    find: ".where('organizations.domain', '=', key.organizationDomain)",
    replace: '',
    also: [{ file: setAtPage, find: ".where('request.redirect_uri', '=', key.ownPage)", replace: '' }],
    red: page('refuses a code of another organization, and one that never was'),
    green: sets,
  }),
  guard({
    name: 'password at the page: active user',
    file: setAtPage,
    find: ".where('users.active', '=', true)",
    replace: '',
    also: [
      {
        file: 'server/src/directory/users/change-user.ts',
        find: 'await voidPasswordRequests(deps, trx, tenant, normalizeEmail(row.email))',
        replace: '',
      },
    ],
    red: page('refuses a code that is of a user who was switched off'),
    green: sets,
  }),
  guard({
    name: 'password at the page: its form',
    file: setPasswordRouter,
    find: 'const secret = secretOfOurForm(req, site, code)',
    replace: 'const secret = keepFlowSecret(exchange)',
    red: page('refuses a form of another site, or of another browser'),
    green: sets,
  }),
  guard({
    name: 'password at the page: the one address of a request of the API',
    file: request,
    find: 'if (input.redirect_uri !== ownPage)',
    replace: "if (!input.redirect_uri.includes('/set-password'))",
    red: passwords(
      'a password request of the API leads to the application where its redirect_uri is the page with a query',
    ),
    green: passwords('a password request of the API leads to the page where its redirect_uri says so'),
  }),
  guard({
    name: 'enrolment on the pages: a second factor that is there',
    file: enroll,
    find: 'return active && connection.active && enrolledMethod === null',
    replace: "return active && connection.active && enrolledMethod !== ('' as never)",
    // Whoever enrols the user ends what is under way as well.
    also: [
      {
        file: 'server/src/sign-in/totp/validate-enrollment.ts',
        find: 'await endFlowsOf(deps, trx, tenant, user.id, flowId)',
        replace: 'void endFlowsOf',
      },
    ],
    red: nobody('who is enrolled: an enrolment that has appeared meanwhile stays, and the sign-in is over'),
    green: enrols,
  }),
]
