import { guard, protocolTest } from './guard.js'

const browserSession = 'server/src/directory/sessions/browser-session.ts'
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
    name: 'session: what a demand asks of its user is read at one moment',
    file: browserSession,
    find: ")`.as('may_ask_for_factor'),",
    replace: ")`.as('may_ask_for_factor'), isTotpAskedOfUserOf('sessions').as('is_totp_asked'),",
    also: [
      { file: browserSession, find: '...demand,', replace: '...demand, isTotpAsked: row.is_totp_asked,' },
    ],
    red: protocolTest(
      'second-factor-policy',
      'a policy that demands a second factor is kept by a session that is looked up while its user enrols',
    ),
    green: atOnce,
  }),
  guard({
    name: 'session: who signs out ends those that the policy alone has ended',
    file: 'server/src/directory/sessions/sign-out.ts',
    find: 'await endableSessionsOf(trx, tenant, { userId, at })',
    replace: 'await liveSessionsOf(trx, tenant, { userId, at })',
    red: policy(
      'who ends their other sessions ends those of a longer policy, too, which would come back with it',
    ),
    green: policy('another sign-in in the browser begins the lifetime anew'),
  }),
  guard({
    name: 'session: an impersonation has an end of its own',
    file: lifetime,
    find: "when ${column(table, 'impersonation_id')} is null",
    replace: 'when true',
    also: [
      {
        file: 'server/src/directory/sessions/sign-out.ts',
        find: 'await endableSessionsOf(trx, tenant, { userId, at })',
        replace: 'await liveSessionsOf(trx, tenant, { userId, at })',
      },
    ],
    red: policy('an impersonation has an end of its own, and ends with its session whatever the policy says'),
    green: policy('another sign-in in the browser begins the lifetime anew'),
  }),
  guard({
    name: 'session: a consent takes one that was used lately',
    file: finish,
    find: '        and ${isUsedLately(at)}\n',
    replace: '',
    red: policy('a consent that is given when its session was left alone for too long signs nobody in'),
    green: policy('another sign-in in the browser begins the lifetime anew'),
  }),
  guard({
    name: 'session: none is opened by a proof that is older than one may become',
    file: 'server/src/sign-in/account-flows/enter.ts',
    find: 'if (await isTooOldForSession(trx, tenant, { provedAt: proof.provedAt, at: deps.now() })) return',
    replace: 'void isTooOldForSession',
    red: policy(
      'at the issuer of the account a proof of a mailbox opens no session for longer than one would have lasted',
    ),
    green: policy('another sign-in in the browser begins the lifetime anew'),
  }),
  guard({
    name: 'session: a shorter lifetime of the policy ends those that are open',
    file: lifetime,
    find: "least(${column(table, 'expires_at')}, ${later(begunAt, lifetime)})",
    replace: "least(${column(table, 'expires_at')}, ${later(begunAt, lifetime)} + interval '1 year')",
    red: policy(
      'a shorter lifetime holds at once for sessions that are open, a longer one from the next sign-in',
    ),
    green: policy('another sign-in in the browser begins the lifetime anew'),
  }),
  guard({
    name: 'session: the policy says how long one may be left alone',
    file: lifetime,
    find: "ofPolicy('session_idle_in_seconds', owner, sessionIdleSeconds.default)",
    replace: "sql`interval '1 hour'`",
    red: policy('a browser that leaves its session alone for as long as the policy says has to sign in'),
    green: policy('another sign-in in the browser begins the lifetime anew'),
  }),
  guard({
    name: 'session: second factor',
    file: sessionFit,
    find: "return isTotpAsked ? 'step_up' : 'second_factor'",
    replace: "return isTotpAsked ? 'enough' : 'second_factor'",
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
