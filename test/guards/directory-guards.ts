import { guard, unitTest } from './guard.js'

const logged = 'server/src/protocols/scim/logged-text.ts'
const loggedFilter = 'server/src/protocols/scim/logged-filter.ts'
const isAsItCame = unitTest(logged, 'what is stored of a request is all the rest as it came')

/** Guards of directories: authentication of the provider, permitted requests, and the log of requests. */
export const directoryGuards = [
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
]
