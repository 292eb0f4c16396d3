import { guard, protocolTest } from './guard.js'

const sessionFit = 'server/src/protocols/oauth/session-fit.ts'
const finish = 'server/src/sign-in/flows/finish.ts'
const lifetime = 'server/src/directory/sessions/lifetime.ts'
const keepSession = 'server/src/sign-in/flows/keep-session.ts'

const sessions = (title: string) => protocolTest('browser-session', title)
const policy = (title: string) => protocolTest('session-policy', title)
const attacks = (title: string) => protocolTest('sign-in-attacks', title)
const signsIn = (title: string) => protocolTest('sign-in-flow', title)
const atOnce = sessions(
  'a session of the browser gets a code at once, also without a page being allowed, and its code says when the user signed in',
)
const byPassword = signsIn(
  'a sign-in on the pages by password ends at the application with a code for tokens, with state and iss',
)

/** Guards of browser sessions: sufficient sessions, and permission to end them. */
export const browserSessionGuards = [
  guard({
    name: 'session: a shorter lifetime of the policy ends those that are open',
    file: lifetime,
    find: "least(${column(table, 'expires_at')}, ${begunAt} + ${lifetime})",
    replace: "least(${column(table, 'expires_at')}, ${begunAt} + ${lifetime} + interval '1 year')",
    red: policy(
      'a shorter lifetime holds at once for sessions that are open, a longer one from the next sign-in',
    ),
    green: policy('another sign-in in the browser begins the lifetime anew'),
  }),
  guard({
    name: 'session: the policy says how long one may be left alone',
    file: lifetime,
    find: "ofPolicy('session_idle_in_seconds', ownerOf('sessions'), sessionIdleSeconds.default)",
    replace: "sql`interval '1 hour'`",
    red: policy('a browser that leaves its session alone for as long as the policy says has to sign in'),
    green: policy('another sign-in in the browser begins the lifetime anew'),
  }),
  guard({
    name: 'session: second factor',
    file: sessionFit,
    find: "return isTotpAsked ? 'step_up' : 'sign_in'",
    replace: "return isTotpAsked ? 'enough' : 'sign_in'",
    red: sessions('acr mfa has a session with one factor pass the second one, and then is had at once'),
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
    file: keepSession,
    find: 'await signOut(deps, trx, ofUser(tenant, other.user_id), session)',
    replace: 'await Promise.resolve([signOut, session])',
    also: [
      {
        file: keepSession,
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
