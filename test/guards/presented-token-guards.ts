import { guard } from './guard.js'

const userInfo = 'server/src/protocols/oidc/userinfo.ts'
const logoutPage = 'server/src/pages/logout/router.ts'

const userInfoTest = (title: string) => ({ file: 'test/protocols/userinfo.test.ts', title })
const logoutTest = (title: string) => ({ file: 'test/protocols/logout.test.ts', title })

const isTold = userInfoTest(
  'UserInfo (OpenID Connect Core section 5.3) 200: tells what the scopes of the token let know, and sub always, by GET and by POST',
)
const isSignedOut = logoutTest(
  'logout by an application (OpenID Connect RP-Initiated Logout) 303: with the ID token of the session it ends at once, and the browser goes where the application wants',
)
const isAsked = logoutTest('logout asks without an ID token, and ends the session when the button is pressed')

/** Guards of presented tokens: UserInfo, introspection, and sign-out. */
export const presentedTokenGuards = [
  guard({
    name: 'organization: access token at UserInfo',
    file: userInfo,
    find: 'if (verified.organizationDomain !== organization.domain) throw refused()',
    replace: '',
    also: [
      {
        file: userInfo,
        find: 'domain: organization.domain,',
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
    name: 'form of a logout: of another site, without cookies',
    file: logoutPage,
    find: 'if (plan.sessions.length === 0 && proofs.length === 0) {',
    replace: 'if (site.isHttps && plan.sessions.length === 0 && proofs.length === 0) {',
    also: [
      {
        file: logoutPage,
        find: 'if (secretOfOurForm(req, site, csrfTopicOf(request)) === undefined) {',
        replace: 'if (csrfTopicOf(request) === "") {',
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
