import { guard, protocolTest } from './guard.js'

const router = 'server/src/pages/sign-in/router.ts'

const asks = (title: string) => protocolTest('authorize', title)
const sessions = (title: string) => protocolTest('browser-session', title)
const atOnce = sessions(
  'a session of the browser gets a code at once, also without a page being allowed, and its code says when the user signed in',
)

/** Guards of the authorization endpoint: accepted requests and redirect URLs. */
export const authorizeGuards = [
  guard({
    name: 'authorize: PKCE',
    file: 'contract/src/protocols/authorize.ts',
    find: "code_challenge_method: z.literal('S256'),",
    replace: "code_challenge_method: z.enum(['S256', 'plain']).default('S256'),",
    red: asks('a request that cannot be answered tells the application: code_challenge_method plain'),
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
