import { contractTest, guard, guardTest, routeTests } from './guard.js'

const challenge = 'server/src/sign-in/password/challenge.ts'
const verification = 'server/src/sign-in/password/verification.ts'
const addressee = 'server/src/sign-in/password/addressee.ts'
const request = 'server/src/sign-in/password/request.ts'
const openRequest = 'server/src/sign-in/password/open-request.ts'
const setPassword = 'server/src/sign-in/password/set-password.ts'
const consumeCode = 'server/src/sign-in/password/consume-code.ts'
const newPassword = 'server/src/sign-in/password/new-password.ts'
const linkChallenge = 'server/src/sign-in/magic-link/challenge.ts'

const createChallenge = routeTests('password.createChallenge')
const set = routeTests('password.set')
const createRequest = routeTests('password.createRequest')

const alike = (surface: string) =>
  contractTest(
    'password-parity',
    `${surface} answers unknown, inactive, password-less and known addresses alike, by the same work`,
  )
const asking = (title: string) => contractTest('password-request', `asking for a password ${title}`)
const link = (title: string) => contractTest('password-request', `the link of a request ${title}`)
const setting = (title: string) => contractTest('password-set', `setting the password ${title}`)
const during = (title: string) =>
  guardTest('password', `a sign-in whose password was right when it was looked at ${title}`)
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
const renewed = contractTest(
  'password-challenge',
  'a password that is to be renewed renew_password has a code where the connection wants longer ones by now, and it sets another',
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
    name: 'password: active connection',
    file: addressee,
    find: "if (!connection.active) throw new ApiError('connection_inactive')",
    replace: '',
    red: createChallenge.refuses('connection_inactive'),
    green: signsIn,
  }),
  guard({
    name: 'password: allowed e-mail domains',
    file: addressee,
    find: 'if (!isEmailDomainAllowed(connection.allowed_email_domains, normalizedEmail))',
    replace: 'if (false)',
    red: createRequest.refuses('email_domain_not_allowed'),
    green: signsIn,
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
    name: 'password: the right one',
    file: verification,
    find: "return isRight ? undefined : 'password_wrong'",
    replace: 'return undefined',
    red: contractTest(
      'password-challenge',
      'a wrong password 201: valid? is false, and there is no code and no word of the user',
    ),
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
    name: 'password: a user who is deactivated while they sign in',
    file: verification,
    find: ".where('users.active', '=', true)",
    replace: '',
    red: during('is refused when the user is deactivated meanwhile'),
    green: during('passes when something else of the user is changed meanwhile'),
  }),
  guard({
    name: 'password: one that is replaced while it signs in',
    file: verification,
    find: ".where('passwords.set_at', '=', password.setAt)",
    replace: '',
    red: during('is refused when another password is set meanwhile'),
    green: during('passes when something else of the user is changed meanwhile'),
  }),
  guard({
    name: 'password: unknown address, for who may not read users',
    file: challenge,
    find: 'if (mayReadUsers(caller) && addressee.user_id === null)',
    replace: 'if (addressee.user_id === null)',
    red: wrong,
    green: signsIn,
  }),
  guard({
    name: 'password: inactive user, for who may not read users',
    file: challenge,
    find: 'if (mayReadUsers(caller) && addressee.is_user_active === false)',
    replace: 'if (addressee.is_user_active === false)',
    red: wrong,
    green: signsIn,
  }),
  guard({
    name: 'password: one that does not meet the rules is renewed',
    file: verification,
    find: 'return !isLengthRight || knownPasswords.isKnown(plainText)',
    replace: 'return false',
    red: renewed,
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
    name: 'password: scope for a user who is made by a request',
    file: request,
    find: "input.find_or_create_user && !caller.scopes.includes('write:users')",
    replace: 'false',
    red: asking('403: a key that may not write users makes none, known address or not'),
    green: sets,
  }),
  guard({
    name: 'password: link of an address, for who may not read users',
    file: linkChallenge,
    find: 'if (!mayReadUsers(caller)) return',
    replace: '',
    red: alike('magic-link-challenge with the link in the answer'),
    green: sets,
  }),
  guard({
    name: 'password: no mail to an address that nobody has',
    file: 'server/src/sign-in/magic-link/send-link.ts',
    find: '.where(isOfSomebody)',
    replace: '',
    red: contractTest('password-parity', 'only a known address of an active user is mailed'),
    green: sets,
  }),
  guard({
    name: 'password: link of another address’s request',
    file: openRequest,
    find: ".where('email_normalized', '=', email).where('used_at', 'is', null).where('expires_at', '>', now())",
    replace: ".where('used_at', 'is', null).where('expires_at', '>', now())",
    red: link(
      '422: a request of another address, of another organization, one that is over and one that never was',
    ),
    green: leadsToCode,
  }),
  guard({
    name: 'password: link of a request that is over',
    file: openRequest,
    find: ".where('used_at', 'is', null).where('expires_at', '>', now())",
    replace: ".where('used_at', 'is', null)",
    red: link(
      '422: a request of another address, of another organization, one that is over and one that never was',
    ),
    green: leadsToCode,
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
    name: 'password: active connection, when the code is used',
    file: setPassword,
    find: "if (!addressee.active) throw new ApiError('connection_inactive')",
    replace: '',
    red: set.refuses('connection_inactive'),
    green: sets,
  }),
  guard({
    name: 'password: the code’s one use',
    file: consumeCode,
    find: ".where('request.used_at', 'is', null)",
    replace: '',
    red: setting('of two hundred who use one code at the same time, one sets the password'),
    green: sets,
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
  guard({
    name: 'password: redirect of a request, when the code is used',
    file: consumeCode,
    find: 'return sql<boolean>`request.redirect_uri = any(applications.allowed_redirect_urls)`',
    replace: 'return sql<boolean>`true`',
    red: setting(
      '422: where the address may not sign in any more, or the application does not take its codes',
    ),
    green: sets,
  }),
  guard({
    name: 'password: rules of a new one',
    file: setPassword,
    find: 'if (fault !== undefined) throw new ApiError(',
    replace: 'if (false) throw new ApiError(',
    red: setting('422: a password that breaks a rule names plain_text, and the code is still good'),
    green: sets,
  }),
  guard({
    name: 'password: sessions end with the password before',
    file: newPassword,
    find: 'await endSessionsOf(deps, trx, tenant, user.id, flowId)',
    replace: '',
    red: setting('whoever was signed in as the user is not any more, and other codes of theirs are void'),
    green: sets,
  }),
  guard({
    name: 'password: other requests end with the password before',
    file: newPassword,
    find: 'await voidPasswordRequests(deps, trx, tenant, normalizeEmail(user.email))',
    replace: '',
    red: setting('whoever was signed in as the user is not any more, and other codes of theirs are void'),
    green: sets,
  }),
  guard({
    name: 'password: one of who only claimed an address',
    file: 'server/src/directory/users/change-user.ts',
    find: 'await forgetPassword(deps, trx, tenant, id)',
    replace: '',
    red: contractTest(
      'password-challenge',
      'an address that was only claimed leaves whoever claimed it nothing once its owner has opened a link: no password, session or code',
    ),
    green: signsIn,
  }),
  guard({
    name: 'password: one renewal at a time',
    file: openRequest,
    find: 'await voidRenewals(deps, trx, tenant, userId)',
    replace: '',
    red: contractTest(
      'password-challenge',
      'a password that is to be renewed one renewal is open at a time: a newer sign-in ends the one before',
    ),
    green: renewed,
  }),
  guard({
    name: 'password: a renewal vouches for no address',
    file: setPassword,
    find: 'isAddressShown: consumedCode.opened_at !== null',
    replace: 'isAddressShown: true',
    red: contractTest(
      'password-challenge',
      'a password that is to be renewed a renewal does not vouch for the address, which no link has shown',
    ),
    green: sets,
  }),
]
