import { guard } from './guard.js'

const access = 'server/src/tokens/access-token.ts'
const live = 'server/src/protocols/oauth/live-token.ts'
const client = 'server/src/protocols/oauth/client-authentication.ts'
const introspect = 'server/src/protocols/oauth/introspect.ts'
const userInfo = 'server/src/protocols/oidc/userinfo.ts'
const logout = 'server/src/protocols/oidc/end-session.ts'
const logoutPage = 'server/src/pages/logout/router.ts'
const hint = 'server/src/protocols/oauth/id-token-hint.ts'

const userInfoTest = (title: string) => ({ file: 'test/protocols/userinfo.test.ts', title })
const introspectionTest = (title: string) => ({ file: 'test/protocols/introspection.test.ts', title })
const logoutTest = (title: string) => ({ file: 'test/protocols/logout.test.ts', title })

const isTold = userInfoTest(
  'UserInfo (OpenID Connect Core section 5.3) 200: tells what the scopes of the token let know, and sub always, by GET and by POST',
)
const isActive = introspectionTest(
  'introspection (RFC 7662) 200: tells what an access token says, and that it is good',
)
const foreign = introspectionTest(
  'of a token that is worth nothing only that is said of another account, of the other environment, of an organization that the key may not see',
)
const isSignedOut = logoutTest(
  'logout by an application (OpenID Connect RP-Initiated Logout) 303: with the ID token of the session it ends at once, and the browser goes where the application wants',
)
const isAsked = logoutTest('logout asks without an ID token, and ends the session when the button is pressed')
const notAnswered = logoutTest(
  'logout asks and is not answered by another site, by another browser, or with a form of another session',
)
const badHint = logoutTest(
  'logout is refused with a page, and nothing ends 400: with a hint that is no ID token of the organization',
)

/** What an access token opens, who is told what a token is worth, and who is signed out. */
export const presentedTokenGuards = [
  guard({
    name: 'signature: access token at UserInfo',
    file: access,
    find: '|| !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)',
    replace: '',
    red: userInfoTest('UserInfo refuses 401: a token that was signed in another way'),
    green: isTold,
  }),
  guard({
    name: 'use: access token at UserInfo',
    file: access,
    find: "decoded?.header.typ !== 'at+jwt'",
    replace: 'decoded === undefined',
    red: userInfoTest(
      'UserInfo refuses 401: what the service itself has signed, and is not an access token of this organization and environment',
    ),
    green: isTold,
  }),
  guard({
    name: 'organization: access token at UserInfo',
    file: userInfo,
    find: 'if (verified.organizationDomain !== organizationDomain) throw refused()',
    replace: '',
    also: [
      {
        file: userInfo,
        find: 'domain: organizationDomain,',
        replace: 'domain: verified.organizationDomain,',
      },
    ],
    red: userInfoTest(
      'UserInfo refuses 401: a token of another organization, of another account, and of production’s key',
    ),
    green: isTold,
  }),
  guard({
    name: 'one answer: UserInfo of an organization that is not there',
    file: userInfo,
    find: 'if (organization === undefined) throw refused()',
    replace: "if (organization === undefined) throw new ApiError('organization_not_found')",
    red: {
      file: 'test/protocols/organization-endpoints.test.ts',
      title: 'a stranger is answered alike at an organization and where there is none oidc.userInfo',
    },
    green: isTold,
  }),
  guard({
    name: 'ended session: of an access token that is presented',
    file: live,
    find: ".where('sessions.ended_at', 'is', null)",
    replace: '',
    red: userInfoTest('UserInfo refuses 401: when its session was ended'),
    green: isTold,
  }),
  guard({
    name: 'active user: of an access token that is presented',
    file: live,
    find: ".where('users.active', '=', true)",
    replace: '',
    red: userInfoTest('UserInfo refuses 401: when its user is inactive'),
    green: isTold,
  }),
  guard({
    name: 'application: of an access token that is presented',
    file: live,
    find: ".where(isUsableBy(sql.ref('sessions.organization_id')))",
    replace: '',
    red: userInfoTest('UserInfo refuses 401: when its application was deleted'),
    green: isTold,
  }),
  guard({
    name: 'scope: of UserInfo',
    file: userInfo,
    find: "...(scopes.includes('email') && {",
    replace: '...(scopes.length >= 0 && {',
    red: userInfoTest(
      'UserInfo (OpenID Connect Core section 5.3) 200: with openid alone it tells no more than that',
    ),
    green: isTold,
  }),
  guard({
    name: 'scope: API key of an introspection',
    file: client,
    find: "if (!key.scopes.includes('read:sessions'))",
    replace: 'if (key.scopes.length === 0)',
    red: introspectionTest('introspection is refused 403: with a key that lacks read:sessions'),
    green: isActive,
  }),
  guard({
    name: 'account and environment: introspection of a refresh token',
    file: introspect,
    find: '|| !isOf(family, introspector)',
    replace: '',
    red: foreign,
    green: isActive,
  }),
  guard({
    name: 'organization closed to a limited key: introspection',
    file: introspect,
    find: '|| !maySee(introspector, organizationId)',
    replace: '',
    red: foreign,
    green: isActive,
  }),
  guard({
    name: 'registered address: of a logout',
    file: logout,
    find: 'if (redirectUri !== undefined && application?.allowed_logout_urls.includes(redirectUri) !== true)',
    replace: 'if (redirectUri !== undefined && application === undefined)',
    red: logoutTest(
      'logout is refused with a page, and nothing ends 400: where the address afterwards is not one of the application’s, to the letter',
    ),
    green: isSignedOut,
  }),
  guard({
    name: 'signature: hint of a logout',
    file: hint,
    find: '|| !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)',
    replace: '',
    red: badHint,
    green: isSignedOut,
  }),
  guard({
    name: 'use: hint of a logout',
    file: hint,
    find: "if (jtt !== 'id_token' || ",
    replace: 'if (',
    red: badHint,
    green: isSignedOut,
  }),
  guard({
    name: 'organization: hint of a logout',
    file: hint,
    find: 'if (key.organizationDomain !== domain || iss !== issuerOf(config.baseUrl, domain)) return undefined',
    replace: '',
    red: badHint,
    green: isSignedOut,
  }),
  guard({
    name: 'session: hint of a logout',
    file: logout,
    find: 'hint !== undefined && hint.sessionId === sessionId && hint.userId === userId',
    replace: 'hint !== undefined && (sessionId !== userId)',
    red: logoutTest('logout asks with an ID token of another session, of the same user or of another one'),
    green: isSignedOut,
  }),
  guard({
    name: 'session of another browser: hint of a logout',
    file: logout,
    find: ".where('sessions.secret_hash', 'is', null)",
    replace: '',
    red: logoutTest(
      'logout by an application (OpenID Connect RP-Initiated Logout) an ID token does not end the session of a browser that is not there',
    ),
    green: isSignedOut,
  }),
  guard({
    name: 'form: of a logout',
    file: logoutPage,
    find: 'if (secretOfOurForm(req, site, csrfTopicOf(plan)) === undefined) {',
    replace: 'if (csrfTopicOf(plan) === "") {',
    red: notAnswered,
    green: isAsked,
  }),
  guard({
    name: 'cookie: of a logout that came without it',
    file: logoutPage,
    find: 'if (owner !== undefined && findSessionSecret(req.headers.cookie, isHttps, owner) !== undefined) {',
    replace: 'if (owner !== undefined) {',
    red: logoutTest(
      'logout by an application (OpenID Connect RP-Initiated Logout) 303: where nobody is signed in there is nothing to ask',
    ),
    green: isSignedOut,
  }),
  guard({
    name: 'form of a logout: of another site, without cookies',
    file: logoutPage,
    find: 'if (plan.session === undefined) {',
    replace: 'if (site.isHttps && plan.session === undefined) {',
    also: [
      {
        file: logoutPage,
        find: 'if (secretOfOurForm(req, site, csrfTopicOf(plan)) === undefined) {',
        replace: 'if (csrfTopicOf(plan) === "") {',
      },
    ],
    red: logoutTest(
      'logout asks and another site’s form, which comes without cookies, takes none of them away',
    ),
    green: isAsked,
  }),
  guard({
    name: 'HEAD of a logout',
    file: logoutPage,
    find: 'visit: showForm',
    replace: 'get: showForm',
    red: logoutTest('logout asks nobody who only looks'),
    green: isSignedOut,
  }),
]
