import { contractTest, guard, routeTests } from './guard.js'

const verification = 'server/src/sign-in/password/verification.ts'

const alike = (surface: string) =>
  contractTest(
    'password-parity',
    `${surface} answers unknown, inactive, password-less and known addresses alike, by the same work`,
  )

const signsIn = contractTest(
  'password-challenge',
  'a right password 201: its code retrieves tokens that say how the user signed in',
)
const wrong = alike('password-challenge with a wrong password')

/** Guards of passwords: authentication, permission to set one, and confidentiality. */
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
]
