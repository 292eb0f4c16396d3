import { guard, unitTest } from './guard.js'

const users = 'server/src/protocols/scim/users.ts'
const email = 'server/src/protocols/scim/user-email.ts'
const rows = 'server/src/protocols/scim/directory-users.ts'
const filter = 'server/src/protocols/scim/filter.ts'

const inScope = (title: string) => ({ file: 'test/protocols/scim/user-scope.test.ts', title })
const inUsers = (title: string) => ({ file: 'test/protocols/scim/users.test.ts', title })

const refused = (what: string) => ({
  file: 'test/protocols/scim/hostile.test.ts',
  title: `400, soon and without harm ${what}`,
})
const inTurn = (title: string) => ({ file: 'test/protocols/scim/turns.test.ts', title })

const isReadOnly = inScope('a user who is not of the directory is seen by it, and can only be read')
const isTakenOver = inScope(
  'a user who is not of the directory is taken over by POST where the directory may and the address is verified',
)
const isNotTakenOver = inScope(
  'a user who is not of the directory is not taken over with an address that nobody has verified, or another one',
)
const isTold = inScope('events of a change of what only SCIM knows have the time of the user')
const isMade = inUsers(
  'a user of a directory is made with what the provider says, and is a user of the organization',
)
const isOfDomain = inUsers(
  'an address outside of the domains of the organization is refused, for new users and for others',
)
const isVerified = inUsers(
  'an address is verified where its domain is one of the organization or of its identity providers',
)
const isVersioned = inUsers('versions of ten writers of one version one writes')
const isFreed = inUsers('a user of a directory who is deleted is found no more, and frees their names')

/** Whom the provider of a directory may change, and into what. */
export const scimUserGuards = [
  guard({
    name: 'SCIM: a change of a user who is not of the directory',
    file: users,
    find: 'if (known === undefined && !(isSameEmail && mayTakeOver(caller, user))) throw notOfDirectory()',
    replace: '',
    red: isReadOnly,
    green: isTold,
  }),
  guard({
    name: 'SCIM: the deletion of a user who is not of the directory',
    file: users,
    find: 'if (known === undefined) throw notOfDirectory()',
    replace: 'void known',
    red: isReadOnly,
    green: isTold,
  }),
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
    name: 'SCIM: the domain of the address of a new user',
    file: users,
    find: 'checkEmailDomain(caller, email) return changeInDirectory(',
    replace: 'return changeInDirectory(',
    red: isOfDomain,
    green: isMade,
  }),
  guard({
    name: 'SCIM: the domain of a new address',
    file: users,
    find: 'if (!isSameEmail || known === undefined) checkEmailDomain(caller, email)',
    replace: '',
    red: isOfDomain,
    green: isMade,
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
    name: 'SCIM: the version that is written',
    file: users,
    find: 'checkTag(found, ifMatch) const email',
    replace: 'const email',
    red: isVersioned,
    green: isMade,
  }),
  guard({
    name: 'SCIM: userName of a user who is not of the directory',
    file: rows,
    find: "if (other !== undefined) throw uniquenessError('userName')",
    replace: 'void other',
    red: inUsers('409 uniqueness userName that is the address of a user who is not of the directory'),
    green: isMade,
  }),
  guard({
    name: 'SCIM: who is deleted leaves the directory',
    file: 'server/src/directory/users/change-user.ts',
    find: 'await leaveDirectory(trx, tenant, id)',
    replace: 'void leaveDirectory',
    red: isFreed,
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
    name: 'SCIM: a directory that is deleted while it is written to',
    file: 'server/src/protocols/scim/in-change.ts',
    find: 'await lockDirectory(trx, caller)',
    replace: 'void lockDirectory',
    red: inTurn('401: whoever writes while the directory is being deleted'),
    green: inTurn('what a provider calls its members does not hide in events where it asked'),
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
