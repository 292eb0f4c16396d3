import { guard } from './guard.js'

const authorize = 'server/src/oauth/authorize.ts'
const request = 'server/src/oauth/authorization-request.ts'
const client = 'server/src/oauth/authorizing-client.ts'
const sessionFit = 'server/src/oauth/session-fit.ts'
const hint = 'server/src/oauth/id-token-hint.ts'
const browserSession = 'server/src/sessions/browser-session.ts'
const finish = 'server/src/flows/finish.ts'
const flow = 'server/src/flows/flow.ts'
const step = 'server/src/flows/step.ts'
const router = 'server/src/pages/sign-in/router.ts'
const csrf = 'server/src/pages/csrf.ts'
const ownSessions = 'server/src/pages/own-sessions/router.ts'
const signOut = 'server/src/sessions/sign-out.ts'
const guess = 'server/src/pages/steps/guess.ts'
const authorizeContract = 'contract/src/authorize.ts'
const identifier = 'server/src/pages/steps/identifier.ts'
const pending = 'server/src/sessions/pending-sign-in.ts'
const network = 'server/src/outbound/address.ts'

const protocolTest = (name: string) => (title: string) => ({ file: `test/protocol/${name}.test.ts`, title })
const asks = protocolTest('authorize')
const hostile = protocolTest('hostile-redirects')
const attacks = protocolTest('sign-in-attacks')
const signsIn = protocolTest('sign-in-flow')
const perIp = protocolTest('attempts-per-ip')
const own = protocolTest('own-sessions')
const links = protocolTest('flow-links')

const atOnce = asks(
  'a session of the browser gets a code at once, also without a page being allowed, and its code says when the user signed in',
)
const byPassword = signsIn(
  'a sign-in on the pages by password ends at the application with a code for tokens, with state and iss',
)
const registered = hostile('those that are registered lead to them, so that nothing else is refused here')

const ownForm = own(
  'the page of the user’s own sessions takes no form that another site sent, nor one of another browser, nor one without csrf',
)
const ownEnds = own(
  'the page of the user’s own sessions ends another one, whose browser has to sign in again, and stays',
)

/** Whom the authorization endpoint answers, whose sessions count, and who may do what in a flow. */
export const flowGuards = [
  guard({
    name: 'authorize: the registered address',
    file: client,
    find: 'if (row === undefined || !row.allowed_redirect_urls.includes(redirectUri)) return undefined',
    replace: 'if (row === undefined) return undefined',
    red: hostile('case get a page and no redirect'),
    green: registered,
  }),
  guard({
    name: 'authorize: an address that comes twice',
    file: request,
    find: 'if (data === undefined || isRepeated(parameters, ClientParameters.shape)) return undefined',
    replace: 'if (data === undefined) return undefined',
    red: hostile('a parameter that is not there once, and once alone, gets a page and no redirect'),
    green: registered,
  }),
  guard({
    name: 'authorize: account of the application',
    file: client,
    find: ".onRef('applications.account_id', '=', 'organizations.account_id')",
    replace: '',
    red: asks(
      'a request that cannot be answered shows a page, and redirects nowhere, where the application is unknown, foreign, deleted or not said',
    ),
    green: atOnce,
  }),
  guard({
    name: 'authorize: application that the organization can use',
    file: client,
    find: ".where(isUsableBy(sql.ref('organizations.id')))",
    replace: '',
    red: asks(
      'a request that cannot be answered shows a page, and redirects nowhere, where the application is unknown, foreign, deleted or not said',
    ),
    green: atOnce,
  }),
  guard({
    name: 'authorize: a parameter that comes twice',
    file: request,
    find: 'if (repeated !== undefined)',
    replace: "if (repeated === '')",
    red: asks(
      'a request that cannot be answered tells the application which parameter comes twice, whichever it is',
    ),
    green: atOnce,
  }),
  guard({
    name: 'authorize: PKCE',
    file: 'contract/src/authorize.ts',
    find: "code_challenge_method: z.literal('S256'),",
    replace: "code_challenge_method: z.enum(['S256', 'plain']).default('S256'),",
    red: asks('a request that cannot be answered tells the application: code_challenge_method plain'),
    green: atOnce,
  }),
  guard({
    name: 'authorize: allowed_web_origins',
    file: authorize,
    find: 'if (!isOriginAllowed(client, authorization.origin)) return refuse(foreignOrigin)',
    replace: '',
    red: asks('a request to sign in comes from one of allowed_web_origins where the application lists any'),
    green: atOnce,
  }),
  guard({
    name: 'authorize: prompt=none shows no page',
    file: authorize,
    find: "if (request.prompt?.includes('none'))",
    replace: 'if (request.prompt?.length === 9)',
    red: asks('a request that cannot be answered tells the application: prompt none without a session'),
    green: atOnce,
  }),
  guard({
    name: 'session: prompt',
    file: sessionFit,
    find: "if (session === undefined || isSignInAskedFor(request)) return 'sign_in'",
    replace: "if (session === undefined) return 'sign_in'",
    red: asks('a session of the browser is not enough with prompt login'),
    green: atOnce,
  }),
  guard({
    name: 'session: max_age',
    file: sessionFit,
    find: "if (isTooOld(session, request, at)) return 'sign_in'",
    replace: '',
    red: asks('a session of the browser is not enough with max_age that has passed'),
    green: atOnce,
  }),
  guard({
    name: 'session: the user of id_token_hint',
    file: sessionFit,
    find: "if (hintedUserId !== undefined && hintedUserId !== session.userId) return 'sign_in'",
    replace: '',
    red: asks(
      'an id_token_hint of the session’s user, expired or not, leaves it enough; of another user it does not',
    ),
    green: atOnce,
  }),
  guard({
    name: 'session: the address of login_hint',
    file: sessionFit,
    find: "if (hint !== undefined && normalizeEmail(hint) !== sessionEmail) return 'sign_in'",
    replace: '',
    red: asks('a session of the browser is not enough with the address of somebody else'),
    green: atOnce,
  }),
  guard({
    name: 'session: allowed_email_domains',
    file: sessionFit,
    find: "if (!isEmailDomainAllowed(allowedEmailDomains, sessionEmail)) return 'sign_in'",
    replace: '',
    red: asks(
      'a session of the browser is over when its user is deactivated, or the organization lets the address in no more',
    ),
    green: atOnce,
  }),
  guard({
    name: 'session: second factor',
    file: sessionFit,
    find: "return isTotpAsked ? 'step_up' : 'sign_in'",
    replace: "return isTotpAsked ? 'enough' : 'sign_in'",
    red: asks('acr mfa has a session with one factor pass the second one, and then is had at once'),
    green: atOnce,
  }),
  guard({
    name: 'session: organization',
    file: browserSession,
    find: ".where('sessions.organization_id', '=', key.organizationId)",
    replace: '',
    also: [
      {
        file: 'server/src/oauth/session-code.ts',
        find: ".where('organization_id', '=', row.organizationId)",
        replace: '',
      },
    ],
    red: asks(
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
      { file: 'server/src/oauth/session-code.ts', find: ".where('ended_at', 'is', null)", replace: '' },
    ],
    red: asks(
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
      { file: 'server/src/oauth/session-code.ts', find: ".where('expires_at', '>', row.at)", replace: '' },
    ],
    red: asks(
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
        file: 'server/src/oauth/session-code.ts',
        find: ".where('browser_used_at', '>', row.idleSince)",
        replace: '',
      },
    ],
    red: asks('a session of the browser asks for a sign-in again when it was left alone for an hour'),
    green: atOnce,
  }),
  guard({
    name: 'id_token_hint: signature',
    file: hint,
    find: '|| !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)',
    replace: '',
    red: asks('an id_token_hint with another signature is refused'),
    green: atOnce,
  }),
  guard({
    name: 'id_token_hint: organization',
    file: hint,
    find: 'if (key.organizationDomain !== domain || iss !== issuerOf(config.baseUrl, domain)) return undefined',
    replace: '',
    red: asks('an id_token_hint of another organization is refused'),
    green: atOnce,
  }),
  guard({
    name: 'id_token_hint: no other kind of token',
    file: hint,
    find: "if (decoded?.header.typ !== 'JWT' || environment === undefined) return undefined",
    replace: 'if (decoded === undefined || environment === undefined) return undefined',
    also: [{ file: hint, find: "jtt !== 'id_token' || ", replace: '' }],
    red: asks('an id_token_hint that is an access token is refused'),
    green: atOnce,
  }),
  guard({
    name: 'flow: its own browser',
    file: flow,
    find: ".where('flow.browser_hash', '=', key.browserHash)",
    replace: '',
    red: attacks(
      'login CSRF: a flow that one browser has begun is shown to no other one, whether that has a flow of its own or not',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: its own organization',
    file: flow,
    find: ".where('organizations.domain', '=', key.organizationDomain)",
    replace: '',
    red: attacks('a flow of another organization’s address is not there'),
    green: byPassword,
  }),
  guard({
    name: 'flow: an hour',
    file: flow,
    find: ".where('flow.expires_at', '>', key.at)",
    replace: '',
    also: [{ file: step, find: ".where('expires_at', '>', now())", replace: '' }],
    red: attacks('a flow is over an hour after it has begun; its second factor has ten minutes'),
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
    red: attacks(
      'step skipping at the second factor is refused, whatever is pressed, and leaves it where it is',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: from where it moves',
    file: step,
    find: ".where('step', 'in', [...from])",
    replace: '',
    red: attacks('a flow moves on once, however many forms of a step come together'),
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
    red: attacks('a flow ends once, and its forms and pages are worth nothing then'),
    green: byPassword,
  }),
  guard({
    name: 'flow: active user at its end',
    file: finish,
    find: "if (!user.active) return 'user_inactive'",
    replace: '',
    also: [
      {
        file: 'server/src/totp/challenge.ts',
        find: "if (!active) throw new ApiError('user_inactive')",
        replace: '',
      },
      {
        file: 'server/src/sessions/end-sessions.ts',
        find: 'await voidPendingSignIns(deps, trx, tenant, userId)',
        replace: 'await Promise.resolve(voidPendingSignIns)',
      },
    ],
    red: attacks(
      'what changes while somebody signs in is looked at before the second factor: the user is deactivated',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: address that the application allows still',
    file: finish,
    find: "if (!spent.is_redirect_allowed) return 'redirect_not_allowed'",
    replace: '',
    red: attacks(
      'what changes while somebody signs in is looked at before the password: the address of the application is taken away',
    ),
    green: byPassword,
  }),
  guard({
    name: 'flow: session that a step-up adds to',
    file: finish,
    find: '.where(isSessionStillOpen())',
    replace: '.where(sql<boolean>`(${isSessionStillOpen()} or true)`)',
    red: asks('acr mfa is not had by a session that has ended while its second factor was asked for'),
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
    name: 'identifier: allowed_email_domains',
    file: identifier,
    find: "if (!isEmailDomainAllowed(ways.allowedEmailDomains, normalized)) return refuse('not_allowed')",
    replace: '',
    red: signsIn('the page of the address is shown again for an address outside of allowed_email_domains'),
    green: byPassword,
  }),
  guard({
    name: 'limit: attempts of one network',
    file: guess,
    find: 'const counted = await deps.limits.attemptFrom(ip)',
    replace: 'const counted = { succeed: () => deps.limits.attemptFrom(ip) }',
    red: perIp(
      'one IP address sends thirty passwords in a quarter of an hour, at whatever organization and for whomever',
    ),
    green: byPassword,
  }),
  guard({
    name: 'limit: a right password is not counted',
    file: guess,
    find: 'if (isRight(outcome)) await counted.succeed()',
    replace: '',
    red: perIp('forms that try nothing, and passwords that are right, are not counted'),
    green: byPassword,
  }),
  guard({
    name: 'authorize: who only looks',
    file: router,
    find: 'if (isOnlyLooking(req)) res.status(204)',
    replace: 'if (isHttps) res.status(204)',
    red: asks('a request to sign in begins nothing for a HEAD, and makes no code'),
    green: atOnce,
  }),
  guard({
    name: 'flow: who only looks at its end',
    file: router,
    find: "if (flow.step === 'ready' && !isOnlyLooking(req))",
    replace: "if (flow.step === 'ready')",
    red: links(
      'a link in the browser that asked for it leaves a sign-in that is ready as it is for a HEAD, and for a browser that loads ahead',
    ),
    green: byPassword,
  }),
  guard({
    name: 'authorize: control characters',
    file: authorizeContract,
    find: ".regex(/^\\P{Cc}*$/u, 'must have no control characters')",
    replace: '',
    red: asks(
      'a request that cannot be answered tells the application: a login_hint with a control character',
    ),
    green: atOnce,
  }),
  guard({
    name: 'own sessions: another user of the organization',
    file: signOut,
    find: ".where('user_id', '=', userId)",
    replace: '',
    red: own(
      'the page of the user’s own sessions ends no session of somebody else of the organization, by one that is named',
    ),
    green: ownEnds,
  }),
  guard({
    name: 'own sessions: another user of the organization, all others',
    file: signOut,
    find: ".where('user_id', '=', userId)",
    replace: '',
    red: own(
      'the page of the user’s own sessions ends no session of somebody else of the organization, by all others',
    ),
    green: ownEnds,
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
    file: 'server/src/oauth/refresh-token.ts',
    find: 'update sessions set last_used_at = ${attempt.at}',
    replace: 'update sessions set last_used_at = ${attempt.at}, browser_used_at = ${attempt.at}',
    red: asks(
      'a session of the browser was left alone also where its application refreshes tokens in the background',
    ),
    green: atOnce,
  }),
  guard({
    name: 'session: refresh tokens of a code',
    file: 'server/src/oauth/refresh-family.ts',
    find: 'last_used_at = family.inserted_at',
    replace: 'last_used_at = family.inserted_at, browser_used_at = family.inserted_at',
    red: asks(
      'a session of the browser was left alone also where its application refreshes tokens in the background',
    ),
    green: atOnce,
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
