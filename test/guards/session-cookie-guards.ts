import { guard } from './guard.js'

const sealFile = 'sdk/src/session/seal.ts'
const optionsFile = 'sdk/src/session/options.ts'
const cookiesFile = 'sdk/src/session/cookies.ts'
const sessionCookieFile = 'sdk/src/session/session-cookie.ts'
const returnToFile = 'sdk/src/session/return-to.ts'
const transactionFile = 'sdk/src/session/transaction.ts'
const signInFile = 'sdk/src/session/sign-in.ts'
const idTokenFile = 'sdk/src/session/id-token.ts'

const testOf = (file: string) => (title: string) => ({ file, title })
const attacks = testOf('test/clients/session/attacks.test.ts')
const seal = testOf('sdk/src/session/seal.test.ts')
const signIn = testOf('test/clients/session/sign-in.test.ts')
const life = testOf('test/clients/session/life.test.ts')
const signOut = testOf('test/clients/session/sign-out.test.ts')
const returnTo = testOf('sdk/src/session/return-to.test.ts')
const transaction = testOf('sdk/src/session/transaction.test.ts')

/** Guards of the session layer of the SDK: its cookies, and the answers to its sign-ins. */
export const sessionCookieGuards = [
  guard({
    name: 'session layer: sealed for the application, the environment and the address',
    file: sealFile,
    find: 'JSON.stringify([place, ...owner])',
    replace: 'JSON.stringify([place])',
    red: attacks('the cookie of the other environment with the same secret signs nobody in'),
    green: seal('what was sealed opens for the same application and place, and cannot be read'),
  }),
  guard({
    name: 'session layer: sealed for one cookie',
    file: sealFile,
    find: 'JSON.stringify([place, ...owner])',
    replace: 'JSON.stringify(owner)',
    red: seal('it does not open at another place, nor with another secret'),
    green: seal('what was sealed opens for the same application and place, and cannot be read'),
  }),
  guard({
    name: 'session layer: another nonce for each value',
    file: sealFile,
    find: 'crypto.getRandomValues(new Uint8Array(nonceBytes))',
    replace: 'new Uint8Array(nonceBytes)',
    red: seal('the same value is sealed as another text each time'),
    green: seal('a value of an older secret opens, and the first one seals'),
  }),
  guard({
    name: 'session layer: a secret of 32 characters',
    file: optionsFile,
    find: 'secrets.every((secret) => secret.length >= 32)',
    replace: 'true',
    red: signIn('the options that are missing or wrong are all named by one TypeError'),
    green: signIn('the options are read from the environment where they are left out'),
  }),
  guard({
    name: 'session layer: the cookie is HttpOnly',
    file: cookiesFile,
    find: '; HttpOnly; SameSite=Lax',
    replace: '; SameSite=Lax',
    red: signIn(
      'a sign-in ends at the page it was begun from, with the user in a cookie that only the application reads',
    ),
    green: signIn('a sign-in has a cookie of fewer bytes than 800 also for a long name and address'),
  }),
  guard({
    name: 'session layer: of two cookies none',
    file: sessionCookieFile,
    find: 'another === undefined ? await openValue(cookie.value) : undefined',
    replace: 'await openValue(cookie.value)',
    red: attacks('of two cookies with the name of the session, as a sibling may toss one, none is taken'),
    green: attacks('there is no webhook without its key'),
  }),
  guard({
    name: 'session layer: the end of a session',
    file: sessionCookieFile,
    find: ' || contents.end <= now()',
    replace: '',
    red: life('a session is over 30 days after the sign-in, however often it was renewed'),
    green: life('a session is renewed from then on: its claims are those of now'),
  }),
  guard({
    name: 'session layer: 1,500 bytes',
    file: sessionCookieFile,
    find: 'if (header.length <= maxBytes) return header',
    replace: 'if (maxBytes > 0) return header',
    red: signIn(
      'a sign-in is refused with a claim that is too long for the cookie, by its name, and not cut',
    ),
    green: signIn('a sign-in keeps the claims that the options name'),
  }),
  guard({
    name: 'session layer: the contents in a store are sealed for their id',
    file: sessionCookieFile,
    find: 'sealer.seal(contents, key)',
    replace: 'Promise.resolve(JSON.stringify(contents))',
    red: life(
      'a cookie has an id alone where a store keeps the contents, which it has sealed and under a digest',
    ),
    green: life('a cookie that does not open is removed and counted, and its user signed out'),
  }),
  guard({
    name: 'session layer: return_to has one slash, and no host',
    file: returnToFile,
    find: '!/^\\/(?!\\/)[^\\\\\\p{Cc}]*$/u.test(text)',
    replace: "!text.startsWith('/')",
    red: returnTo('"/a\\\\b" is none, and becomes /'),
    green: returnTo('/invoices is a page of the application'),
  }),
  guard({
    name: 'session layer: return_to leads to no second slash',
    file: returnToFile,
    find: " && !pathname.includes('//')",
    replace: '',
    red: returnTo('"/.//other.example" is none, and becomes /'),
    green: returnTo('/invoices is a page of the application'),
  }),
  guard({
    name: 'session layer: return_to leads to no sign-in',
    file: returnToFile,
    find: 'isOwn && !isBelow(pathname, basePath)',
    replace: 'isOwn',
    red: returnTo('"/auth" is none, and becomes /'),
    green: returnTo('/invoices is a page of the application'),
  }),
  guard({
    name: 'session layer: an address that only begins like the own one',
    file: returnToFile,
    find: 'address?.startsWith(`${appUrl}/`)',
    replace: 'address?.startsWith(appUrl)',
    red: returnTo('the path of the address https://app.example.evil/invoices is undefined'),
    green: returnTo('the path of the address https://app.example/invoices?page=2 is /invoices?page=2'),
  }),
  guard({
    name: 'session layer: state: the whole of it',
    file: transactionFile,
    find: 'const placeOf = (state: string) => prefix + state',
    replace: 'const placeOf = (state: string) => prefix + state.slice(0, 8)',
    red: transaction('an answer with another state finds nothing, also with the same first characters'),
    green: transaction('tabs do not disturb one another: each finds its own'),
  }),
  guard({
    name: 'session layer: state: good once',
    file: signInFile,
    find: 'setCookies: [transactions.end(state), setCookie]',
    replace: 'setCookies: [setCookie]',
    red: signIn(
      'a sign-in ends at the page it was begun from, with the user in a cookie that only the application reads',
    ),
    green: signIn('the answer to a sign-in of another organization than was asked for is refused'),
  }),
  guard({
    name: 'session layer: iss of an answer (RFC 9207)',
    file: signInFile,
    find: "if (answer.get('iss') !== issuer)",
    replace: "if (issuer === '')",
    red: signIn(
      'the answer to a sign-in of an organization’s issuer is refused before the code is sent anywhere (RFC 9207)',
    ),
    green: signIn('the answer to a sign-in whose code is refused is told so'),
  }),
  guard({
    name: 'session layer: nonce of an ID token',
    file: idTokenFile,
    find: '{ nonce, accessToken }',
    replace: '{ accessToken }',
    red: signIn('the answer to a sign-in whose ID token has a nonce of another sign-in is refused'),
    green: signIn('the answer to a sign-in whose ID token has another access token is refused'),
  }),
  guard({
    name: 'session layer: at_hash of an ID token',
    file: idTokenFile,
    find: '{ nonce, accessToken }',
    replace: '{ nonce }',
    red: signIn('the answer to a sign-in whose ID token has another access token is refused'),
    green: signIn('the answer to a sign-in whose ID token has a nonce of another sign-in is refused'),
  }),
  guard({
    name: 'session layer: aud of an ID token',
    file: idTokenFile,
    find: 'audiences: [clientId]',
    replace: "audiences: [clientId, 'other']",
    red: signIn('the answer to a sign-in whose ID token has another application is refused'),
    green: signIn('the answer to a sign-in whose ID token has the other environment is refused'),
  }),
  guard({
    name: 'session layer: the organization that was asked for',
    file: signInFile,
    find: 'if (organization !== undefined && claims.org !== organization)',
    replace: "if (claims.org === '')",
    red: signIn('the answer to a sign-in of another organization than was asked for is refused'),
    green: signIn('the answer to a sign-in whose code is refused is told so'),
  }),
  guard({
    name: 'session layer: the acr that was asked for',
    file: signInFile,
    find: 'if (acr !== undefined && !isStrongEnough(claims.acr, acr))',
    replace: "if (acr === '')",
    red: signIn(
      'the answer to a sign-in without the second factor that was asked for is refused, and does not begin again by itself',
    ),
    green: signIn('the answer to a sign-in whose code is refused is told so'),
  }),
  guard({
    name: 'session layer: a sign-out is final',
    file: signInFile,
    find: 'if (!isSame) await revocations.add',
    replace: 'if (isSame) await revocations.add',
    red: signOut('a sign-out is final: a late answer that brings the cookie back signs nobody in'),
    green: signOut('a sign-out removes the cookie, ends the session at the service, and asks nothing'),
  }),
  guard({
    name: 'session layer: a sign-out ends the session at the service',
    file: signInFile,
    find: 'await endpoints.revoke(contents.rt, endSession)',
    replace: 'await endpoints.revoke(contents.rt, false)',
    red: signOut('a sign-out removes the cookie, ends the session at the service, and asks nothing'),
    green: signOut('a sign-out removes the cookie, too, while the service is away'),
  }),
]
