import { guard } from './guard.js'
import type { NamedTest } from './vitest-run.js'

const arrival = 'server/src/sign-in/magic-link/flow-arrival.ts'
const passCode = 'server/src/sign-in/magic-link/verify-link-code.ts'
const flowLink = 'server/src/sign-in/magic-link/flow-link.ts'
const request = 'server/src/sign-in/password/request.ts'
const setPasswordRouter = 'server/src/pages/set-password/router.ts'

const inFile =
  (name: string) =>
  (title: string): NamedTest => ({ file: `test/protocols/${name}.test.ts`, title })
const links = inFile('flow-links')
const passwords = inFile('flow-passwords')

const own = (title: string) => links(`a link in the browser that asked for it ${title}`)
const dead = (title: string) => links(`a link of a flow is dead ${title}`)
const other = (title: string) => links(`a link that is opened in another browser ${title}`)
const page = (title: string) => passwords(`the page that sets a password ${title}`)
const forgotten = (title: string) => passwords(`a forgotten password ${title}`)

const signsIn = own('signs in, once')
const typed = other('lets its code be typed in groups')
const sets = forgotten('is set by a link in the same browser, where the sign-in then goes on')

/** Guards of magic links on the hosted pages, and of the password and second factor after them. */
export const flowLinkGuards = [
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
    name: 'flow: tries of its code, counted',
    file: passCode,
    find: '.set({ link_code_failures: sql`link_code_failures + 1` })',
    replace: '.set({ link_code_failures: sql`link_code_failures` })',
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
]
