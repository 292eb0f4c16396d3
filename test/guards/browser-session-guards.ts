import { guard, protocolTest, without } from './guard.js'

const sessionFit = 'server/src/protocols/oauth/session-fit.ts'
const browserSession = 'server/src/directory/sessions/browser-session.ts'
const finish = 'server/src/sign-in/flows/finish.ts'
const csrf = 'server/src/pages/frame/csrf.ts'
const ownSessions = 'server/src/pages/own-sessions/router.ts'

const sessions = (title: string) => protocolTest('browser-session', title)
const attacks = (title: string) => protocolTest('sign-in-attacks', title)
const signsIn = (title: string) => protocolTest('sign-in-flow', title)
const own = (title: string) => protocolTest('own-sessions', title)
const atOnce = sessions(
  'a session of the browser gets a code at once, also without a page being allowed, and its code says when the user signed in',
)
const byPassword = signsIn(
  'a sign-in on the pages by password ends at the application with a code for tokens, with state and iss',
)
const ownForm = own(
  'the page of the user’s own sessions takes no form that another site sent, nor one of another browser, nor one without csrf',
)
const ownEnds = own(
  'the page of the user’s own sessions ends another one, whose browser has to sign in again, and stays',
)

/** Whose session of a browser is enough, and who may end it. */
export const browserSessionGuards = [
  guard({
    name: 'session: second factor',
    file: sessionFit,
    find: "return isTotpAsked ? 'step_up' : 'sign_in'",
    replace: "return isTotpAsked ? 'enough' : 'sign_in'",
    red: sessions('acr mfa has a session with one factor pass the second one, and then is had at once'),
    green: atOnce,
  }),
  guard({
    name: 'session: organization',
    file: browserSession,
    ...without('organization_id', "ofOwner(key, 'sessions')"),
    also: [
      {
        file: 'server/src/protocols/oauth/session-code.ts',
        ...without('organization_id', 'ofOwner(row)'),
      },
    ],
    red: sessions(
      'a session of the browser is of one organization and environment, whatever its secret is called',
    ),
    green: atOnce,
  }),
  guard({
    name: 'session: ended_at',
    file: browserSession,
    find: ".where('sessions.ended_at', 'is', null)",
    replace: '',
    also: [
      {
        file: browserSession,
        find: ".where('users.active', '=', true)",
        replace: '',
      },
      {
        file: 'server/src/protocols/oauth/session-code.ts',
        find: ".where('ended_at', 'is', null)",
        replace: '',
      },
    ],
    red: sessions(
      'a session of the browser is over when its user is deactivated, or the organization lets the address in no more',
    ),
    green: atOnce,
  }),
  guard({
    name: 'session: eight hours at most',
    file: browserSession,
    find: ".where('sessions.expires_at', '>', key.at)",
    replace: '',
    also: [
      {
        file: 'server/src/protocols/oauth/session-code.ts',
        find: ".where('expires_at', '>', row.at)",
        replace: '',
      },
    ],
    red: sessions(
      'a session of the browser is alive for as long as it is used every hour, and eight hours at most',
    ),
    green: atOnce,
  }),
  guard({
    name: 'session: an hour without use',
    file: browserSession,
    find: ".where('sessions.browser_used_at', '>', key.idleSince)",
    replace: '',
    also: [
      {
        file: 'server/src/protocols/oauth/session-code.ts',
        find: ".where('browser_used_at', '>', row.idleSince)",
        replace: '',
      },
    ],
    red: sessions('a session of the browser asks for a sign-in again when it was left alone for an hour'),
    green: atOnce,
  }),
  guard({
    name: 'session cookie: another secret after every sign-in',
    file: finish,
    find: 'const sessionSecret = randomSecret()',
    replace: 'const sessionSecret = end.sessionSecret ?? randomSecret()',
    red: attacks(
      'fixation: the secret of the session cookie is another one after every sign-in, and the one before is worth nothing',
    ),
    green: byPassword,
  }),
  guard({
    name: 'session cookie: a session of another user ends',
    file: finish,
    find: 'await signOut(deps, trx, ofUser(tenant, other.user_id), session)',
    replace: 'await Promise.resolve([signOut, session])',
    also: [
      {
        file: finish,
        find: 'const other = await owned.set({ secret_hash: null })',
        replace: 'const other = await owned.set({ user_agent: null })',
      },
    ],
    red: attacks(
      'fixation: the secret of the session cookie is not the one that somebody has planted, who is signed out',
    ),
    green: byPassword,
  }),
  guard({
    name: 'own sessions: their form',
    file: ownSessions,
    find: 'if (secretOfOurForm(req, site, session.sessionId) === undefined) {',
    replace: 'if (session.sessionId === "") {',
    red: ownForm,
    green: ownEnds,
  }),
  guard({
    name: 'own sessions: csrf',
    file: csrf,
    find: 'return isCsrfFieldOf(secret, token, textOf(formOf(req).csrf)) ? secret : undefined',
    replace: 'return token === "" ? undefined : secret',
    red: ownForm,
    green: ownEnds,
  }),
  guard({
    name: 'own sessions: a form of our own page',
    file: csrf,
    find: 'if (secret === undefined || !isSentByOurPage(req.headers, baseUrl)) return undefined',
    replace: 'if (secret === undefined || baseUrl === "") return undefined',
    red: ownForm,
    green: ownEnds,
  }),
  guard({
    name: 'session: refreshes in the background',
    file: 'server/src/protocols/oauth/refresh-token.ts',
    find: 'update sessions set last_used_at = ${attempt.at}',
    replace: 'update sessions set last_used_at = ${attempt.at}, browser_used_at = ${attempt.at}',
    red: sessions(
      'a session of the browser was left alone also where its application refreshes tokens in the background',
    ),
    green: atOnce,
  }),
  guard({
    name: 'session: refresh tokens of a code',
    file: 'server/src/protocols/oauth/refresh-family.ts',
    find: 'last_used_at = family.inserted_at',
    replace: 'last_used_at = family.inserted_at, browser_used_at = family.inserted_at',
    red: sessions(
      'a session of the browser was left alone also where its application refreshes tokens in the background',
    ),
    green: atOnce,
  }),
]
