import { guard, unitTest } from './guard.js'

const users = 'server/src/protocols/scim/users.ts'
const email = 'server/src/protocols/scim/user-email.ts'
const filter = 'server/src/protocols/scim/filter.ts'

const inScope = (title: string) => ({ file: 'test/protocols/scim/user-scope.test.ts', title })
const inUsers = (title: string) => ({ file: 'test/protocols/scim/users.test.ts', title })

const refused = (what: string) => ({
  file: 'test/protocols/scim/hostile.test.ts',
  title: `400, soon and without harm ${what}`,
})
const isTakenOver = inScope(
  'a user who is not of the directory is taken over by POST where the directory may and the address is verified',
)
const isNotTakenOver = inScope(
  'a user who is not of the directory is not taken over with an address that nobody has verified, or another one',
)
const isMade = inUsers(
  'a user of a directory is made with what the provider says, and is a user of the organization',
)
const isVerified = inUsers(
  'an address is verified where its domain is one of the organization or of its identity providers',
)

/** Whom the provider of a directory may change, and into what. */
export const scimUserGuards = [
  guard({
    name: 'SCIM: users are taken over where the directory may',
    file: users,
    find: 'return takesOverUsers && user.email_verified',
    replace: 'return user.email_verified || takesOverUsers !== takesOverUsers',
    red: inScope('a user who is not of the directory keeps their address from users of the directory'),
    green: isTakenOver,
  }),
  guard({
    name: 'SCIM: users are taken over with a verified address alone',
    file: users,
    find: 'return takesOverUsers && user.email_verified',
    replace: 'return takesOverUsers || user.email_verified !== user.email_verified',
    red: isNotTakenOver,
    green: isTakenOver,
  }),
  guard({
    name: 'SCIM: users are taken over with their own address alone',
    file: users,
    find: '!(isSameEmail && mayTakeOver(caller, user))',
    replace: '!mayTakeOver(caller, user)',
    red: isNotTakenOver,
    green: isTakenOver,
  }),
  guard({
    name: 'SCIM: who vouches for an address',
    file: email,
    find: "connectedEmailDomains.includes(normalized.slice(normalized.lastIndexOf('@') + 1))",
    replace: 'connectedEmailDomains.length > -1',
    red: isVerified,
    green: isMade,
  }),
  guard({
    name: 'SCIM: names in a resource',
    file: 'server/src/protocols/scim/values.ts',
    find: 'if (countNames(body) > scimLimits.names)',
    replace: 'if (countNames(body) < 0)',
    red: refused('5,000 members that nobody knows'),
    green: refused('a filter of 2,000 characters'),
  }),
  guard({
    name: 'SCIM: names in operations',
    file: 'server/src/protocols/scim/patch-steps.ts',
    find: '+ countNames(value), 0) > scimLimits.names',
    replace: '+ countNames(value), 0) < 0',
    red: refused('one operation on 30,000 paths with filters'),
    green: refused('a filter of 2,000 characters'),
  }),
  guard({
    name: 'SCIM: attributes of an answer',
    file: 'server/src/protocols/scim/projection.ts',
    find: 'if (names.length > scimLimits.attributeNames)',
    replace: 'if (names.length < 0)',
    red: refused('20,000 attributes that the answer is to have'),
    green: refused('a filter of 2,000 characters'),
  }),
  guard({
    name: 'SCIM: how deep a filter is',
    file: filter,
    find: 'if (depth > scimLimits.filterDepth)',
    replace: 'if (depth < 0)',
    red: unitTest(filter, '400 invalidFilter: brackets 31 deep'),
    green: unitTest(filter, 'brackets 30 deep are read'),
  }),
]
