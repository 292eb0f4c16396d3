import { guard } from './guard.js'

const access = 'server/src/tokens/access-token.ts'
const client = 'server/src/protocols/oauth/client-authentication.ts'
const userInfo = 'server/src/protocols/oidc/userinfo.ts'
const logout = 'server/src/protocols/oidc/end-session.ts'
const logoutPage = 'server/src/pages/logout/router.ts'

const userInfoTest = (title: string) => ({ file: 'test/protocols/userinfo.test.ts', title })
const introspectionTest = (title: string) => ({ file: 'test/protocols/introspection.test.ts', title })
const logoutTest = (title: string) => ({ file: 'test/protocols/logout.test.ts', title })

const isTold = userInfoTest(
  'UserInfo (OpenID Connect Core section 5.3) 200: tells what the scopes of the token let know, and sub always, by GET and by POST',
)
const isActive = introspectionTest(
  'introspection (RFC 7662) 200: tells what an access token says, and that it is good',
)
const isSignedOut = logoutTest(
  'logout by an application (OpenID Connect RP-Initiated Logout) 303: with the ID token of the session it ends at once, and the browser goes where the application wants',
)
const isAsked = logoutTest('logout asks without an ID token, and ends the session when the button is pressed')
const notAnswered = logoutTest(
  'logout asks and is not answered by another site, by another browser, or with a form of another session',
)

/** What an access token opens, who is told what a token is worth, and who is signed out. */
export const presentedTokenGuards = [
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
    name: 'session: hint of a logout',
    file: logout,
    find: 'hint !== undefined && hint.sessionId === sessionId && hint.userId === userId',
    replace: 'hint !== undefined && (sessionId !== userId)',
    red: logoutTest('logout asks with an ID token of another session, of the same user or of another one'),
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
