import { guard, protocolTest } from './guard.js'

const authorize = 'server/src/protocols/oauth/authorize.ts'
const request = 'server/src/protocols/oauth/authorization-request.ts'
const client = 'server/src/protocols/oauth/authorizing-client.ts'
const hint = 'server/src/protocols/oauth/id-token-hint.ts'
const router = 'server/src/pages/sign-in/router.ts'
const authorizeContract = 'contract/src/protocols/authorize.ts'

const asks = (title: string) => protocolTest('authorize', title)
const sessions = (title: string) => protocolTest('browser-session', title)
const hostile = (title: string) => protocolTest('hostile-redirects', title)
const atOnce = sessions(
  'a session of the browser gets a code at once, also without a page being allowed, and its code says when the user signed in',
)
const registered = hostile('those that are registered lead to them, so that nothing else is refused here')

/** Whom the authorization endpoint answers, and to which address. */
export const authorizeGuards = [
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
    file: 'contract/src/protocols/authorize.ts',
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
    name: 'id_token_hint: signature',
    file: hint,
    find: '|| !isJwtSignatureValid(decoded, key.algorithm, key.publicKey)',
    replace: '',
    red: sessions('an id_token_hint with another signature is refused'),
    green: atOnce,
  }),
  guard({
    name: 'id_token_hint: organization',
    file: hint,
    find: 'if (key.organizationDomain !== domain || iss !== issuerOf(config.baseUrl, domain)) return undefined',
    replace: '',
    red: sessions('an id_token_hint of another organization is refused'),
    green: atOnce,
  }),
  guard({
    name: 'id_token_hint: no other kind of token',
    file: hint,
    find: "if (decoded?.header.typ !== 'JWT' || environment === undefined) return undefined",
    replace: 'if (decoded === undefined || environment === undefined) return undefined',
    also: [{ file: hint, find: "jtt !== 'id_token' || ", replace: '' }],
    red: sessions('an id_token_hint that is an access token is refused'),
    green: atOnce,
  }),
  guard({
    name: 'authorize: who only looks',
    file: router,
    find: 'visit: (exchange) => answerAuthorization(',
    replace: 'get: (exchange) => answerAuthorization(',
    red: asks('a request to sign in begins nothing for a HEAD, and makes no code'),
    green: atOnce,
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
]
