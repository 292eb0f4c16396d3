import { contractTest, guard, unitTest } from './guard.js'
const proven = 'server/src/protocols/scim/proven-directory.ts'
const exchange = 'server/src/protocols/scim/exchange.ts'
const logged = 'server/src/protocols/scim/logged-text.ts'
const loggedFilter = 'server/src/protocols/scim/logged-filter.ts'

const directory = (title: string) => contractTest('directory-sync', title)
const scim = (title: string) => ({ file: 'test/protocols/scim/requests.test.ts', title })

const hostile = (title: string) => ({ file: 'test/protocols/scim/hostile.test.ts', title })
const scimLog = (title: string) => ({ file: 'test/protocols/scim/log.test.ts', title })
const isOutlived = directory(
  'the secret of a directory is good for 24 hours after a reset, beside the new one',
)
const isReplaced = directory('the secret of a directory of before two resets is good no more')
const isDiscovered = scim('discovery tells what is supported')
const isAsItCame = unitTest(logged, 'what is stored of a request is all the rest as it came')

/** Who is the provider of a directory, what it may ask, and what is kept of that. */
export const directoryGuards = [
  guard({
    name: 'directory: end of the previous secret',
    file: proven,
    find: 'expiresAt !== null && expiresAt > at &&',
    replace: 'expiresAt !== null && at.getTime() > 0 &&',
    red: isOutlived,
    green: isReplaced,
  }),
  guard({
    name: 'directory: previous secret',
    file: proven,
    find: ' && isSecretEqual(hash, previous)',
    replace: ' && hash.length > 0',
    red: isReplaced,
    green: isDiscovered,
  }),
  guard({
    name: 'directory: requests in a second',
    file: exchange,
    find: 'if (rate.isExceeded)',
    replace: 'if (rate.limit < 0)',
    red: scim(
      '429: so many requests a second of one directory, of which the log has the first that was too many',
    ),
    green: isDiscovered,
  }),
  guard({
    name: 'directory: log of refused requests in a second',
    file: exchange,
    find: 'return !rate.isExceeded || rate.isFirstExcess',
    replace: 'return !rate.isExceeded || rate.limit > 0',
    red: scim(
      '429: so many requests a second of one directory, of which the log has the first that was too many',
    ),
    green: isDiscovered,
  }),
  guard({
    name: 'directory: parameters given twice',
    file: 'server/src/protocols/scim/query.ts',
    find: 'if (Object.keys(query).length < pairs.length)',
    replace: 'if (pairs.length < 0)',
    red: hostile('400: a parameter that is given twice'),
    green: hostile('a page of any number is one of users'),
  }),
  guard({
    name: 'directory: address of what was refused, in its log',
    file: 'server/src/protocols/scim/exchange.ts',
    find: "(type === 'User' ? findAddress(texts) : undefined)",
    replace: "(type === 'Group' ? findAddress(texts) : undefined)",
    red: scimLog('with an erased user goes what the provider has asked of them, also what was refused'),
    green: scimLog('what was refused of a read is no event'),
  }),
  guard({
    name: 'directory: user of what was refused, in its log',
    file: 'server/src/protocols/scim/refusal.ts',
    find: '{ ...logged, userId }',
    replace: '{ ...logged, userId: userId && undefined }',
    red: scimLog('a change that was refused names the user whom it was about'),
    green: scimLog('what was refused of a read is no event'),
  }),
  guard({
    name: 'directory: members that the contract does not know, in its log',
    file: logged,
    find: '(formOf(name) ?? hide)(member, budget)',
    replace: '(formOf(name) ?? ((value: unknown) => value))(member, budget)',
    red: unitTest(logged, 'what is stored of a request names what it does not know, without its value'),
    green: isAsItCame,
  }),
  guard({
    name: 'directory: parameters that the contract does not know, in its log',
    file: logged,
    find: '(known ?? hide)(value,',
    replace: '(known ?? ((text: unknown) => text))(value,',
    red: unitTest(
      logged,
      'what is stored of a query is of others the name: access_token=canary-velvet-harbour',
    ),
    green: isAsItCame,
  }),
  guard({
    name: 'directory: what is compared with what the contract does not know, in its log',
    file: loggedFilter,
    find: 'subject !== undefined && isLoggable(subject)',
    replace: 'subject === undefined || isLoggable(subject)',
    red: unitTest(logged, 'what is stored of a filter is nothing else: secret eq "canary-velvet-harbour"'),
    green: isAsItCame,
  }),
  guard({
    name: 'directory: ends of paths, in its log',
    file: logged,
    find: 'isShown(segment) ? segment : redacted',
    replace: 'isShown(segment) ? segment : segment',
    red: unitTest(logged, 'what is stored of a path is its names and ids'),
    green: isAsItCame,
  }),
]
