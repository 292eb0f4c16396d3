import { guard, unitTest } from './guard.js'

const rotation = 'server/src/sign-in/password/rotate-peppers.ts'
const hasher = 'server/src/platform/passwords/password-hash.ts'
const foreign = 'server/src/platform/passwords/foreign-hash.ts'
const migration = 'server/src/platform/db/migrations/0010-passwords.ts'

const ofPepper = (title: string) => unitTest(rotation, `a pepper ${title}`)
const isReplaced = ofPepper(
  'is replaced when its period is over, its hashes are wrapped anew, and it is destroyed',
)
const staysForTheRest = ofPepper('stays while a run has not come to all of its hashes')
const ownHash = unitTest(
  hasher,
  'a hash verifies its password, in whichever form of Unicode it is typed, and no other',
)

const foreignKey = {
  file: migration,
  find:
    'on delete cascade, constraint passwords_pepper_fkey ' +
    'foreign key (account_id, organization_id, environment, pepper_version) ' +
    'references password_peppers (account_id, organization_id, environment, version)',
  replace: 'on delete cascade',
}

/** Guards of password hashes: ownership, cost, and rotation of keys. */
export const hashGuards = [
  guard({
    name: 'password hash: its pepper stays',
    ...foreignKey,
    red: ofPepper('that wraps a hash cannot be deleted'),
    green: isReplaced,
  }),
  guard({
    name: 'password hash: its pepper is not destroyed, with the foreign key',
    file: rotation,
    find: 'not exists ( select from passwords',
    replace: 'true or exists ( select from passwords',
    also: [foreignKey],
    red: staysForTheRest,
    green: isReplaced,
  }),
  guard({
    name: 'period: of a pepper',
    file: rotation,
    find: "connection.pepper_rotation_period * interval '1 second'",
    replace: "interval '30 minutes'",
    red: isReplaced,
    green: staysForTheRest,
  }),
  guard({
    name: 'period: of an hour at least',
    file: migration,
    find: 'constraint password_connections_rotation_check check (pepper_rotation_period between 3600 and 31536000),',
    replace: '',
    red: ofPepper('has a period of an hour at least, and of a year at most'),
    green: isReplaced,
  }),
  guard({
    name: 'one verification: of an address without a password',
    file: hasher,
    find: 'async verify(hash = dummyHash, plainText) {',
    replace: 'async verify(hash, plainText) { if (hash === undefined) return false',
    red: unitTest(hasher, 'without a hash one verification is made all the same, and nothing is right'),
    green: ownHash,
  }),
  guard({
    name: 'one verification: of an imported hash that is faster than ours',
    file: hasher,
    find: 'argon2.verify(dummyHash, plainText)] as const',
    replace: 'Promise.resolve(false)] as const',
    red: unitTest(hasher, 'an imported hash that is faster than one of ours takes no less work than none'),
    green: ownHash,
  }),
  guard({
    name: 'imported hash: told from one of ours',
    file: foreign,
    find: "const mark = 'imported:'",
    replace: "const mark = ''",
    red: ownHash,
    green: unitTest(
      foreign,
      'the bcrypt vector $2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW verifies',
    ),
  }),
]
