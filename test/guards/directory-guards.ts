import { guard, protocolTest, unitTest } from './guard.js'

const logged = 'server/src/protocols/scim/logged-text.ts'
const loggedFilter = 'server/src/protocols/scim/logged-filter.ts'
const isAsItCame = unitTest(logged, 'what is stored of a request is all the rest as it came')

const ofMapping = (title: string) => protocolTest('scim/attribute-mapping', title)
const maps = ofMapping(
  'what a directory says is in metadata, the profile, the event and a token, from the first request on, and changes with it',
)
const unchanged = ofMapping(
  '409: metadata that a directory writes are changed by no route, and by none when they stay as they are',
)
const refusesRule = (rule: string) => ofMapping(`422: a directory refuses the rule ${rule}`)
const ofSchema = (title: string) =>
  protocolTest('scim/extension-schemas', `a schema that a directory declares ${title}`)
const namesake = ofSchema(
  'does not reach what it is called like: the user, their address, their state and their id',
)
const published = ofSchema('is published, and its values are kept, answered, in the record and in the log')

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
  guard({
    name: 'directory: one value that it writes',
    file: 'server/src/directory/users/managed-metadata.ts',
    find: "  if (isManagedKey) throw new ApiError('metadata_managed')\n",
    replace: '',
    red: unchanged,
    green: maps,
  }),
  guard({
    name: 'directory: values that it writes, replaced with all others',
    file: 'server/src/directory/users/stored-metadata.ts',
    find: "  if (isOtherValue) throw new ApiError('metadata_managed')\n",
    replace: '',
    red: unchanged,
    green: maps,
  }),
  guard({
    name: 'directory: a key that a mapping names, deleted',
    file: 'server/src/directory/token-customization/meta-keys.ts',
    find: '          .where(sql<boolean>`(${mapperOf(tenant, name)}) is null`)\n',
    replace: '',
    red: ofMapping('409: a key that a mapping names is not deleted, and the answer names the mapping'),
    green: maps,
  }),
  guard({
    name: 'directory: paths that a rule must not read',
    file: 'server/src/directory/directory-sync/mapping-rules.ts',
    find: "  return mutability !== 'readOnly' && mutability !== 'writeOnly' && returned !== 'never'",
    replace: "  return mutability !== 'readOnly' || returned === 'never'",
    red: refusesRule('of a password'),
    green: refusesRule('of an unknown path'),
  }),
  guard({
    name: 'directory: users of a run that is repeated, counted',
    file: 'server/src/protocols/scim/remap.ts',
    find: '    .where(sql<boolean>`mapping_position is not distinct from ${after ?? null}::uuid`)\n',
    replace: '',
    red: ofMapping(
      'a change of the rules that follows another one takes its place, and a run that is repeated counts once',
    ),
    green: ofMapping(
      'a change of the rules is applied to the users who are there, a minute later, and says how far it is',
    ),
  }),
  guard({
    name: 'directory: an attribute of the provider called as one of the user, in a filter',
    file: 'server/src/protocols/scim/user-filter.ts',
    find: '  if (schema !== userSchema) return simpleCondition(',
    replace: '  if (schema === undefined) return simpleCondition(',
    red: namesake,
    green: published,
  }),
  guard({
    name: 'directory: a schema of SCIM itself, declared',
    file: 'server/src/directory/directory-sync/mapping-rules.ts',
    find: 'ownSchemas.test(id) || lower === ids[0]',
    replace: 'lower === ids[0]',
    red: protocolTest('scim/extension-schemas', '422: a directory refuses the core schema'),
    green: published,
  }),
  guard({
    name: 'directory: what it writes, at a sign-in by SSO',
    file: 'server/src/directory/users/stored-metadata.ts',
    find: 'sql`not ${isManaged(mapped, mapped.userId, targetOfRow)}`',
    replace: 'sql`true`',
    red: protocolTest(
      'sso-attribute-mapping',
      'what an identity provider says comes after what the directory says, and before the API',
    ),
    green: protocolTest(
      'sso-attribute-mapping',
      'what an identity provider says that does not fit is left out, and the account is told',
    ),
  }),
]
