import { guard, protocolTest } from './guard.js'

const authorize = 'server/src/protocols/oauth/authorize.ts'
const request = 'server/src/protocols/oauth/authorization-request.ts'
const hint = 'server/src/protocols/oauth/id-token-hint.ts'
const router = 'server/src/pages/sign-in/router.ts'

const asks = (title: string) => protocolTest('authorize', title)
const sessions = (title: string) => protocolTest('browser-session', title)
const atOnce = sessions(
  'a session of the browser gets a code at once, also without a page being allowed, and its code says when the user signed in',
)

/** Whom the authorization endpoint answers, and to which address. */
export const authorizeGuards = [
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
    name: 'authorize: prompt=none shows no page',
    file: authorize,
    find: "if (request.prompt?.includes('none'))",
    replace: 'if (request.prompt?.length === 9)',
    red: asks('a request that cannot be answered tells the application: prompt none without a session'),
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
]
