import { contractTest, guard, routeTests } from './guard.js'
const verification = 'server/src/sign-in/password/verification.ts'
const request = 'server/src/sign-in/password/request.ts'
const openRequest = 'server/src/sign-in/password/open-request.ts'
const setPassword = 'server/src/sign-in/password/set-password.ts'
const consumeCode = 'server/src/sign-in/password/consume-code.ts'

const alike = (surface: string) =>
  contractTest(
    'password-parity',
    `${surface} answers unknown, inactive, password-less and known addresses alike, by the same work`,
  )
const asking = (title: string) => contractTest('password-request', `asking for a password ${title}`)
const link = (title: string) => contractTest('password-request', `the link of a request ${title}`)
const setting = (title: string) => contractTest('password-set', `setting the password ${title}`)
const leadsNowhere = (state: string) =>
  contractTest('sign-in-states', `${state}: no well-formed request but a listed move leads on`)

const signsIn = contractTest(
  'password-challenge',
  'a right password 201: its code retrieves tokens that say how the user signed in',
)
const sets = setting('201: the code signs in, the address is verified, and the password holds from now on')
const leadsToCode = link('gives a newer code in place of the one before')
const wrong = alike('password-challenge with a wrong password')
const oneAnswer = setting(
  '422: one answer for an unknown address, another user’s code, a used, an expired and an invented one',
)

/** Whom a password lets in, who may set one, and what nobody is told. */
export const passwordGuards = [
  guard({
    name: 'password: the shortest is lower than the longest',
    file: 'server/src/platform/db/migrations/0010-passwords.ts',
    find: 'check (plain_text_min_length < plain_text_max_length)',
    replace: 'check (true)',
    red: contractTest(
      'password-connection',
      'creating the connection 422: a shortest password of 8 where the longest is 8',
    ),
    green: routeTests('password.createConnection').succeeds,
  }),
  guard({
    name: 'password: one verification, whoever the user is',
    file: verification,
    find: 'const isRight = await hashes.verify(password?.hash, plainText)',
    replace: 'const isRight = password !== undefined && (await hashes.verify(password.hash, plainText))',
    red: wrong,
    green: signsIn,
  }),
  guard({
    name: 'password: active user',
    file: verification,
    find: "if (addressee.is_user_active !== true) return 'user_inactive'",
    replace: '',
    also: [{ file: verification, find: ".where('users.active', '=', true)", replace: '' }],
    red: leadsNowhere('the user was deactivated'),
    green: signsIn,
  }),
  guard({
    name: 'password: 4 kB before any work',
    file: 'contract/src/resources/password-input.ts',
    find: '(value) => encoder.encode(value).length <= maxPlainTextBytes,',
    replace: '() => true,',
    red: contractTest(
      'password-challenge',
      'a wrong password 422: one more than 4096 bytes, before anything is hashed',
    ),
    green: signsIn,
  }),
  guard({
    name: 'password: request of an address, for who may not read users',
    file: request,
    find: 'if (mayReadUsers(caller)) {',
    replace: '{',
    red: alike('password-request'),
    green: sets,
  }),
  guard({
    name: 'password: user of a request, for who may not read users',
    file: request,
    find: 'const known = mayReadUsers(caller) ? record : { ...record, user_id: null }',
    replace: 'const known = record',
    red: asking('201: the user is told where the key may read users, and is null where it may not'),
    green: sets,
  }),
  guard({
    name: 'password: link that is opened when its request is over',
    file: openRequest,
    find: ".where('used_at', 'is', null).where('expires_at', '>', at)",
    replace: '',
    red: link('leads nowhere once the request is over'),
    green: leadsToCode,
  }),
  guard({
    name: 'password: the code’s hour',
    file: consumeCode,
    find: ".where('request.expires_at', '>', at)",
    replace: '',
    also: [{ file: setPassword, find: ".on('request.expires_at', '>', now())", replace: '' }],
    red: oneAnswer,
    green: sets,
  }),
  guard({
    name: 'password: the code’s user',
    file: consumeCode,
    find: ".where('request.user_id', '=', userId).where('request.email_normalized', '=', email)",
    replace: '',
    also: [
      {
        file: setPassword,
        find: ".onRef('request.user_id', '=', 'users.id').on('request.email_normalized', '=', sought.email)",
        replace: '',
      },
    ],
    red: oneAnswer,
    green: sets,
  }),
  guard({
    name: 'password: allowed e-mail domains, when the code is used',
    file: consumeCode,
    find: 'return consumedCode !== undefined && isEmailDomainAllowed(consumedCode.allowed_email_domains, email) ? consumedCode : undefined',
    replace: 'return consumedCode',
    red: setting(
      '422: where the address may not sign in any more, or the application does not take its codes',
    ),
    green: sets,
  }),
]
