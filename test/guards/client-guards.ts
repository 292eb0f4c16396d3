import { guard } from './guard.js'

const assertion = 'server/src/protocols/oauth/client-assertion.ts'

const assertionTest = (title: string) => ({
  file: 'test/protocols/private-key-jwt.test.ts',
  title: `an application with a key of its own (RFC 7523) ${title}`,
})

/** Guards of the authentication of applications that no removal of a condition can test. */
export const clientGuards = [
  guard({
    name: 'replay: of a client assertion',
    file: assertion,
    find: 'if (first === undefined) throw invalidClient(refused)',
    replace: '',
    red: assertionTest('401: an assertion is good once, also of twenty at once'),
    green: assertionTest('200: exchanges, refreshes and revokes, with ES256 and RS256, without client_id'),
  }),
]
